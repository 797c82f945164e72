// SPDX-License-Identifier: Apache-2.0
// A card with its context, kernels and libraries. Functions of the driver throw instead of
// returning results. All devices of the process that use the same card share it.
// Thread: any. use() must have been called on the thread before functions that need a context.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/base/round_up.h"
#include "gpu/cuda/call_copies.h"
#include "gpu/cuda/generate/pointwise_text.h"
#include "gpu/cuda/interface.h"
#include "gpu/cuda/occupancy.h"
#include "gpu/exec/card_data.h"
#include "gpu/exec/device.h"
#include "gpu/exec/device_address.h"

namespace strata::cuda {

/// Returns why a card with this name, such as "cuda:0", answers nothing more to this program; empty
/// if it does.
std::string failureOfCard(const std::string& name);

/// The functions of the driver with their names in the table. An error that lasts is kept for
/// failureOfCard().
/// Fails: OutOfMemory, or DeviceFailure with the function and the reason. The subject is the card.
class Driver {
 public:
  Driver() = default;
  Driver(const StrataDriverTable& table, std::string card)
      : m_table(table), m_card(std::move(card)) {}
#define STRATA_CHECKED_FUNCTION(name, symbol, parameters, arguments) \
  void name parameters const { check(m_table.name arguments, #symbol); }
  STRATA_DRIVER_FUNCTIONS(STRATA_CHECKED_FUNCTION)
#undef STRATA_CHECKED_FUNCTION
  /// The functions without checks, for destructors and queries.
  const StrataDriverTable& table() const { return m_table; }
  void check(int result, const char* function) const {
    if (result != STRATA_CUDA_SUCCESS) fail(result, function);
  }

 private:
  [[noreturn]] void fail(int result, const char* function) const;
  StrataDriverTable m_table{};
  std::string m_card;
};

/// Returns the data of a GPU that its driver reports. Rates are lower bounds: they say which types
/// the GPU computes with, which follows from its compute capability. Fails: as Driver.
CardData dataOfCard(const Driver& driver, int ordinal);

/// A kernel of the plug-in, with the letters of its parameters (interface.h).
struct Function {
  CUfunction handle = nullptr;
  std::string name;
  std::string parameters;
};

class Card;

/// A library call with its algorithm. It keeps the card.
class LibraryPlan {
 public:
  LibraryPlan(std::shared_ptr<Card> card, const StrataLibraryCall& call, StrataPlan* plan,
              const StrataAlgorithm& algorithm)
      : m_card(std::move(card)), m_call(call), m_plan(plan), m_algorithm(algorithm) {}
  ~LibraryPlan();
  LibraryPlan(const LibraryPlan&) = delete;
  LibraryPlan& operator=(const LibraryPlan&) = delete;
  StrataPlan* get() const { return m_plan; }
  size_t workspaceBytes() const { return m_algorithm.workspaceBytes; }
  const char* algorithm() const { return m_algorithm.name; }
  /// Returns the settings that the name lacks (gpu/exec/variant_text.h); "" if it has all.
  const char* algorithmData() const { return m_algorithm.data; }
  /// Returns the predicted time on a simulated card, relative to its peak rates.
  double relativeTime() const { return m_algorithm.relativeTime; }
  /// Returns the bytes that the call copies in its workspace.
  size_t copiedBytes() const { return copiedBytesOf(m_call, workspaceBytes()); }
  const StrataLibraryCall& call() const { return m_call; }

 private:
  std::shared_ptr<Card> m_card;
  StrataLibraryCall m_call;
  StrataPlan* m_plan;
  StrataAlgorithm m_algorithm;
};

/// Why a library call has no plan.
struct PlanFailure {
  // A status of interface.h; 0 after success
  int status = 0;
  // The smallest workspace, if only the limit prevents a plan
  size_t neededBytes = 0;
};

class Card : public std::enable_shared_from_this<Card> {
 public:
  /// Opens a simulated card, or returns the one of this name and number that is open. `name` is the
  /// name of the device, such as "simulated:H100 SXM 80GB".
  /// Fails: UnsupportedOp if this installation has no plug-in; OutOfMemory.
  static std::shared_ptr<Card> openSimulated(const std::string& name, const CardData& data,
                                             int threads, int number = 0);
  /// Opens the NVIDIA GPU "cuda:N", or returns the one that is open.
  /// Fails: UnsupportedOp if there is no plug-in, driver or GPU with this number; OutOfMemory.
  /// `takenBytes` is the memory that other programs use, if it is known.
  static std::shared_ptr<Card> openReal(const std::string& name, int ordinal, size_t takenBytes);
  ~Card();
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  const std::string& name() const { return m_name; }
  const Driver& driver() const { return m_driver; }
  const CardData& data() const { return m_data; }
  bool isSimulated() const { return m_isSimulated; }
  int ordinal() const { return m_tables.ordinal; }
  CUcontext context() const { return m_context; }
  /// Makes the context of the card current on this thread.
  void use() const { m_driver.ctxSetCurrent(m_context); }
  /// Returns a kernel. Fails: Internal if no module has it.
  const Function& function(const std::string& name);
  /// Returns a generated kernel: loaded from the cache on disk (generate/kernel_cache.h), or
  /// compiled. Returns null if this machine has no compiler for the card, or the compiler refuses
  /// the text, which is logged once.
  /// Fails: as the driver.
  const Function* generated(const GeneratedKernel& kernel);
  /// Plans a library call with the named algorithm. "" takes the first one whose workspace is
  /// within the limit.
  /// Fails: UnsupportedOp with `layer` as subject.
  std::shared_ptr<const LibraryPlan> plan(const StrataLibraryCall& call, const std::string& layer,
                                          const std::string& algorithm = "",
                                          size_t workspaceLimit = kWorkspaceLimit);
  /// The same, but returns null and a reason if the library is missing, does not support the call,
  /// or needs more workspace.
  std::shared_ptr<const LibraryPlan> tryPlan(const StrataLibraryCall& call,
                                             const std::string& algorithm = "",
                                             size_t workspaceLimit = kWorkspaceLimit,
                                             PlanFailure* failure = nullptr);
  /// Says why the last plan failed, with a layer as subject. Fails: UnsupportedOp.
  [[noreturn]] void failPlan(const std::string& layer) const;
  /// Lists the algorithms of the libraries for a call whose workspace is within the limit, best
  /// guess first. Empty if a library has none.
  const std::vector<StrataAlgorithm>& algorithms(const StrataLibraryCall& call);
  const StrataLibraries& libraries() const { return m_tables.libraries; }
  /// Says what the next work of a stream is for; null ends it.
  void annotate(CUstream stream, const StrataWork* work) const {
    if (m_tables.annotate) m_tables.annotate(stream, work);
  }
  /// Says who is asked whether the next steps of a stream must stop.
  void setStop(CUstream stream, StrataStop stop) const {
    if (m_tables.setStop) m_tables.setStop(stream, stop);
  }

  /// What the card does together with those of other processes.
  const StrataCollectives& collectives() const { return m_tables.collectives; }
  /// Records what the card does.
  const StrataRecorder& recorder() const { return m_tables.recorder; }
  const MultiprocessorLimits& limits() const { return m_limits; }

  /// Returns how the memory of the card is used now. `contextBytes` was measured when the card was
  /// opened, after libraries had computed: the used memory, without what other programs had before.
  /// What another program took meanwhile counts as well.
  DeviceMemoryUse memoryUse() const;
  /// Measures `contextBytes` again, because libraries and the driver load more kernels when they
  /// first run. It never becomes smaller, and a small growth may be the rounding of allocations.
  void measureContext();
  /// Counts memory that streams take for their own use.
  void addTransferBytes(std::ptrdiff_t bytes) { m_transferBytes += bytes; }
  /// Counts memory that devices on the card take.
  void addAllocatedBytes(std::ptrdiff_t bytes) {
    const auto blocks = static_cast<std::ptrdiff_t>(
        roundUp(static_cast<size_t>(bytes < 0 ? -bytes : bytes), kDriverBlock));
    m_allocatedBytes += bytes;
    m_blockBytes += bytes < 0 ? -blocks : blocks;
  }
  /// Returns what this program has taken of the memory of the card, by its own count.
  size_t ownBytes() const {
    return m_contextBytes + static_cast<size_t>(m_transferBytes.load() + m_allocatedBytes.load());
  }

  /// Returns the limit of the workspace of attention, which grows with the square of the steps: a
  /// share of the whole memory, so that a plan and a run have the same one.
  size_t attentionLimit() const {
    return std::max(kWorkspaceLimit, m_data.memoryBytes / kAttentionShare);
  }

  // Drivers allocate whole blocks of this size
  static constexpr size_t kDriverBlock = size_t{2} << 20;
  static constexpr size_t kWorkspaceLimit = size_t{256} << 20;
  static constexpr size_t kAttentionShare = 64;
  // At most this many algorithms of a call are listed and timed
  static constexpr size_t kMaxAlgorithms = 32;

 private:
  Card(std::string name, CardData data, const StrataCardTables& tables, bool isSimulated,
       size_t takenBytes);
  void loadModules();
  void unloadModules();
  std::vector<char> compile(const GeneratedKernel& kernel);
  CUmodule loadGenerated(const GeneratedKernel& kernel);
  void openLibraries();
  void runOnce(const StrataLibraryCall& call);

  std::string m_name;
  CardData m_data;
  StrataCardTables m_tables;
  bool m_isSimulated;
  Driver m_driver;
  CUdevice m_device = 0;
  CUcontext m_context = nullptr;
  std::vector<CUmodule> m_modules;
  MultiprocessorLimits m_limits;
  // The memory that context, modules and libraries took
  std::atomic<size_t> m_contextBytes{0};
  size_t m_otherBytes = 0;
  std::atomic<std::ptrdiff_t> m_transferBytes{0}, m_allocatedBytes{0}, m_blockBytes{0};
  std::mutex m_mutex;
  std::map<std::string, Function, std::less<>> m_functions;
  // By name; without a handle if the compiler refused the text
  std::map<std::string, Function, std::less<>> m_generated;
  // The algorithms of calls, by the bytes of the call
  std::map<std::string, std::vector<StrataAlgorithm>, std::less<>> m_algorithms;
};

}  // namespace strata::cuda

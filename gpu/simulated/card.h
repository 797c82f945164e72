// SPDX-License-Identifier: Apache-2.0
// A card in software: its memory, streams, events and captured graphs. Work that is added to a
// stream runs later, when somebody waits for it, in any order that CUDA allows; two unordered
// accesses to the same bytes are an error, also if two cards make them.
// Not here: the functions of the driver (driver.cpp), libraries (libraries.cpp).
// Thread: the caller holds the lock of the driver. Kernels run on the threads of the card.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/base/thread_pool.h"
#include "gpu/cost/card_clock.h"
#include "gpu/cuda/emulation/block.h"
#include "gpu/cuda/interface.h"
#include "gpu/simulated/access_order.h"
#include "gpu/simulated/memory.h"
#include "gpu/simulated/recorder.h"

namespace strata::simulated {

class Card;

/// A library call that is ready to run on the host.
class HostCall {
 public:
  virtual ~HostCall() = default;
  /// Computes the call. `addresses` are host addresses.
  virtual void run(const std::vector<std::byte*>& addresses, ThreadPool& pool) const = 0;
};

/// How a step is asked whether it must stop.
struct StepStop {
  StrataStop rule{};
  // Number of the step in its stream, from 1
  int64_t step = 0;
};

/// The predicted speed of a call: its time relative to the peak rates of the card, and the bytes
/// that it copies in its workspace.
struct CallSpeed {
  double relativeTime = 1;
  size_t copiedBytes = 0;
};

/// Work of a stream, with its arguments by value.
struct Command {
  enum class Kind : uint8_t {
    Launch,
    Call,
    CopyIn,
    CopyOut,
    CopyWithin,
    CopyPeer,
    Fill,
    Record,
    Wait,
    Graph
  };
  Kind kind = Kind::Launch;
  // Launch:
  const emulated::Kernel* kernel = nullptr;
  std::vector<std::byte> bound;
  emulated::Index grid, block;
  // Call:
  std::shared_ptr<const HostCall> call;
  // Never freed
  const char* callName = nullptr;
  std::vector<std::byte*> addresses;
  // Copies and fills: `to` and `from` are host addresses
  std::byte* to = nullptr;
  const std::byte* from = nullptr;
  std::vector<std::byte> staged;
  size_t bytes = 0;
  unsigned value = 0;
  int valueBytes = 1;
  // Record and wait:
  CUevent event = nullptr;
  // The record that a wait refers to
  int64_t record = 0;
  CUgraphExec graph = nullptr;
  // The bytes that the command accesses, at the addresses of the engine
  std::vector<AccessRange> ranges;
  // Predicted time
  double seconds = 0;
  // StrataWork::number
  int32_t number = 0;
  // Of a call
  CallSpeed speed;
  // What the command is for
  std::string op, layer;
  // Of StrataWork
  uint64_t running = 0;
  bool isStoppable = false;
  // Null in the nodes of a graph
  StepStop stop;
};

}  // namespace strata::simulated

struct CUevent_st {
  strata::simulated::Card* card = nullptr;
  bool hasTiming = true;
  // How often the event was recorded, and how many of these records have run
  int64_t recorded = 0, reached = 0;
  strata::simulated::Clock clock;
  double seconds = 0;
  // If the last record was captured: its graph, and the nodes before it
  CUgraph graph = nullptr;
  std::vector<int> nodes;
};

struct CUgraph_st {
  struct Node {
    strata::simulated::Command command;
    std::vector<int> after;
  };
  std::vector<Node> nodes;
  CUstream origin = nullptr;
  // The thread that captures. Others may call functions that wait
  std::thread::id thread;
  bool isInvalid = false;
};

struct CUgraphExec_st {
  std::vector<CUgraph_st::Node> nodes;
  std::vector<strata::simulated::AccessRange> ranges;
  double seconds = 0;
};

struct CUstream_st {
  strata::simulated::Card* card = nullptr;
  int number = 0;
  std::deque<strata::simulated::Command> queue;
  strata::simulated::Clock clock;
  // Virtual time at which the work so far ends
  double seconds = 0;
  // While capturing: the graph, and the last nodes of this stream
  CUgraph capture = nullptr;
  std::vector<int> last;
  // What annotate() said about the next work
  std::vector<strata::simulated::AccessRange> ranges;
  // The predicted times of the node's next kernels
  strata::NodeClock nodeClock;
  std::string op, layer;
  int32_t workNumber = 0;
  uint64_t running = 0;
  bool isStoppable = false, isAnnotated = false;
  strata::simulated::StepStop stop;
  // The step that was stopped last, so that the rest of it is skipped
  int64_t stoppedStep = 0;
};

struct CUctx_st {
  strata::simulated::Card* card = nullptr;
};

struct CUfunc_st {
  const strata::emulated::Kernel* kernel = nullptr;
};

struct CUmod_st {
  strata::simulated::Card* card = nullptr;
  // The kernel that the host compiler made, or null: then the module has those of the plug-in
  const strata::emulated::Kernel* compiled = nullptr;
  std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};

namespace strata::simulated {

/// What all cards have in common.
struct AllCards {
  // Live until the program ends, as real ones
  std::vector<std::unique_ptr<Card>> cards;
  AccessOrder accesses;
  // Streams of all cards have different numbers
  int numStreams = 0;
};
AllCards& allCards();

class Card {
 public:
  Card(const StrataSimulatedCard& description, int ordinal);
  ~Card();

  const StrataSimulatedCard& description() const { return m_description; }
  const std::string& name() const { return m_name; }
  int ordinal() const { return m_ordinal; }
  CUcontext context() { return &m_context; }
  /// Counts who uses the context.
  void retain() { ++m_users; }
  void release() { m_isClosed = --m_users == 0; }
  /// Returns whether the card was closed in good order, so that it can be opened again as a card
  /// with this description. Cards are never destroyed, and address space is finite.
  bool canReopen(const StrataSimulatedCard& description) const;
  void reopen(const StrataSimulatedCard& description);
  /// Lets the card access the memory of another one. Returns false if it may already.
  bool enablePeer(const Card& other) { return m_peers.insert(&other).second; }
  bool canAccess(const Card& other) const { return m_peers.contains(&other); }
  CardMemory& memory() { return m_memory; }
  /// Libraries take their part of the context when they first compute.
  size_t freeBytes() const {
    return m_memory.totalBytes() - m_memory.usedBytes() + m_unloadedProducts +
           m_unloadedConvolutions;
  }
  /// Notes that a library call of this kind (STRATA_CALL_...) runs.
  void loadLibrary(int32_t kind) {
    (kind == STRATA_CALL_MATMUL ? m_unloadedProducts : m_unloadedConvolutions) = 0;
  }
  ThreadPool& pool() { return m_pool; }

  /// Counts a call of the driver. Returns the result that it must fail with, or 0.
  int beginCall();
  int64_t calls() const { return m_calls; }
  void setFault(int64_t failingCall, int failure);
  /// Makes every later call fail with this result, as a real card after a failed kernel.
  int failForever(int result, const std::string& text);
  const std::string& failureText() const { return m_failureText; }

  CUstream makeStream();
  void destroy(CUstream stream);
  const std::vector<std::unique_ptr<CUstream_st>>& streams() const { return m_streams; }

  /// Adds a command to a stream, or to the graph that the stream captures. Returns a result of the
  /// driver.
  int add(CUstream stream, Command command);
  /// Runs work until the event, the stream or everything is done, and work of other cards if it
  /// waits for theirs. Returns a result of the driver.
  int finish(CUevent event);
  int finish(CUstream stream);
  int finishAll();
  /// Runs one command, if any is ready.
  int progress();

  Recording& recording() { return m_recording; }
  /// Sets the virtual times of all streams to the latest of them.
  void alignStreams();
  /// Returns the part of the virtual time in which kernels ran, since the last call or for at least
  /// a millisecond. Returns a negative number before any time has passed.
  double takeUtilization();

  /// Captures:
  int beginCapture(CUstream stream);
  int endCapture(CUstream stream, CUgraph* graph);
  int record(CUevent event, CUstream stream, bool isExternal);
  int wait(CUstream stream, CUevent event);
  int instantiate(CUgraph graph, CUgraphExec* executable);
  /// Whether this thread captures a stream of the card.
  bool isCapturing() const;
  /// Makes the captures of this thread fail.
  void invalidateCaptures();

  /// Notes that bytes are gone, so that later accesses to the same addresses are no conflict. Work
  /// of other cards that still accesses them is an error. Returns a result of the driver.
  int forget(uint64_t begin, size_t bytes);
  /// Whether an earlier error lasts.
  bool isLost() const { return m_sticky != 0; }
  /// Counts handles that were destroyed although they did not exist.
  void noteInvalidHandle() { ++m_invalidHandles; }
  int64_t invalidHandles() const { return m_invalidHandles; }
  /// Returns a byte for memory whose content is undefined, another one each time.
  unsigned char nextGarbage() { return static_cast<unsigned char>(++m_garbage % 251 + 1); }

 private:
  CUstream choose();
  int runFirst(CUstream stream);
  void noteTime(const Command& command, double begin);
  void forgetTime();
  void unloadLibraries();
  bool skips(const Command& command, const StepStop& stop, CUstream_st& stream);
  int execute(const Command& command, const StepStop& stop, CUstream_st& stream);
  int executeGraph(const CUgraphExec_st& graph, const StepStop& stop, CUstream_st& stream);
  void recordGraph(const CUgraphExec_st& graph, const CUstream_st& stream);
  void launch(const Command& command);
  uint64_t nextRandom();

  StrataSimulatedCard m_description;
  std::string m_name, m_properties;
  int m_ordinal, m_users = 0;
  bool m_isClosed = false;
  CUctx_st m_context;
  // The cards whose memory this one may access
  std::set<const Card*> m_peers;
  CardMemory m_memory;
  // What libraries will take
  size_t m_unloadedProducts = 0, m_unloadedConvolutions = 0;
  ThreadPool m_pool;
  std::vector<std::unique_ptr<emulated::Block>> m_blocks;
  std::vector<std::unique_ptr<CUstream_st>> m_streams;
  // The numbers of streams that were destroyed, which have run
  std::vector<std::pair<int, Clock>> m_freeStreams;
  Clock m_hostClock;
  Recording m_recording;
  // Virtual time until which work has run, until which kernels have run, and in which they ran
  double m_latest = 0, m_busyUntil = 0, m_busySeconds = 0;
  // When takeUtilization() began to count, and its last result
  double m_takenLatest = 0, m_takenBusy = 0, m_utilization = -1;
  uint64_t m_random = 0, m_garbage = 0;
  int64_t m_calls = 0, m_failingCall = 0, m_invalidHandles = 0;
  int m_failure = 0, m_sticky = 0;
  std::string m_failureText;
};

}  // namespace strata::simulated

// SPDX-License-Identifier: Apache-2.0
#include "gpu/replicate/mpi_link.h"

#include <dlfcn.h>

#include <chrono>
#include <filesystem>
#include <thread>
#include <vector>

#include "gpu/base/clock.h"
#include "gpu/base/error.h"
#include "gpu/base/text.h"
#include "gpu/cuda/library_file.h"
#include "gpu/replicate/interface.h"

namespace strata {
namespace {

constexpr const char* kFile = "libstrata_mpi.so";

struct Opened {
  const StrataMpiPlugin* plugin = nullptr;
  MpiPluginState state;
};

Opened openPlugin() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  for (const std::filesystem::path& place :
       {program / kFile, program.parent_path() / "lib" / "strata" / kFile,
        program.parent_path() / "lib" / kFile}) {
    if (!std::filesystem::exists(place, error)) continue;
    Opened opened{nullptr, {"", "", place.string()}};
    const auto refused = [&](const std::string& why) {
      opened.state.problem = "the plug-in for several processes, " + place.string() + ", " + why;
      return opened;
    };
    if (const std::string fault = cuda::faultOfLibrary(place); !fault.empty())
      return refused(fault + ". Build or install Strata again.");
    // Components of Open MPI find its symbols only if they are global
    void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
      const char* why = dlerror();
      return refused(cuda::explainLoader(why ? why : "no reason is known") +
                     ". Run sudo apt-get install openmpi-bin.");
    }
    const auto entry = reinterpret_cast<StrataMpiEntry>(dlsym(library, STRATA_MPI_ENTRY));
    const StrataMpiPlugin* found = entry ? entry() : nullptr;
    if (!found || found->interfaceVersion != STRATA_MPI_INTERFACE)
      return refused("belongs to another version of Strata. Build or install Strata again.");
    opened.plugin = found;
    opened.state.version = found->version();
    return opened;
  }
  return {nullptr,
          {"this installation has no plug-in for several processes (libstrata_mpi.so). Build "
           "Strata where libopenmpi-dev is installed.",
           "", ""}};
}

const Opened& openedPlugin() {
  static const Opened result = openPlugin();
  return result;
}

[[noreturn]] void failMpi(const StrataMpiPlugin& plugin) {
  throw Error(ErrorCode::DeviceFailure, kProcesses,
              std::string("MPI failed: ") + plugin.lastError() + ".");
}

class MpiLink final : public ProcessLink {
 public:
  MpiLink(const StrataMpiPlugin& plugin, int rank, int size, int rankOnMachine, int sizeOnMachine)
      : ProcessLink(rank, size),
        m_plugin(plugin),
        m_rankOnMachine(rankOnMachine),
        m_sizeOnMachine(sizeOnMachine) {}

  int rankOnMachine() const override { return m_rankOnMachine; }
  int sizeOnMachine() const override { return m_sizeOnMachine; }

  void exchange(std::span<const SentBytes> sent, std::span<const ReceivedBytes> received) override {
    requireWhole();
    size_t bytes = 0;
    for (const SentBytes& each : sent)
      bytes += each.count;
    m_parts.clear();
    for (const ReceivedBytes& each : received)
      m_parts.push_back({each.peer, 0, each.bytes, each.count});
    if (bytes < kFewBytes) {
      addSent(sent, -1);
      return wait(begin());
    }
    // One peer after the other, each process another one, because messages of several processes to
    // one at the same time exceed the buffers of a network, and TCP then waits before it repeats
    StrataMpiTransfer* const receiving = begin();
    for (int distance = 1; distance < size(); ++distance) {
      m_parts.clear();
      addSent(sent, (rank() + distance) % size());
      if (!m_parts.empty()) wait(begin());
    }
    wait(receiving);
  }

 private:
  static constexpr size_t kFewBytes = 1 << 18;

  /// Adds what is sent to a peer, or to all (-1).
  void addSent(std::span<const SentBytes> sent, int peer) {
    for (const SentBytes& each : sent)
      if (peer < 0 || each.peer == peer)
        m_parts.push_back({each.peer, 1, const_cast<std::byte*>(each.bytes), each.count});
  }

  StrataMpiTransfer* begin() {
    StrataMpiTransfer* transfer = nullptr;
    if (m_plugin.begin(m_parts.data(), m_parts.size(), &transfer) != 0) failMpi(m_plugin);
    return transfer;
  }

  /// MPI's functions that wait keep a processor busy and never notice that a process is gone.
  void wait(StrataMpiTransfer* transfer) {
    constexpr std::chrono::microseconds kSpinning{1000}, kSleep{50}, kPatience{300};
    const auto began = Clock::now();
    while (true) {
      int32_t isDone = 0;
      if (m_plugin.test(transfer, &isDone) != 0) failMpi(m_plugin);
      if (isDone) return;
      // The library may still write to the memory of the transfer, so the process must end
      requireWhole();
      if (isPatient())
        std::this_thread::sleep_for(kPatience);
      else if (Clock::now() - began < kSpinning)
        std::this_thread::yield();
      else
        std::this_thread::sleep_for(kSleep);
    }
  }

  const StrataMpiPlugin& m_plugin;
  const int m_rankOnMachine, m_sizeOnMachine;
  std::vector<StrataMpiPart> m_parts;
};

}  // namespace

std::unique_ptr<ProcessLink> joinProcesses() {
  const Opened& opened = openedPlugin();
  if (!opened.plugin) throw Error(ErrorCode::UnsupportedOp, kProcesses, opened.state.problem);
  int32_t rank = 0, size = 0, rankOnMachine = 0, sizeOnMachine = 0;
  if (opened.plugin->start(&rank, &size, &rankOnMachine, &sizeOnMachine) != 0)
    failMpi(*opened.plugin);
  return std::make_unique<MpiLink>(*opened.plugin, rank, size, rankOnMachine, sizeOnMachine);
}

void leaveProcesses() {
  if (const StrataMpiPlugin* plugin = openedPlugin().plugin; plugin && plugin->finish() != 0)
    failMpi(*plugin);
}

const MpiPluginState& mpiPluginState() { return openedPlugin().state; }

}  // namespace strata

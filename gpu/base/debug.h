// SPDX-License-Identifier: Apache-2.0
// The only place in engine and core that reads environment variables. User settings do not belong
// here: they are in the project or on the command line.
// Thread: any. Only tests change the environment, and no other thread may read it meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace strata {

/// Returns the value of an environment variable, or nullopt if it is unset or empty.
std::optional<std::string> environmentVariable(const char* name);

/// A fault of a replica, for tests.
struct ReplicaFault {
  enum class Kind : uint8_t {
    None,
    // The replica fails
    Throws,
    // Each of its steps takes 100 ms longer
    Slow,
    // A weight changes once
    Flip,
    // Its process exits with code 0
    Exits,
    // It once does not take over the sums of the other replicas
    Drop,
  };
  Kind kind = Kind::None;
  int rank = 0;
  int64_t step = 0;
};

/// Switches for debugging the engine. gpu/README.md lists them.
struct DebugSettings {
  // STRATA_DEBUG=1: write debug lines to the log
  bool isVerbose = false;
  // STRATA_VERIFY=1: verify the graph after every pass, even if it has not changed
  bool verifies = false;
  // STRATA_DUMP_GRAPH=folder: write the graph as text into this folder after each pass
  std::string dumpFolder;
  // STRATA_SKIP_PASS=name,name: disable these passes
  std::set<std::string, std::less<>> skippedPasses;
  // STRATA_SKIP_CAPTURE=1: launch each kernel of a step on a GPU alone, without a captured graph
  bool skipsCapture = false;
  // STRATA_SIMULATED_FAULT=call:result: this call of the driver of a simulated card returns the
  // result, a number of CUDA; call 0: none
  int64_t failingCall = 0;
  int failure = 0;
  // STRATA_REPLICA_FAULT=kind:rank:step: from this step on, something is wrong with a replica
  ReplicaFault replicaFault;
};
/// Returns the switches. The first call reads them from the environment, and later calls return the
/// same object.
const DebugSettings& debugSettings();
/// Reads the switches from the environment at each call. Only tests call it directly, because they
/// change the environment.
DebugSettings readDebugSettings();

}  // namespace strata

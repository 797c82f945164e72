// SPDX-License-Identifier: Apache-2.0
// The only place in engine and core that reads environment variables. User settings do not belong
// here: they are in the project or on the command line.
// Thread: any; the programs do not change their environment.
#pragma once

#include <optional>
#include <set>
#include <string>

namespace strata {

/// The variable's value; nothing if it is unset or empty.
std::optional<std::string> environmentVariable(const char* name);

/// Switches for debugging the engine, listed in gpu/README.md. They are read once, at first use.
struct DebugSettings {
  // STRATA_DEBUG=1: debug lines in the log
  bool isVerbose = false;
  // STRATA_VERIFY=1: verify the graph after every pass, even if it has not changed
  bool verifies = false;
  // STRATA_DUMP_GRAPH=folder: write the graph as text after each pass
  std::string dumpFolder;
  // STRATA_SKIP_PASS=name,name
  std::set<std::string, std::less<>> skippedPasses;
};
const DebugSettings& debugSettings();
/// Reads the environment again; for tests.
DebugSettings readDebugSettings();

}  // namespace strata

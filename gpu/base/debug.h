// SPDX-License-Identifier: Apache-2.0
// The only reader of environment variables in engine and core. Not a settings store: what a person
// chooses stands in the project or on the command line.
// Thread: any; the environment is not changed while the programs run.
#pragma once

#include <optional>
#include <set>
#include <string>

namespace strata {

/// The variable's value; nothing where it is unset or empty.
std::optional<std::string> environmentVariable(const char* name);

/// Switches for whoever looks for a fault in the engine; the table stands in gpu/README.md. Read
/// once, at first use.
struct DebugSettings {
  // STRATA_DEBUG=1: debug lines in the log
  bool isVerbose = false;
  // STRATA_VERIFY=1: the verifier after every pass, changed graph or not
  bool verifies = false;
  // STRATA_DUMP_GRAPH=folder: the graph's text after each pass
  std::string dumpFolder;
  // STRATA_SKIP_PASS=name,name
  std::set<std::string, std::less<>> skippedPasses;
};
const DebugSettings& debugSettings();
/// Not cached; for tests of the switches.
DebugSettings readDebugSettings();

}  // namespace strata

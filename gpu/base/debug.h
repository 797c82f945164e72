// SPDX-License-Identifier: Apache-2.0
// The only reader of environment variables in engine and core. Not a settings store: what a person chooses stands in the project or on the command line.
// Thread: any; the environment is not changed while the programs run.
#pragma once

#include <optional>
#include <string>

namespace strata {

/// The variable's value; nothing where it is unset or empty.
std::optional<std::string> environmentVariable(const char* name);

}  // namespace strata

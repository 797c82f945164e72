// SPDX-License-Identifier: Apache-2.0
// Compiles kernels at run time. Needs no card.
// Thread: any.
#pragma once

#include <string>
#include <vector>

namespace strata::plugin {

/// Returns the name and version of the compiler, or "" if it is not installed.
std::string compilerName();
/// Compiles CUDA C++ for one architecture, such as 90. `name` stands for the file in messages.
/// Returns an image for cuModuleLoadData(), or an empty one and a problem with the compiler's text.
std::vector<char> compileText(const char* text, const char* name, int architecture,
                              std::string& problem);

}  // namespace strata::plugin

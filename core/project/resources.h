// SPDX-License-Identifier: Apache-2.0
// Finds the files that are installed with Strata: bundled data ("mnist/...") and example projects
// ("projects/..."). Not here: icons and translations, which are compiled into the window.
// Thread: any thread may call the function, which only accesses the file system.
#pragma once

#include <string>

namespace strata {

/// Returns the absolute path of a bundled file or folder. Searches $STRATA_RESOURCES,
/// ../share/strata relative to the program, and the source tree of the build, in this order. Fails:
/// InvalidArgument if `name` is not a relative path without ".."; IoFailure naming the searched
/// folders if there is no such file.
std::string resourcePath(const std::string& name);

}  // namespace strata

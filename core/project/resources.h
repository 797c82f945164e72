// SPDX-License-Identifier: Apache-2.0
// Finds the files that come with Strata: bundled data ("mnist/...") and example projects
// ("projects/..."). Not here: icons and translations, which are compiled into the window.
// Thread: any; reads the file system only.
#pragma once

#include <string>

namespace strata {

/// Absolute path of a bundled file or folder: under $STRATA_RESOURCES, else under ../share/strata
/// next to the program, else in the source tree of the build.
/// Requires: a relative name without "..".
/// Fails: InvalidArgument; IoFailure naming the places that were searched.
std::string resourcePath(const std::string& name);

}  // namespace strata

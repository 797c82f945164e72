// SPDX-License-Identifier: Apache-2.0
// Where the files that come with Strata lie: bundled data ("mnist/...") and example projects
// ("projects/..."). Icons and translations are not among them; those are compiled into the window.
// Thread: any; reads the file system only.
#pragma once

#include <string>

namespace strata {

/// Absolute path of a bundled file or folder: under $STRATA_RESOURCES, else under ../share/strata
/// beside the program, else in the source tree the program was built from.
/// Requires: a relative name without "..".
/// Fails: InvalidArgument; IoFailure naming the places that were searched.
std::string resourcePath(const std::string& name);

}  // namespace strata

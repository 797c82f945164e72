// SPDX-License-Identifier: Apache-2.0
// Where files are kept that can be made again: calibrations and compiled kernels.
// Thread: any.
#pragma once

#include <filesystem>

namespace strata {

/// Returns $XDG_CACHE_HOME/strata, otherwise .cache/strata in the home folder, otherwise a folder
/// of this user among the temporary files. It may not exist.
std::filesystem::path cacheFolder();

}  // namespace strata

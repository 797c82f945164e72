// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/cache_folder.h"

#include <unistd.h>

#include <string>

#include "gpu/base/debug.h"

namespace strata {

std::filesystem::path cacheFolder() {
  namespace fs = std::filesystem;
  if (const auto cache = environmentVariable("XDG_CACHE_HOME"); cache && cache->front() == '/')
    return fs::path(*cache) / "strata";
  if (const auto home = environmentVariable("HOME"); home && home->front() == '/')
    return fs::path(*home) / ".cache" / "strata";
  return fs::temp_directory_path() / ("strata-" + std::to_string(::getuid()));
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Compiled kernels on disk, in a folder of the cache, one file for each text and compiler. A file
// has its text, which a person can read, and a checksum. Other processes may read and write the
// same files.
// Thread: any.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/base/cache_folder.h"

namespace strata::cuda {

class KernelCache {
 public:
  /// Returns the image that was stored for this text and compiler, or nullopt. If the file is
  /// damaged, removes it and logs that the kernel is compiled again.
  std::optional<std::vector<char>> find(std::string_view text, std::string_view compiler) const;
  /// Stores an image. A folder that cannot be written is no error, because the image is only
  /// compiled again.
  void store(std::string_view text, std::string_view compiler,
             const std::vector<char>& image) const;
  /// Removes an image that cannot be used, and logs that the kernel is compiled again.
  void drop(std::string_view text, std::string_view compiler) const;
  /// Returns the file for a text and compiler.
  std::filesystem::path fileOf(std::string_view text, std::string_view compiler) const;

 private:
  CacheStore m_store{"compiled"};
};

}  // namespace strata::cuda

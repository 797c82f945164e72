// SPDX-License-Identifier: Apache-2.0
// Compiled kernels on disk, in the folder "compiled" of cacheFolder(), one file for each text and
// compiler. A file has its text, which a person can read, and a checksum. Other processes may read
// and write the same files.
// Thread: any.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata::cuda {

class KernelCache {
 public:
  explicit KernelCache(std::filesystem::path folder) : m_folder(std::move(folder)) {}
  /// Returns the image that was stored for this text and compiler, or nullopt. If the file is
  /// damaged, removes it and logs that the kernel is compiled again.
  std::optional<std::vector<char>> find(std::string_view text, std::string_view compiler) const;
  /// Stores an image. A folder that cannot be written is no error, because the image is only
  /// compiled again.
  void store(std::string_view text, std::string_view compiler,
             const std::vector<char>& image) const;
  /// Returns the file for a text and compiler.
  std::filesystem::path fileOf(std::string_view text, std::string_view compiler) const;

 private:
  std::filesystem::path m_folder;
};

}  // namespace strata::cuda

// SPDX-License-Identifier: Apache-2.0
// Where files are kept that can be made again: calibrations, times of algorithms and compiled
// kernels. Without a folder that only this user can write, nothing is kept.
// Thread: any.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "gpu/base/own_folder.h"

namespace strata {

/// Returns $XDG_CACHE_HOME/strata, otherwise .cache/strata in the home folder, otherwise a folder
/// of this user among the temporary files. It may not exist.
std::filesystem::path cacheFolder();

/// One folder of the cache, such as "calibration". It is an OwnFolder that is opened at each call.
/// If it cannot be used, for example because another user owns it, then nothing is found or kept,
/// and the first such call logs a warning with the reason.
class CacheStore {
 public:
  explicit CacheStore(std::string kind) : m_kind(std::move(kind)) {}
  /// Returns the path of a file, which may not exist.
  std::filesystem::path fileOf(const std::string& name) const;
  /// Returns a file, or nullopt if it is missing, too large, or not a file that only
  /// this user could have written.
  std::optional<OwnFile> read(const std::string& name, size_t maxBytes) const;
  /// Replaces a file completely or not at all. A failure is only logged.
  void write(const std::string& name, std::string_view bytes) const;
  /// Removes a file if it exists.
  void remove(const std::string& name) const;

 private:
  std::string m_kind;
};

}  // namespace strata

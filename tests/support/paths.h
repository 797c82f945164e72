// SPDX-License-Identifier: Apache-2.0
// Paths of the source tree and the shared folder, and temporary folders, for tests only. Any thread
// may call these functions.
#pragma once

#include <filesystem>

namespace strata {

/// Returns the root of the source tree.
std::filesystem::path sourceDir();

/// Returns the folder with reference cases: $STRATA_SHARED if it is set, otherwise ../shared next
/// to the root. If the folder does not exist, the path is empty, and the test must report that it
/// is skipped.
std::filesystem::path sharedDir();

/// A new empty folder. The destructor removes it with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return m_path; }
  std::filesystem::path operator/(const std::filesystem::path& name) const { return m_path / name; }

 private:
  std::filesystem::path m_path;
};

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// The source tree, the shared folder and a temporary folder, for tests only. Thread: any.
#pragma once

#include <filesystem>

namespace strata {

/// Root of the source tree.
std::filesystem::path sourceDir();

/// The folder with reference cases: $STRATA_SHARED, else ../shared from the root. Empty if absent:
/// the test must then say that it skips.
std::filesystem::path sharedDir();

/// A new empty folder, removed with its contents by the destructor.
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

// SPDX-License-Identifier: Apache-2.0
#include "tests/support/paths.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace strata {

namespace fs = std::filesystem;

fs::path sourceDir() { return STRATA_SOURCE_DIR; }

fs::path sharedDir() {
  const char* set = std::getenv("STRATA_SHARED");
  const fs::path folder =
      set != nullptr && *set != '\0' ? fs::path(set) : sourceDir().parent_path() / "shared";
  std::error_code ignored;
  return fs::is_directory(folder, ignored) ? folder : fs::path();
}

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (fs::temp_directory_path() / "strata-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw std::runtime_error("cannot make a temporary folder " + pattern);
  m_path = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(m_path, ignored);
}

}  // namespace strata

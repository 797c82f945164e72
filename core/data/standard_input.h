// SPDX-License-Identifier: Apache-2.0
// Provides standard input as a file that can be read like any other. The file is kept in memory,
// and removed with the object. Not here: the meaning of its contents.
// Thread: only one thread may use an object.
#pragma once

#include <cstdint>
#include <string>

namespace strata {

/// Maximum size of standard input. Larger inputs must be given as a file.
constexpr uint64_t kMaxStandardInputBytes = uint64_t{256} << 20;

class StandardInput {
 public:
  /// Reads standard input to its end. Fails: InvalidFile (empty, or more than
  /// kMaxStandardInputBytes); IoFailure.
  StandardInput();
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  /// Returns the path of the file. The file exists as long as this object.
  const std::string& path() const { return m_path; }

 private:
  int m_descriptor = -1;
  std::string m_path;
};

}  // namespace strata

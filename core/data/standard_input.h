// SPDX-License-Identifier: Apache-2.0
// What comes through standard input, as a file that can be read as any other: kept in memory, gone
// with the object. Not here: what it holds. Thread: one.
#pragma once

#include <cstdint>
#include <string>

namespace strata {

/// More than this has to be given as a file.
constexpr uint64_t kMaxStandardInputBytes = uint64_t{256} << 20;

class StandardInput {
 public:
  /// Reads to the end. Fails: InvalidFile (more than kMaxStandardInputBytes, nothing), IoFailure.
  StandardInput();
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  /// Of the file, as long as this object is there.
  const std::string& path() const { return m_path; }

 private:
  int m_descriptor = -1;
  std::string m_path;
};

}  // namespace strata

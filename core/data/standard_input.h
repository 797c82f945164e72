// SPDX-License-Identifier: Apache-2.0
// Standard input as a file that can be read like any other: kept in memory, removed with the
// object. Not here: the meaning of its contents.
// Thread: one.
#pragma once

#include <cstdint>
#include <string>

namespace strata {

/// Larger inputs must be given as a file.
constexpr uint64_t kMaxStandardInputBytes = uint64_t{256} << 20;

class StandardInput {
 public:
  /// Reads to the end. Fails: InvalidFile (more than kMaxStandardInputBytes, nothing), IoFailure.
  StandardInput();
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  /// Path of the file while this object exists.
  const std::string& path() const { return m_path; }

 private:
  int m_descriptor = -1;
  std::string m_path;
};

}  // namespace strata

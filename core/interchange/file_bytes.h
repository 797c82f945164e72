// SPDX-License-Identifier: Apache-2.0
// Random access to a file from outside. Its size is known first, so that readers can compare every
// length with it. Not here: formats.
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <string>

#include "core/project/regular_file.h"

namespace strata {

class FileBytes {
 public:
  /// Fails: as RegularFile.
  explicit FileBytes(const std::string& path);

  const std::string& path() const { return m_path; }
  uint64_t size() const { return m_file.size(); }
  /// Requires: offset + bytes <= size(). Fails: InvalidFile if the file shrank, IoFailure.
  void read(void* target, uint64_t bytes, uint64_t offset);
  /// Throws InvalidFile that names the file.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  [[noreturn]] void ioFail(int number) const;
  const std::string m_path;
  const RegularFile m_file;
};

}  // namespace strata

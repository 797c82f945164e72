// SPDX-License-Identifier: Apache-2.0
// Random access to a file that may come from an untrusted source. The size is known first, so that
// readers can check every length in the file. Not here: formats.
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstdint>
#include <string>

#include "core/project/regular_file.h"

namespace strata {

class FileBytes {
 public:
  /// Opens the file. Fails with the errors of RegularFile.
  explicit FileBytes(const std::string& path);

  const std::string& path() const { return m_path; }
  uint64_t size() const { return m_file.size(); }
  /// Reads `bytes` bytes at `offset` into `target`. Requires: offset + bytes <= size(). Fails:
  /// InvalidFile if the file became shorter; IoFailure.
  void read(void* target, uint64_t bytes, uint64_t offset);
  /// Throws InvalidFile with the name of the file and this message.
  [[noreturn]] void fail(const std::string& message) const;

 private:
  [[noreturn]] void ioFail(int number) const;
  const std::string m_path;
  const RegularFile m_file;
};

}  // namespace strata

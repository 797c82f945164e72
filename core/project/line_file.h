// SPDX-License-Identifier: Apache-2.0
// Reads a text file line by line, in the memory of one line. The file may come from an untrusted
// source: it must be a regular file, and lines that are too long are skipped. Not here: the meaning
// of a line.
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/project/regular_file.h"

namespace strata {

class LineFile {
 public:
  /// Opens the file, and begins to read at byte `begin`. Fails with the errors of RegularFile.
  LineFile(const std::string& path, size_t maxLineBytes, uint64_t begin = 0);
  /// Reads the next line of at most `maxLineBytes` bytes, without its end. Skips longer ones.
  /// Returns false at the end of the file, or if it cannot be read.
  bool next(std::string& line);
  /// Whether the last line that next() read had no end, because the file was cut off there.
  bool isCutOff() const { return m_isCutOff; }

 private:
  bool fill();

  const RegularFile m_file;
  const size_t m_maxLineBytes;
  uint64_t m_offset;
  std::string m_buffer;
  size_t m_at = 0;
  bool m_isCutOff = false;
};

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// The bytes of a file one after the other, unpacked where it is a gzip file (RFC 1952, several
// members one after the other too), which is held to the CRC-32 and the length that it keeps of
// itself. Not here: what the bytes mean. Thread: one at a time.
#pragma once

#include <memory>
#include <string>

#include "core/interchange/file_bytes.h"

namespace strata {

class GzipFile {
 public:
  /// Fails: as FileBytes.
  explicit GzipFile(const std::string& path);
  ~GzipFile();
  bool isPacked() const { return m_stream != nullptr; }
  const FileBytes& file() const { return m_file; }
  /// The next bytes, fewer than asked for only at the end. Fails: InvalidFile (a member is damaged,
  /// something else follows the last one), IoFailure.
  uint64_t read(void* target, uint64_t bytes);
  /// Ended it inside of a member? Known once read() gave less than it was asked for.
  bool endsEarly() const { return m_endsEarly; }

 private:
  struct Stream;
  uint64_t readPacked(std::byte* target, uint64_t bytes);
  bool fill();
  FileBytes m_file;
  // null: not packed
  std::unique_ptr<Stream> m_stream;
  // Of the file's bytes
  uint64_t m_taken = 0;
  uint64_t m_given = 0;
  bool m_isBetweenMembers = false, m_endsEarly = false;
};

}  // namespace strata

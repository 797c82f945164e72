// SPDX-License-Identifier: Apache-2.0
// Reads the bytes of a file in sequence. Decompresses gzip files (RFC 1952, also with several
// members), and checks their CRC-32 and length. Not here: the meaning of the bytes.
// Thread: only one thread at a time may use an object.
#pragma once

#include <memory>
#include <string>

#include "core/interchange/file_bytes.h"

namespace strata {

class GzipFile {
 public:
  /// Opens the file. Fails with the errors of FileBytes.
  explicit GzipFile(const std::string& path);
  ~GzipFile();
  bool isPacked() const { return m_stream != nullptr; }
  const FileBytes& file() const { return m_file; }
  /// Reads the next bytes. Returns the number of bytes read, which is smaller than `bytes` only at
  /// the end. Fails: InvalidFile (a member is damaged, or other data follows the last one);
  /// IoFailure.
  uint64_t read(void* target, uint64_t bytes);
  /// Returns the number of bytes read from the file, for progress.
  uint64_t taken() const { return m_taken; }
  /// Whether the file ended within a member. This is known after read() returned fewer bytes than
  /// requested.
  bool endsEarly() const { return m_endsEarly; }

 private:
  struct Stream;
  uint64_t readPacked(std::byte* target, uint64_t bytes);
  bool fill();
  FileBytes m_file;
  // Null if the file is not compressed
  std::unique_ptr<Stream> m_stream;
  uint64_t m_taken = 0;
  uint64_t m_given = 0;
  bool m_isBetweenMembers = false, m_endsEarly = false;
};

}  // namespace strata

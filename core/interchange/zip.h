// SPDX-License-Identifier: Apache-2.0
// ZIP archives, as far as NumPy's .npz files need them: stored or deflated members, sizes beyond 4
// GiB (zip64), and a CRC-32 for each member. Archives are written without compression and times, so
// that the same contents give the same file. Not here: the contents of members (npz.h), folders,
// encryption.
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/interchange/file_bytes.h"
#include "core/project/atomic_file.h"

namespace strata {

struct ZipMember {
  std::string name;
  uint64_t headerAt = 0, dataAt = 0;
  uint64_t packedBytes = 0, bytes = 0;
  uint32_t crc = 0;
  bool isDeflated = false;
};

/// Whether a file begins like a ZIP archive.
bool isZip(std::span<const std::byte> beginning);

class ZipReader {
 public:
  using TakePiece = std::function<void(std::span<const std::byte>)>;
  /// Reads the directory at the end of the file. Fails: InvalidFile naming file and member (not an
  /// archive, truncated, a member outside the file or overlapping another, unknown compression,
  /// encrypted, duplicate); IoFailure.
  explicit ZipReader(const std::string& path);
  // Returns the members except folders, in the order of their positions in the file.
  const std::vector<ZipMember>& members() const { return m_members; }
  const std::string& comment() const { return m_comment; }
  /// Returns the first `most` bytes of a member, or the whole member if it is shorter. Does not
  /// check the CRC. Fails: InvalidFile if these bytes cannot be decompressed; IoFailure.
  std::vector<std::byte> beginning(const ZipMember& member, uint64_t most);
  /// Passes the whole member to `take` in pieces. Fails: InvalidFile if its size or CRC is wrong;
  /// IoFailure.
  void eachPiece(const ZipMember& member, const TakePiece& take);
  /// Reads the whole member. Fails with the errors of eachPiece, or with OutOfMemory if the
  /// declared size is too large; the member is then not decompressed.
  std::vector<std::byte> read(const ZipMember& member);

 private:
  void readDirectory();
  void readPlaces();
  void unpack(const ZipMember& member, uint64_t most, const TakePiece& take);
  FileBytes m_file;
  std::vector<ZipMember> m_members;
  std::string m_comment;
};

class ZipWriter {
 public:
  /// Creates the file. Fails: IoFailure.
  explicit ZipWriter(const std::string& path) : m_file(path) {}
  /// Adds a member that consists of `head`, followed by `bytes` bytes of data. `data` must pass all
  /// pieces of the data to its argument. It is called twice: for the CRC, and for writing. Fails:
  /// IoFailure.
  void add(const std::string& name, std::string_view head, uint64_t bytes,
           const std::function<void(const ZipReader::TakePiece&)>& data);
  /// Writes the directory and publishes the file. `comment` has at most 65535 bytes. Fails:
  /// IoFailure.
  void finish(const std::string& comment, bool isDurable);

 private:
  void write(std::string_view bytes);
  AtomicFile m_file;
  uint64_t m_position = 0;
  std::vector<ZipMember> m_members;
};

}  // namespace strata

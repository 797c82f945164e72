// SPDX-License-Identifier: Apache-2.0
// ZIP archives, as far as NumPy's .npz needs them: members stored or deflated, sizes beyond 4 GiB
// (zip64), each checked by its CRC-32. Written without packing, with no times, so that the same
// content makes the same file. Not here: what members hold (npz.h), folders, encryption. Thread:
// one at a time.
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

/// Does a file begin as an archive does?
bool isZip(std::span<const std::byte> beginning);

class ZipReader {
 public:
  using TakePiece = std::function<void(std::span<const std::byte>)>;
  /// Reads the directory at the file's end. Fails: InvalidFile naming file and member (no archive,
  /// cut short, a member outside the file or over another, packed another way, encrypted, twice),
  /// IoFailure.
  explicit ZipReader(const std::string& path);
  // By place in the file; folders left out
  const std::vector<ZipMember>& members() const { return m_members; }
  const std::string& comment() const { return m_comment; }
  /// The first bytes of a member, `most` or all. Fails: InvalidFile where they do not unpack;
  /// IoFailure.
  std::vector<std::byte> beginning(const ZipMember& member, uint64_t most);
  /// All of it, piece by piece. Fails: InvalidFile where it does not unpack to its size and CRC;
  /// IoFailure.
  void eachPiece(const ZipMember& member, const TakePiece& take);
  /// All of it. Fails: as eachPiece; OutOfMemory, before it is unpacked.
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
  /// Fails: IoFailure.
  explicit ZipWriter(const std::string& path) : m_file(path) {}
  /// A member of two parts, one after the other; `data` of that many bytes gives its pieces each
  /// time it is called. Fails: IoFailure.
  void add(const std::string& name, std::string_view head, uint64_t bytes,
           const std::function<void(const ZipReader::TakePiece&)>& data);
  /// Directory and end; the file appears. comment: at most 65535 bytes. Fails: IoFailure.
  void finish(const std::string& comment, bool isDurable);

 private:
  void write(std::string_view bytes);
  AtomicFile m_file;
  uint64_t m_position = 0;
  std::vector<ZipMember> m_members;
};

}  // namespace strata

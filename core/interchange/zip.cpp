// SPDX-License-Identifier: Apache-2.0
// Reads and writes ZIP archives. The names of records follow PKWARE's APPNOTE.TXT, which describes
// the format.
#include "core/interchange/zip.h"

#include <algorithm>
#include <cstring>
#include <set>

#include <zlib.h>

#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata {

namespace {

constexpr uint32_t kLocalHeader = 0x04034b50, kCentralHeader = 0x02014b50,
                   kEndOfDirectory = 0x06054b50;
constexpr uint32_t kEndOfDirectory64 = 0x06064b50, kLocator64 = 0x07064b50;
constexpr size_t kLocalBytes = 30, kCentralBytes = 46, kEndBytes = 22, kEnd64Bytes = 56,
                 kLocatorBytes = 20;
// Marks a size or position that is stored in the zip64 extra field instead.
constexpr uint32_t kIn64 = 0xFFFFFFFF;
constexpr uint16_t kExtra64 = 1, kStored = 0, kDeflated = 8, kUtf8 = 1 << 11, kEncrypted = 1;
constexpr uint16_t kFirstOfJanuary1980 = 0x21;
// Deflate compresses at most 1032 bytes into one byte.
constexpr uint64_t kMaxDeflateRatio = 1032;
constexpr uint64_t kMaxDirectoryBytes = uint64_t{1} << 30;

/// Reads a little-endian number. The caller has checked the length of `bytes`.
template <class T>
T numberAt(const std::byte* bytes) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(static_cast<T>(bytes[i]) << (8 * i)));
  return value;
}

template <class T>
void appendNumber(std::string& text, T value) {
  for (size_t i = 0; i < sizeof(T); ++i)
    text += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i) & 255);
}

uint32_t crcOf(uint32_t crc, const std::byte* data, uint64_t bytes) {
  while (bytes > 0) {
    const auto piece = static_cast<uInt>(std::min<uint64_t>(bytes, 1u << 30));
    crc = static_cast<uint32_t>(::crc32(crc, reinterpret_cast<const Bytef*>(data), piece));
    data += piece;
    bytes -= piece;
  }
  return crc;
}

struct Inflater {
  z_stream stream{};
  Inflater() {
    if (::inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~Inflater() { ::inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
};

}  // namespace

bool isZip(std::span<const std::byte> beginning) {
  if (beginning.size() < 4) return false;
  const auto signature = numberAt<uint32_t>(beginning.data());
  return signature == kLocalHeader || signature == kEndOfDirectory;
}

ZipReader::ZipReader(const std::string& path) : m_file(path) {
  readDirectory();
  readPlaces();
}

void ZipReader::readDirectory() {
  // A comment of unknown length follows the end record, so the record is found by its signature.
  if (m_file.size() < kEndBytes)
    m_file.fail("too short for an archive (expected at least 22 bytes, got " +
                std::to_string(m_file.size()) + "). The file is cut short; save it again.");
  std::vector<std::byte> tail(std::min<uint64_t>(m_file.size(), kEndBytes + 65535));
  const uint64_t tailAt = m_file.size() - tail.size();
  m_file.read(tail.data(), tail.size(), tailAt);
  size_t at = tail.size() - kEndBytes + 1;
  bool isFound = false;
  while (at > 0 && !isFound) {
    --at;
    isFound = numberAt<uint32_t>(&tail[at]) == kEndOfDirectory &&
              at + kEndBytes + numberAt<uint16_t>(&tail[at + 20]) == tail.size();
  }
  if (!isFound)
    m_file.fail(
        "has no directory at its end (expected a ZIP archive). The file is cut short or not a .npz "
        "file; save it again.");
  const std::byte* end = &tail[at];
  uint64_t count = numberAt<uint16_t>(end + 10), countHere = numberAt<uint16_t>(end + 8),
           bytes = numberAt<uint32_t>(end + 12), directoryAt = numberAt<uint32_t>(end + 16);
  m_comment.assign(reinterpret_cast<const char*>(end) + kEndBytes, numberAt<uint16_t>(end + 20));
  const uint64_t endAt = tailAt + at;
  uint64_t directoryEnd = endAt;
  if ((count == 0xFFFF || bytes == kIn64 || directoryAt == kIn64) &&
      endAt >= kLocatorBytes + kEnd64Bytes) {
    std::byte locator[kLocatorBytes], end64[kEnd64Bytes];
    m_file.read(locator, kLocatorBytes, endAt - kLocatorBytes);
    if (numberAt<uint32_t>(locator) == kLocator64) {
      const auto end64At = numberAt<uint64_t>(locator + 8);
      if (end64At > endAt - kLocatorBytes - kEnd64Bytes)
        m_file.fail("has a damaged directory (its zip64 record lies at byte " +
                    std::to_string(end64At) + "). Save it again.");
      m_file.read(end64, kEnd64Bytes, end64At);
      if (numberAt<uint32_t>(end64) != kEndOfDirectory64)
        m_file.fail("has a damaged directory (no zip64 record). Save it again.");
      directoryEnd = end64At;
      countHere = numberAt<uint64_t>(end64 + 24);
      count = numberAt<uint64_t>(end64 + 32);
      bytes = numberAt<uint64_t>(end64 + 40);
      directoryAt = numberAt<uint64_t>(end64 + 48);
    }
  }
  if (directoryAt > endAt || bytes > endAt - directoryAt || bytes > kMaxDirectoryBytes ||
      count > bytes / kCentralBytes)
    m_file.fail("has a directory that does not fit into it (" +
                counted(static_cast<int64_t>(count), "member") + " in " + std::to_string(bytes) +
                " bytes at byte " + std::to_string(directoryAt) + " of " +
                std::to_string(m_file.size()) +
                "). The file is cut short or damaged; save it again.");
  std::vector<std::byte> directory(bytes);
  m_file.read(directory.data(), bytes, directoryAt);

  std::set<std::string> names;
  size_t place = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const std::byte* record = directory.data() + place;
    const auto damaged = [&](const std::string& what) {
      m_file.fail("member " + std::to_string(i + 1) + " of its directory " + what +
                  ". The file is damaged; save it again.");
    };
    if (directory.size() - place < kCentralBytes || numberAt<uint32_t>(record) != kCentralHeader)
      damaged("is not a member record");
    const size_t nameBytes = numberAt<uint16_t>(record + 28),
                 extraBytes = numberAt<uint16_t>(record + 30),
                 commentBytes = numberAt<uint16_t>(record + 32);
    if (directory.size() - place - kCentralBytes < nameBytes + extraBytes + commentBytes)
      damaged("is cut short");
    ZipMember member;
    member.name.assign(reinterpret_cast<const char*>(record) + kCentralBytes, nameBytes);
    member.crc = numberAt<uint32_t>(record + 16);
    member.packedBytes = numberAt<uint32_t>(record + 20);
    member.bytes = numberAt<uint32_t>(record + 24);
    member.headerAt = numberAt<uint32_t>(record + 42);
    // The zip64 extra field contains only the sizes and the position that do not fit into 32 bits.
    const std::byte *extra = record + kCentralBytes + nameBytes, *const extraEnd =
                                                                     extra + extraBytes;
    while (extraEnd - extra >= 4) {
      const size_t size = numberAt<uint16_t>(extra + 2);
      if (static_cast<size_t>(extraEnd - extra) < 4 + size) damaged("has a damaged extra part");
      if (numberAt<uint16_t>(extra) == kExtra64) {
        const std::byte *value = extra + 4, *const valueEnd = value + size;
        for (uint64_t* field : {&member.bytes, &member.packedBytes, &member.headerAt}) {
          if (*field != kIn64) continue;
          if (valueEnd - value < 8) damaged("lacks its sizes");
          *field = numberAt<uint64_t>(value);
          value += 8;
        }
      }
      extra += 4 + size;
    }
    place += kCentralBytes + nameBytes + extraBytes + commentBytes;
    // Skips a folder.
    if (member.name.ends_with('/')) continue;
    const std::string shown = "member \"" + excerpt(member.name, 100) + "\"";
    if (!names.insert(member.name).second)
      m_file.fail(shown + " occurs twice. The file is damaged; save it again.");
    if ((numberAt<uint16_t>(record + 8) & kEncrypted) != 0)
      m_file.fail(shown + " is encrypted (expected none). Save it without a password.");
    const auto method = numberAt<uint16_t>(record + 10);
    if (method != kStored && method != kDeflated)
      m_file.fail(
          shown +
          " is compressed with an unknown method (expected stored or deflated, got method " +
          std::to_string(method) + "). Save it with numpy.savez.");
    member.isDeflated = method == kDeflated;
    if (!member.isDeflated && member.packedBytes != member.bytes)
      m_file.fail(shown + " is stored, but its two sizes differ (" +
                  std::to_string(member.packedBytes) + " and " + std::to_string(member.bytes) +
                  " bytes). The file is damaged; save it again.");
    m_members.push_back(std::move(member));
  }
  // Without this check, a member that is missing from the directory would go unnoticed.
  const bool isWhole =
      place == directory.size() && directoryAt + bytes == directoryEnd && count == countHere;
  if (!isWhole || (count == 0 && directoryAt > 0))
    m_file.fail("has a damaged directory (" + counted(static_cast<int64_t>(count), "member") +
                " in " + std::to_string(place) + " bytes, expected " +
                counted(static_cast<int64_t>(countHere), "member") + " in the " +
                std::to_string(directoryEnd - directoryAt) +
                " bytes before its end). Save it again.");
}

/// Finds the data of each member after its local header. Members must not overlap.
void ZipReader::readPlaces() {
  std::sort(m_members.begin(), m_members.end(),
            [](const ZipMember& a, const ZipMember& b) { return a.headerAt < b.headerAt; });
  uint64_t free = 0;
  for (ZipMember& member : m_members) {
    const std::string shown = "member \"" + excerpt(member.name, 100) + "\"";
    const auto outside = [&] {
      m_file.fail(shown + " lies outside the file (expected within " +
                  std::to_string(m_file.size()) + " bytes, got byte " +
                  std::to_string(member.headerAt) +
                  "). The file is cut short or damaged; save it again.");
    };
    if (member.headerAt > m_file.size() || m_file.size() - member.headerAt < kLocalBytes) outside();
    std::byte header[kLocalBytes];
    m_file.read(header, kLocalBytes, member.headerAt);
    if (numberAt<uint32_t>(header) != kLocalHeader)
      m_file.fail(shown + " has no header at byte " + std::to_string(member.headerAt) +
                  ". The file is damaged; save it again.");
    std::string ownName(numberAt<uint16_t>(header + 26), '\0');
    if (ownName.size() > m_file.size() - member.headerAt - kLocalBytes) outside();
    m_file.read(ownName.data(), ownName.size(), member.headerAt + kLocalBytes);
    if (ownName != member.name)
      m_file.fail(shown + " is named \"" + excerpt(ownName, 100) +
                  "\" in its own header. The file is damaged; save it again.");
    member.dataAt = member.headerAt + kLocalBytes + numberAt<uint16_t>(header + 26) +
                    numberAt<uint16_t>(header + 28);
    if (member.dataAt > m_file.size() || member.packedBytes > m_file.size() - member.dataAt)
      outside();
    if (member.headerAt < free)
      m_file.fail(shown + " overlaps another. The file is damaged; save it again.");
    free = member.dataAt + member.packedBytes;
    if (member.isDeflated && member.bytes / kMaxDeflateRatio > member.packedBytes)
      m_file.fail(shown + " is too small for its declared size (expected " +
                  std::to_string(member.bytes) + " bytes uncompressed, got " +
                  counted(static_cast<int64_t>(member.packedBytes), "compressed byte") +
                  "). The file is damaged; save it again.");
  }
}

void ZipReader::unpack(const ZipMember& member, uint64_t most, const TakePiece& take) {
  constexpr uint64_t kPiece = uint64_t{1} << 20;
  const uint64_t wanted = std::min(member.bytes, most);
  std::vector<std::byte> piece(std::min(wanted, kPiece));
  if (!member.isDeflated) {
    for (uint64_t done = 0; done < wanted; done += piece.size()) {
      piece.resize(std::min<uint64_t>(piece.size(), wanted - done));
      m_file.read(piece.data(), piece.size(), member.dataAt + done);
      take(piece);
    }
    return;
  }
  std::vector<std::byte> packed(std::min(member.packedBytes, kPiece));
  Inflater inflater;
  z_stream& stream = inflater.stream;
  uint64_t read = 0, done = 0;
  int state = Z_OK;
  std::byte nothing{};
  while (done < wanted || state != Z_STREAM_END) {
    if (stream.avail_in == 0 && read < member.packedBytes) {
      const uint64_t size = std::min<uint64_t>(packed.size(), member.packedBytes - read);
      m_file.read(packed.data(), size, member.dataAt + read);
      read += size;
      stream.next_in = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_in = static_cast<uInt>(size);
    }
    const uint64_t room = std::min<uint64_t>(piece.size(), wanted - done);
    stream.next_out = reinterpret_cast<Bytef*>(room > 0 ? piece.data() : &nothing);
    stream.avail_out = room > 0 ? static_cast<uInt>(room) : 1;
    const uInt before = stream.avail_out;
    state = ::inflate(&stream, Z_NO_FLUSH);
    const uInt made = before - stream.avail_out;
    if (room == 0 && made > 0) {
      // The caller requested only the beginning.
      if (wanted < member.bytes) return;
      m_file.fail("member \"" + excerpt(member.name, 100) +
                  "\" is larger than its declared size (" + std::to_string(member.bytes) +
                  " bytes). The file is damaged; save it again.");
    }
    if (room > 0 && made > 0) take(std::span<const std::byte>(piece.data(), made));
    done += room > 0 ? made : 0;
    const bool isStarved = made == 0 && stream.avail_in == 0 && read == member.packedBytes;
    if ((state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) ||
        (state == Z_STREAM_END && done < wanted) || (state != Z_STREAM_END && isStarved))
      m_file.fail("member \"" + excerpt(member.name, 100) + "\" cannot be unpacked after byte " +
                  std::to_string(done) + (stream.msg ? std::string(" (") + stream.msg + ")" : "") +
                  ". The file is damaged; save it again.");
  }
}

std::vector<std::byte> ZipReader::beginning(const ZipMember& member, uint64_t most) {
  std::vector<std::byte> result;
  unpack(member, most, [&](std::span<const std::byte> piece) {
    result.insert(result.end(), piece.begin(), piece.end());
  });
  return result;
}

void ZipReader::eachPiece(const ZipMember& member, const TakePiece& take) {
  uint32_t crc = 0;
  unpack(member, UINT64_MAX, [&](std::span<const std::byte> piece) {
    crc = crcOf(crc, piece.data(), piece.size());
    take(piece);
  });
  if (crc != member.crc)
    m_file.fail("member \"" + excerpt(member.name, 100) +
                "\" is damaged (its CRC differs from its content). Copy or save it again.");
}

std::vector<std::byte> ZipReader::read(const ZipMember& member) {
  // A few compressed bytes may expand to many, so the declared size is compared with the memory.
  if (member.bytes > availableMemoryBytes() / 3)
    throw Error(ErrorCode::OutOfMemory, m_file.path(),
                "member \"" + excerpt(member.name, 100) + "\" does not fit into memory (it has " +
                    std::to_string(member.bytes) +
                    " bytes, available: " + std::to_string(availableMemoryBytes()) +
                    "). Save a part of it, or use a smaller number type.");
  std::vector<std::byte> result;
  result.reserve(member.bytes);
  eachPiece(member, [&](std::span<const std::byte> piece) {
    result.insert(result.end(), piece.begin(), piece.end());
  });
  return result;
}

void ZipWriter::write(std::string_view bytes) {
  m_file.write(bytes);
  m_position += bytes.size();
}

void ZipWriter::add(const std::string& name, std::string_view head, uint64_t bytes,
                    const std::function<void(const ZipReader::TakePiece&)>& data) {
  ZipMember member;
  member.name = name;
  member.headerAt = m_position;
  member.bytes = member.packedBytes = head.size() + bytes;
  member.crc = crcOf(0, reinterpret_cast<const std::byte*>(head.data()), head.size());
  data([&](std::span<const std::byte> piece) {
    member.crc = crcOf(member.crc, piece.data(), piece.size());
  });
  const bool isBig = member.bytes >= kIn64;
  std::string header;
  appendNumber(header, kLocalHeader);
  appendNumber(header, static_cast<uint16_t>(isBig ? 45 : 20));
  appendNumber(header, kUtf8);
  appendNumber(header, kStored);
  appendNumber(header, uint16_t{0});
  appendNumber(header, kFirstOfJanuary1980);
  appendNumber(header, member.crc);
  const uint32_t shown = isBig ? kIn64 : static_cast<uint32_t>(member.bytes);
  appendNumber(header, shown);
  appendNumber(header, shown);
  appendNumber(header, static_cast<uint16_t>(name.size()));
  appendNumber(header, static_cast<uint16_t>(isBig ? 20 : 0));
  header += name;
  if (isBig) {
    appendNumber(header, kExtra64);
    appendNumber(header, uint16_t{16});
    appendNumber(header, member.bytes);
    appendNumber(header, member.bytes);
  }
  write(header);
  write(head);
  data([&](std::span<const std::byte> piece) { m_file.write(piece); });
  m_position += bytes;
  m_members.push_back(std::move(member));
}

void ZipWriter::finish(const std::string& comment, bool isDurable) {
  const uint64_t directoryAt = m_position;
  for (const ZipMember& member : m_members) {
    std::string extra;
    const bool isBig = member.bytes >= kIn64, isFar = member.headerAt >= kIn64;
    if (isBig || isFar) {
      appendNumber(extra, kExtra64);
      appendNumber(extra, static_cast<uint16_t>((isBig ? 16 : 0) + (isFar ? 8 : 0)));
      if (isBig) {
        appendNumber(extra, member.bytes);
        appendNumber(extra, member.bytes);
      }
      if (isFar) appendNumber(extra, member.headerAt);
    }
    const auto version = static_cast<uint16_t>(isBig || isFar ? 45 : 20);
    const uint32_t shown = isBig ? kIn64 : static_cast<uint32_t>(member.bytes);
    std::string record;
    appendNumber(record, kCentralHeader);
    appendNumber(record, version);
    appendNumber(record, version);
    appendNumber(record, kUtf8);
    appendNumber(record, kStored);
    appendNumber(record, uint16_t{0});
    appendNumber(record, kFirstOfJanuary1980);
    appendNumber(record, member.crc);
    appendNumber(record, shown);
    appendNumber(record, shown);
    appendNumber(record, static_cast<uint16_t>(member.name.size()));
    appendNumber(record, static_cast<uint16_t>(extra.size()));
    // These fields are zero: comment length, disk number and attributes.
    record.append(10, '\0');
    appendNumber(record, isFar ? kIn64 : static_cast<uint32_t>(member.headerAt));
    write(record + member.name + extra);
  }
  const uint64_t directoryBytes = m_position - directoryAt, count = m_members.size();
  const bool is64 = count >= 0xFFFF || directoryAt >= kIn64 || directoryBytes >= kIn64;
  std::string end;
  if (is64) {
    appendNumber(end, kEndOfDirectory64);
    appendNumber(end, uint64_t{kEnd64Bytes - 12});
    appendNumber(end, uint16_t{45});
    appendNumber(end, uint16_t{45});
    // Disk numbers
    appendNumber(end, uint64_t{0});
    appendNumber(end, count);
    appendNumber(end, count);
    appendNumber(end, directoryBytes);
    appendNumber(end, directoryAt);
    appendNumber(end, kLocator64);
    appendNumber(end, uint32_t{0});
    appendNumber(end, m_position);
    appendNumber(end, uint32_t{1});
  }
  appendNumber(end, kEndOfDirectory);
  // Disk numbers
  appendNumber(end, uint32_t{0});
  const auto count16 = static_cast<uint16_t>(is64 ? 0xFFFF : count);
  appendNumber(end, count16);
  appendNumber(end, count16);
  appendNumber(end, is64 ? kIn64 : static_cast<uint32_t>(directoryBytes));
  appendNumber(end, is64 ? kIn64 : static_cast<uint32_t>(directoryAt));
  appendNumber(end, static_cast<uint16_t>(comment.size()));
  write(end + comment);
  m_file.commit(isDurable);
}

}  // namespace strata

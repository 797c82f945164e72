// SPDX-License-Identifier: Apache-2.0
#include "core/data/idx.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "core/data/gzip_file.h"
#include "core/data/source.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata {

namespace {

struct Kind {
  uint8_t code;
  int bytes;
  DType dtype;
};
constexpr std::array<Kind, 6> kKinds{{{0x08, 1, DType::U8},
                                      {0x09, 1, DType::I32},
                                      {0x0B, 2, DType::I32},
                                      {0x0C, 4, DType::I32},
                                      {0x0D, 4, DType::F32},
                                      {0x0E, 8, DType::F64}}};

// Deflate compresses at most 1032 bytes into one byte.
constexpr uint64_t kMaxGzipRatio = 1032;

constexpr uint64_t kPieceBytes = uint64_t{1} << 20;
// If a compressed file declares more bytes of data than this, the file is first decompressed once
// to check its size. Only then is memory allocated.
constexpr uint64_t kBelievedBytes = uint64_t{64} << 20;

class IdxReader {
 public:
  explicit IdxReader(const std::string& path, bool takesPart = false)
      : m_path(path), m_takesPart(takesPart), m_file(path) {}

  TensorType readHead() {
    std::array<unsigned char, 4> magic{};
    if (const uint64_t got = read(magic.data(), 4); got < 4)
      fail("ends at byte " + std::to_string(got) +
           " (expected a header of at least 8 bytes). The file is cut short; download it again.");
    if (magic[0] != 0 || magic[1] != 0)
      fail("is not an IDX file (expected two zero bytes at byte 0). Choose another file.");
    for (const Kind& kind : kKinds)
      if (kind.code == magic[2]) m_kind = &kind;
    if (!m_kind)
      fail("has an unknown element type at byte 2 (expected 8, 9, 11, 12, 13 or 14, got " +
           std::to_string(magic[2]) + "). The file is damaged; download it again.");
    const int rank = magic[3];
    if (rank < 1 || rank > kMaxRank)
      fail("has a wrong number of dimensions at byte 3 (expected 1 to " + std::to_string(kMaxRank) +
           ", got " + std::to_string(rank) + "). The file is damaged; download it again.");
    m_type = TensorType{m_kind->dtype, {}};
    m_dataBytes = static_cast<uint64_t>(m_kind->bytes);
    for (int i = 0; i < rank; ++i) {
      std::array<unsigned char, 4> size{};
      const uint64_t at = 4 + 4 * static_cast<uint64_t>(i);
      if (const uint64_t got = read(size.data(), 4); got < 4)
        fail("ends at byte " + std::to_string(at + got) + " (expected a header of " +
             std::to_string(4 + 4 * rank) + " bytes). The file is cut short; download it again.");
      const uint64_t dim = uint64_t{size[0]} << 24 | uint64_t{size[1]} << 16 |
                           uint64_t{size[2]} << 8 | uint64_t{size[3]};
      if (__builtin_mul_overflow(m_dataBytes, dim, &m_dataBytes))
        fail("declares more elements than any memory holds (byte " + std::to_string(at) +
             "). The file is damaged; download it again.");
      m_type.shape.append(static_cast<int64_t>(dim));
    }
    m_headBytes = 4 + 4 * static_cast<uint64_t>(rank);
    const uint64_t there = m_file.file().size(), most = isPacked() ? there * kMaxGzipRatio : there;
    if (!m_takesPart && (m_dataBytes > most || m_headBytes > most - m_dataBytes))
      failShort(isPacked() ? 0 : there);
    return m_type;
  }

  bool isPacked() const { return m_file.isPacked(); }
  uint64_t dataBytes() const { return m_dataBytes; }
  const TensorType& type() const { return m_type; }

  /// Checks the data after the header. The file must have the declared length, and compressed data
  /// must be undamaged.
  void checkData() {
    if (!isPacked() && m_file.file().size() == m_headBytes + m_dataBytes) return;
    eachPiece(m_dataBytes, [](std::span<const unsigned char>) {});
    requireEnd();
  }

  Tensor readData() {
    Tensor result = readElements(m_type);
    requireEnd();
    return result;
  }

  void eachElements(const std::function<void(const Tensor&)>& take) {
    eachPiece(m_dataBytes, [&](std::span<const unsigned char> piece) {
      const auto width = static_cast<size_t>(m_kind->bytes);
      Tensor elements(m_type.dtype, Shape{static_cast<int64_t>(piece.size() / width)});
      convert(piece, elements.data());
      take(elements);
    });
    requireEnd();
  }

  /// Reads the data and returns its number of bytes, but at most the number that the header
  /// declares.
  uint64_t countData() {
    std::vector<unsigned char> piece(kPieceBytes);
    uint64_t count = 0;
    while (count < m_dataBytes) {
      const uint64_t wanted = std::min(kPieceBytes, m_dataBytes - count),
                     got = read(piece.data(), wanted);
      count += got;
      if (got < wanted) break;
    }
    return count;
  }

  /// Reads the complete samples of a file that may be truncated. `there` is the result of
  /// countData() of another reader.
  IdxPart readPart(uint64_t there) {
    IdxPart part{{}, m_type.shape[0], {}};
    if (there >= m_dataBytes) {
      part.samples = readData();
      return part;
    }
    const uint64_t whole = there / (m_dataBytes / static_cast<uint64_t>(part.expected));
    if (whole == 0) failShort(m_headBytes + there);
    TensorType type = m_type;
    type.shape.set(0, static_cast<int64_t>(whole));
    part.lost = shortage(m_headBytes + there);
    part.samples = readElements(type);
    return part;
  }

 private:
  /// Reads the next `bytes` bytes in pieces of whole elements. Fails if there are fewer bytes.
  template <class Take>
  void eachPiece(uint64_t bytes, Take&& take) {
    std::vector<unsigned char> piece(std::min(bytes, kPieceBytes));
    for (uint64_t done = 0; done < bytes;) {
      const uint64_t size = std::min<uint64_t>(piece.size(), bytes - done);
      if (read(piece.data(), size) < size) failShort(m_position);
      take(std::span<const unsigned char>(piece.data(), size));
      done += size;
    }
  }

  Tensor readElements(const TensorType& type) {
    Tensor result(type);
    std::byte* to = result.data();
    const auto width = static_cast<uint64_t>(m_kind->bytes);
    eachPiece(static_cast<uint64_t>(type.shape.numElements()) * width,
              [&](std::span<const unsigned char> piece) {
                convert(piece, to);
                to += piece.size() / width * dtypeBytes(type.dtype);
              });
    return result;
  }

  /// Converts elements of the file to elements of m_type.
  void convert(std::span<const unsigned char> from, std::byte* to) const {
    const auto width = static_cast<size_t>(m_kind->bytes);
    if (width < dtypeBytes(m_type.dtype)) {
      for (size_t i = 0; i < from.size(); i += width, to += sizeof(int32_t)) {
        const int32_t value = width == 1 ? static_cast<int8_t>(from[i])
                                         : static_cast<int16_t>(from[i] << 8 | from[i + 1]);
        std::memcpy(to, &value, sizeof value);
      }
      return;
    }
    std::memcpy(to, from.data(), from.size());
    if (width == 1 || std::endian::native == std::endian::big) return;
    for (std::byte* p = to; p != to + from.size(); p += width)
      std::reverse(p, p + width);
  }

  void requireEnd() {
    unsigned char extra = 0;
    if (read(&extra, 1) != 0)
      fail("is longer than its header says (expected " + std::to_string(m_headBytes + m_dataBytes) +
           " bytes uncompressed, got more). The file is damaged; download it again.");
    if (m_file.endsEarly())
      fail(
          "is cut short in the last 8 bytes of its compressed data (expected a checksum and a "
          "length). Download it again.");
  }
  uint64_t read(unsigned char* to, uint64_t bytes) {
    const uint64_t got = m_file.read(to, bytes);
    m_position += got;
    return got;
  }
  [[noreturn]] void failShort(uint64_t found) const {
    if (isPacked() && found == 0)
      fail("is too small for what its header says (expected " +
           std::to_string(m_headBytes + m_dataBytes) + " bytes uncompressed, got a file of " +
           std::to_string(m_file.file().size()) +
           " compressed bytes). The file is cut short or damaged; download it again.");
    fail(shortage(found) + ". Download it again.");
  }
  std::string shortage(uint64_t found) const {
    return "is cut short (expected " + std::to_string(m_headBytes + m_dataBytes) + " bytes" +
           (isPacked() ? " unpacked" : "") + ", got " + std::to_string(found) + ")";
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::InvalidFile, m_path, message);
  }

  const std::string m_path;
  const bool m_takesPart;
  GzipFile m_file;
  const Kind* m_kind = nullptr;
  TensorType m_type;
  uint64_t m_headBytes = 0, m_dataBytes = 0, m_position = 0;
};

}  // namespace

TensorType readIdxType(const std::string& path, bool mayBeCut) {
  return IdxReader(path, mayBeCut).readHead();
}

TensorType checkIdx(const std::string& path) {
  struct Known {
    std::string state;
    TensorType type;
    std::optional<Error> problem;
  };
  static std::mutex mutex;
  static std::map<std::string, Known> cache;
  IdxReader reader(path);
  Known known{fileState(path), reader.readHead(), std::nullopt};
  // The result is cached, because decompressing takes time and a project is checked after every
  // edit.
  if (reader.isPacked()) {
    const std::lock_guard lock(mutex);
    if (const auto found = cache.find(path);
        found != cache.end() && found->second.state == known.state) {
      if (found->second.problem) throw *found->second.problem;
      return found->second.type;
    }
  }
  try {
    reader.checkData();
  }
  catch (const Error& error) {
    if (error.code() != ErrorCode::InvalidFile) throw;
    known.problem = error;
  }
  namespace fs = std::filesystem;
  // The result is not stored if the file is recent, because another change at the same clock time
  // would go unnoticed.
  std::error_code ignored;
  if (reader.isPacked() && fs::file_time_type::clock::now() - fs::last_write_time(path, ignored) >
                               std::chrono::seconds(2)) {
    const std::lock_guard lock(mutex);
    cache[path] = known;
  }
  if (known.problem) throw *known.problem;
  return known.type;
}

Tensor readIdx(const std::string& path) {
  IdxReader reader(path);
  reader.readHead();
  if (reader.isPacked() && reader.dataBytes() > kBelievedBytes) checkIdx(path);
  if (const size_t bytes = reader.type().bytes(), free = availableMemoryBytes(); bytes > free)
    throw Error(ErrorCode::OutOfMemory, path,
                "does not fit into memory (it needs " + std::to_string(bytes) +
                    " bytes, available: " + std::to_string(free) + "). Save a part of it.");
  return reader.readData();
}

void eachOfIdx(const std::string& path, const std::function<void(const Tensor&)>& take) {
  IdxReader reader(path);
  reader.readHead();
  reader.eachElements(take);
}

IdxPart readIdxPart(const std::string& path) {
  IdxReader counter(path, true), reader(path, true);
  counter.readHead();
  reader.readHead();
  return reader.readPart(counter.countData());
}

}  // namespace strata

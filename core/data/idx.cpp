// SPDX-License-Identifier: Apache-2.0
#include "core/data/idx.h"

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>

#include <sys/stat.h>
#include <zlib.h>

#include "gpu/base/error.h"

namespace strata {

namespace {

struct CloseGz {
  void operator()(gzFile file) const { ::gzclose(file); }
};

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

// Deflate cannot pack more than 1032 bytes into one.
constexpr uint64_t kMostInflation = 1032;

class IdxReader {
 public:
  explicit IdxReader(const std::string& path, bool takesPart = false) : m_path(path), m_takesPart(takesPart) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0)
      fail("cannot be opened (" + std::generic_category().message(errno) + "). Check the name and that you may read it.");
    if (!S_ISREG(status.st_mode)) fail("is not a file. Name an IDX file.");
    m_fileBytes = static_cast<uint64_t>(status.st_size);
    m_file.reset(::gzopen(path.c_str(), "rb"));
    if (!m_file) ioFail(errno != 0 ? errno : ENOMEM);
    ::gzbuffer(m_file.get(), 1u << 18);
  }

  TensorType readHead() {
    std::array<unsigned char, 4> magic{};
    if (const uint64_t got = read(magic.data(), 4); got < 4)
      fail("ends at byte " + std::to_string(got) + " (expected a head of at least 8 bytes). The file is cut short; download it again.");
    if (magic[0] != 0 || magic[1] != 0) fail("does not start as an IDX file (expected two zero bytes at byte 0). Name another file.");
    for (const Kind& kind : kKinds)
      if (kind.code == magic[2]) m_kind = &kind;
    if (!m_kind)
      fail("has an unknown element type at byte 2 (expected 8, 9, 11, 12, 13 or 14, got " + std::to_string(magic[2]) +
           "). The file is damaged; download it again.");
    const int rank = magic[3];
    if (rank < 1 || rank > kMaxRank)
      fail("has a wrong number of dimensions at byte 3 (expected 1 to " + std::to_string(kMaxRank) + ", got " + std::to_string(rank) +
           "). The file is damaged; download it again.");
    TensorType type{m_kind->dtype, {}};
    m_dataBytes = static_cast<uint64_t>(m_kind->bytes);
    for (int i = 0; i < rank; ++i) {
      std::array<unsigned char, 4> size{};
      const uint64_t at = 4 + 4 * static_cast<uint64_t>(i);
      if (const uint64_t got = read(size.data(), 4); got < 4)
        fail("ends at byte " + std::to_string(at + got) + " (expected a head of " + std::to_string(4 + 4 * rank) +
             " bytes). The file is cut short; download it again.");
      const uint64_t dim = uint64_t{size[0]} << 24 | uint64_t{size[1]} << 16 | uint64_t{size[2]} << 8 | uint64_t{size[3]};
      if (__builtin_mul_overflow(m_dataBytes, dim, &m_dataBytes))
        fail("claims more elements than any memory holds (byte " + std::to_string(at) + "). The file is damaged; download it again.");
      type.shape.append(static_cast<int64_t>(dim));
    }
    m_headBytes = 4 + 4 * static_cast<uint64_t>(rank);
    const bool isPacked = m_isPacked = ::gzdirect(m_file.get()) == 0;
    const uint64_t most = isPacked ? m_fileBytes * kMostInflation : m_fileBytes;
    if (!m_takesPart && (m_dataBytes > most || m_headBytes > most - m_dataBytes)) failShort(isPacked ? 0 : m_fileBytes, isPacked);
    return type;
  }

  /// Whole by the count of bytes that the file itself keeps? A packed one ends with it; of several packed parts it is that of the last.
  bool isWhole() {
    const uint64_t expected = m_headBytes + m_dataBytes;
    if (!m_isPacked) return m_fileBytes == expected;
    std::array<unsigned char, 4> end{};
    std::ifstream file(m_path, std::ios::binary);
    file.seekg(-4, std::ios::end);
    if (!file.read(reinterpret_cast<char*>(end.data()), 4)) return false;
    return (uint32_t{end[3]} << 24 | uint32_t{end[2]} << 16 | uint32_t{end[1]} << 8 | uint32_t{end[0]}) == static_cast<uint32_t>(expected);
  }

  Tensor readData(const TensorType& type) {
    Tensor result(type);
    if (m_kind->bytes == static_cast<int>(dtypeBytes(type.dtype))) {
      readExactly(reinterpret_cast<unsigned char*>(result.data()), m_dataBytes);
      swapBytes(result);
    } else {
      std::vector<unsigned char> bytes(m_dataBytes);
      readExactly(bytes.data(), m_dataBytes);
      result = tensorOf(type, bytes);
    }
    requireEnd();
    return result;
  }

  IdxPart readPart(const TensorType& type) {
    constexpr uint64_t kPiece = uint64_t{1} << 24;  // what the head claims is not believed
    std::vector<unsigned char> bytes;
    for (uint64_t got = 0; bytes.size() < m_dataBytes;) {
      const uint64_t before = bytes.size(), piece = std::min(kPiece, m_dataBytes - before);
      bytes.resize(before + piece);
      got = read(bytes.data() + before, piece);
      bytes.resize(before + got);
      if (got < piece) break;
    }
    IdxPart part{{}, type.shape[0], {}};
    TensorType there = type;
    if (bytes.size() < m_dataBytes) {
      const bool isPacked = ::gzdirect(m_file.get()) == 0;
      const uint64_t whole = bytes.size() / (m_dataBytes / static_cast<uint64_t>(part.expected));
      if (whole == 0) failShort(m_position, isPacked);
      there.shape.set(0, static_cast<int64_t>(whole));
      part.lost = shortage(m_position, isPacked);
    } else {
      requireEnd();
    }
    part.samples = tensorOf(there, bytes);
    return part;
  }

 private:
  /// Elements of the file, of which `bytes` holds at least as many as the type has.
  Tensor tensorOf(const TensorType& type, const std::vector<unsigned char>& bytes) const {
    Tensor result(type);
    if (m_kind->bytes == static_cast<int>(dtypeBytes(type.dtype))) {
      std::memcpy(result.data(), bytes.data(), result.bytes());
      swapBytes(result);
      return result;
    }
    auto values = result.as<int32_t>();
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = m_kind->bytes == 1 ? static_cast<int8_t>(bytes[i]) : static_cast<int16_t>(bytes[2 * i] << 8 | bytes[2 * i + 1]);
    return result;
  }
  void requireEnd() {
    unsigned char extra = 0;
    if (read(&extra, 1) != 0)
      fail("is longer than its head says (expected " + std::to_string(m_headBytes + m_dataBytes) +
           " bytes unpacked, found more). The file is damaged; download it again.");
  }
  uint64_t read(unsigned char* to, uint64_t bytes) {
    uint64_t done = 0;
    while (done < bytes) {
      const unsigned piece = static_cast<unsigned>(std::min<uint64_t>(bytes - done, 1u << 30));
      const int got = ::gzread(m_file.get(), to + done, piece);
      if (got < 0) {
        int code = Z_OK;
        const std::string text = ::gzerror(m_file.get(), &code);
        if (code == Z_ERRNO) ioFail(errno);
        // A gzip stream that ends early answers Z_BUF_ERROR: what was read stands, and the count tells.
        if (code == Z_BUF_ERROR) break;
        fail("is damaged after byte " + std::to_string(m_position + done) + " of what it unpacks to (" + text + "). Download it again.");
      }
      if (got == 0) break;
      done += static_cast<uint64_t>(got);
    }
    m_position += done;
    return done;
  }
  void readExactly(unsigned char* to, uint64_t bytes) {
    if (read(to, bytes) < bytes) failShort(m_position, ::gzdirect(m_file.get()) == 0);
  }
  void swapBytes(Tensor& tensor) const {
    const size_t width = static_cast<size_t>(m_kind->bytes);
    if (width == 1 || std::endian::native == std::endian::big) return;
    for (std::byte* p = tensor.data(); p != tensor.data() + tensor.bytes(); p += width) std::reverse(p, p + width);
  }
  [[noreturn]] void failShort(uint64_t found, bool isPacked) const {
    if (isPacked && found == 0)
      fail("cannot hold what its head says (expected " + std::to_string(m_headBytes + m_dataBytes) + " bytes unpacked, got a file of " +
           std::to_string(m_fileBytes) + " packed bytes). The file is cut short or damaged; download it again.");
    fail(shortage(found, isPacked) + ". Download it again.");
  }
  std::string shortage(uint64_t found, bool isPacked) const {
    return "is cut short (expected " + std::to_string(m_headBytes + m_dataBytes) + " bytes" + (isPacked ? " unpacked" : "") + ", got " +
           std::to_string(found) + ")";
  }
  [[noreturn]] void fail(const std::string& message) const { throw Error(ErrorCode::InvalidFile, m_path, message); }
  [[noreturn]] void ioFail(int number) const {
    throw Error(ErrorCode::IoFailure, m_path,
                "cannot be read (" + std::generic_category().message(number) + "). Check the name and that you may read it.");
  }

  const std::string m_path;
  const bool m_takesPart;
  std::unique_ptr<gzFile_s, CloseGz> m_file;
  const Kind* m_kind = nullptr;
  bool m_isPacked = false;
  uint64_t m_fileBytes = 0, m_headBytes = 0, m_dataBytes = 0, m_position = 0;
};

}  // namespace

TensorType readIdxType(const std::string& path) { return IdxReader(path).readHead(); }

TensorType checkIdx(const std::string& path) {
  IdxReader reader(path);
  const TensorType type = reader.readHead();
  if (!reader.isWhole()) reader.readData(type);
  return type;
}

Tensor readIdx(const std::string& path) {
  IdxReader reader(path);
  const TensorType type = reader.readHead();
  return reader.readData(type);
}

IdxPart readIdxPart(const std::string& path) {
  IdxReader reader(path, true);
  const TensorType type = reader.readHead();
  return reader.readPart(type);
}

}  // namespace strata

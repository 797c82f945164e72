// SPDX-License-Identifier: Apache-2.0
#include "core/data/gzip_file.h"

#include <algorithm>
#include <array>
#include <new>
#include <vector>

#include <zlib.h>

#include "gpu/base/error.h"

namespace strata {

struct GzipFile::Stream {
  Stream() {
    // Adding 16 selects the gzip format. zlib then checks CRC and length.
    if (::inflateInit2(&zlib, MAX_WBITS + 16) != Z_OK) throw std::bad_alloc();
  }
  ~Stream() { ::inflateEnd(&zlib); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  z_stream zlib{};
  std::vector<std::byte> packed = std::vector<std::byte>(size_t{1} << 18);
};

GzipFile::GzipFile(const std::string& path) : m_file(path) {
  std::array<std::byte, 2> magic{};
  if (m_file.size() < magic.size()) return;
  m_file.read(magic.data(), magic.size(), 0);
  if (magic[0] == std::byte{0x1f} && magic[1] == std::byte{0x8b})
    m_stream = std::make_unique<Stream>();
}

GzipFile::~GzipFile() = default;

/// Reads more compressed bytes if zlib has used all. Returns false if none are left in the file.
bool GzipFile::fill() {
  z_stream& zlib = m_stream->zlib;
  if (zlib.avail_in > 0) return true;
  const uint64_t piece = std::min<uint64_t>(m_stream->packed.size(), m_file.size() - m_taken);
  if (piece == 0) return false;
  m_file.read(m_stream->packed.data(), piece, m_taken);
  m_taken += piece;
  zlib.next_in = reinterpret_cast<Bytef*>(m_stream->packed.data());
  zlib.avail_in = static_cast<uInt>(piece);
  return true;
}

uint64_t GzipFile::readPacked(std::byte* target, uint64_t bytes) {
  z_stream& zlib = m_stream->zlib;
  uint64_t done = 0;
  while (done < bytes) {
    if (!fill()) {
      m_endsEarly = !m_isBetweenMembers;
      break;
    }
    if (m_isBetweenMembers) {
      if (*zlib.next_in != 0x1f)
        m_file.fail("has other data after its compressed data (expected " +
                    std::to_string(m_taken - zlib.avail_in) + " bytes, got " +
                    std::to_string(m_file.size()) + "). The file is damaged; download it again.");
      ::inflateReset(&zlib);
      m_isBetweenMembers = false;
    }
    const auto room = static_cast<uInt>(std::min<uint64_t>(bytes - done, 1u << 30));
    zlib.next_out = reinterpret_cast<Bytef*>(target + done);
    zlib.avail_out = room;
    const int state = ::inflate(&zlib, Z_NO_FLUSH);
    done += room - zlib.avail_out;
    m_isBetweenMembers = state == Z_STREAM_END;
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR)
      m_file.fail("is damaged after byte " + std::to_string(m_given + done) +
                  " of its uncompressed data (" + (zlib.msg ? zlib.msg : "unknown compression") +
                  "). Download it again.");
  }
  return done;
}

uint64_t GzipFile::read(void* target, uint64_t bytes) {
  uint64_t done = 0;
  if (isPacked()) {
    done = readPacked(static_cast<std::byte*>(target), bytes);
  }
  else {
    done = std::min(bytes, m_file.size() - m_taken);
    m_file.read(target, done, m_taken);
    m_taken += done;
  }
  m_given += done;
  return done;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/repair.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <stdexcept>
#include <vector>

#include <zlib.h>

#include "core/interchange/safetensors.h"
#include "gpu/base/error.h"
#include "tests/fuzz/target.h"
#include "tests/support/paths.h"

namespace strata::fuzz {

namespace {

constexpr size_t kMaxUnpacked = size_t{16} << 20;
constexpr int kGzip = 16 + MAX_WBITS, kRaw = -MAX_WBITS;

std::string packed(const std::string& bytes, int level, int window) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string result(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  ::deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  ::deflateEnd(&stream);
  return result;
}

/// Decompresses the bytes up to the first error or to kMaxUnpacked.
std::string unpacked(const char* bytes, size_t size, int window) {
  z_stream stream{};
  if (inflateInit2(&stream, window) != Z_OK) throw std::bad_alloc();
  std::string result;
  std::vector<char> piece(size_t{64} << 10);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes));
  stream.avail_in = static_cast<uInt>(size);
  int state = Z_OK;
  while (state == Z_OK && result.size() < kMaxUnpacked) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    state = ::inflate(&stream, Z_NO_FLUSH);
    result.append(piece.data(), piece.size() - stream.avail_out);
  }
  ::inflateEnd(&stream);
  return result;
}

uint32_t crcOf(const char* bytes, size_t size) {
  return static_cast<uint32_t>(
      ::crc32(0, reinterpret_cast<const Bytef*>(bytes), static_cast<uInt>(size)));
}

uint64_t numberAt(const std::string& bytes, size_t at, size_t width) {
  uint64_t value = 0;
  for (size_t i = 0; i < width && at + i < bytes.size(); ++i)
    value |= uint64_t{static_cast<unsigned char>(bytes[at + i])} << (8 * i);
  return value;
}

void putNumber(std::string& bytes, size_t at, uint32_t value) {
  for (size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<char>(value >> (8 * i) & 255);
}

}  // namespace

std::string gzipOf(const std::string& bytes, int level) { return packed(bytes, level, kGzip); }
std::string deflated(const std::string& bytes) { return packed(bytes, 6, kRaw); }

std::string repairGzip(const std::string& file) {
  return gzipOf(unpacked(file.data(), file.size(), kGzip), 1);
}

std::string repairZip(const std::string& file) {
  std::string result = file;
  for (size_t record = result.find("PK\1\2"); record != std::string::npos;
       record = result.find("PK\1\2", record + 4)) {
    const size_t header = numberAt(result, record + 42, 4);
    if (header >= result.size()) continue;
    const size_t data =
        header + 30 + numberAt(result, header + 26, 2) + numberAt(result, header + 28, 2);
    if (data > result.size()) continue;
    const size_t size = std::min<size_t>(numberAt(result, record + 20, 4), result.size() - data);
    uint32_t crc = crcOf(result.data() + data, size);
    if (numberAt(result, record + 10, 2) == 8) {
      const std::string inside = unpacked(result.data() + data, size, kRaw);
      crc = crcOf(inside.data(), inside.size());
    }
    putNumber(result, record + 16, crc);
    putNumber(result, header + 14, crc);
  }
  return result;
}

std::string repairPng(const std::string& file) {
  std::string result = file;
  size_t at = 8;
  while (at + 12 <= result.size()) {
    uint64_t length = 0;
    for (size_t i = 0; i < 4; ++i)
      length = length << 8 | static_cast<unsigned char>(result[at + i]);
    if (length > result.size() - at - 12) break;
    const uint32_t crc = crcOf(result.data() + at + 4, length + 4);
    for (size_t i = 0; i < 4; ++i)
      result[at + 8 + length + i] = static_cast<char>(crc >> (24 - 8 * i) & 255);
    at += 12 + length;
  }
  return result;
}

// The hash is computed as in core/train/checkpoint.cpp.
std::string repairCheckpoint(const std::string& file) {
  const std::string key = "\"hash\":\"";
  const size_t at = file.find(key);
  if (at == std::string::npos || at + key.size() + 32 > file.size()) return file;
  const TemporaryFolder folder;
  const Mutant written(file, "", 0, folder.path());
  try {
    const TensorFile read = readSafetensors(written.put("checkpoint"));
    std::string text;
    for (const auto& [name, value] : read.metadata)
      if (name != "hash") text += name + "=" + value + "\n";
    std::map<std::string, Tensor> metadata;
    metadata.emplace("metadata",
                     Tensor::from<uint8_t>(
                         Shape{static_cast<int64_t>(text.size())},
                         std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size())));
    std::string result = file;
    result.replace(at + key.size(), 32, weightsHash(read.tensors) + weightsHash(metadata));
    return result;
  }
  catch (const Error&) {
    return file;
  }
}

}  // namespace strata::fuzz

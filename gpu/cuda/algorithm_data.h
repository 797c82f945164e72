// SPDX-License-Identifier: Apache-2.0
// The settings of an algorithm as its library keeps them, as text (gpu/exec/variant_text.h). Only
// the same version of the library can use them.
// Thread: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace strata::cuda {

/// Returns "130100:0a1b..." for these bytes of version 130100.
inline std::string printAlgorithmData(uint64_t version, const void* bytes, size_t count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string result = std::to_string(version) + ":";
  for (size_t i = 0; i < count; ++i) {
    const unsigned byte = static_cast<const unsigned char*>(bytes)[i];
    result += kDigits[byte >> 4];
    result += kDigits[byte & 15];
  }
  return result;
}

/// Reads exactly `count` bytes of this version. Returns false if the text has something else.
inline bool readAlgorithmData(std::string_view text, uint64_t version, void* bytes, size_t count) {
  const std::string begin = std::to_string(version) + ":";
  if (!text.starts_with(begin) || text.size() != begin.size() + 2 * count) return false;
  text.remove_prefix(begin.size());
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  for (size_t i = 0; i < count; ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    static_cast<unsigned char*>(bytes)[i] = static_cast<unsigned char>(16 * high + low);
  }
  return true;
}

}  // namespace strata::cuda

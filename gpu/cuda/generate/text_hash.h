// SPDX-License-Identifier: Apache-2.0
// A hash of texts, for names of generated kernels and their files. It is the same in every process.
// Thread: pure functions.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace strata::cuda {

/// FNV-1a of 64 bits.
inline uint64_t hashBytes(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (const char byte : bytes)
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return hash;
}
inline std::string hashText(std::string_view bytes) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hashBytes(bytes)));
  return text;
}

}  // namespace strata::cuda

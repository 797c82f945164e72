// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/utf8.h"

namespace strata {

size_t utf8Length(std::string_view text, size_t p) {
  const auto byte = [&](size_t i) {
    return p + i < text.size() ? static_cast<unsigned char>(text[p + i]) : 0u;
  };
  const auto isTail = [&](size_t i) {
    return (byte(i) & 0xC0u) == 0x80u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return isTail(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!isTail(1) || !isTail(2)) return 0;
    // Rejects an overlong encoding.
    if (first == 0xE0 && byte(1) < 0xA0) return 0;
    // Rejects half of a surrogate pair.
    if (first == 0xED && byte(1) > 0x9F) return 0;
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!isTail(1) || !isTail(2) || !isTail(3)) return 0;
    if (first == 0xF0 && byte(1) < 0x90) return 0;
    if (first == 0xF4 && byte(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

}  // namespace strata

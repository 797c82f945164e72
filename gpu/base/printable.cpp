// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/printable.h"

#include <algorithm>
#include <cstdio>

#include "gpu/base/utf8.h"

namespace strata {

/// Returns the code of the character of `length` bytes at `at`, if it may have at most 16 bits, and
/// otherwise 0xFFFF.
static unsigned codeAt(std::string_view text, size_t at, size_t length) {
  const auto byte = [&](size_t i) {
    return static_cast<unsigned>(static_cast<unsigned char>(text[at + i]));
  };
  switch (length) {
    case 1: return byte(0);
    case 2: return (byte(0) & 0x1Fu) << 6 | (byte(1) & 0x3Fu);
    case 3: return (byte(0) & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    default: return 0xFFFF;
  }
}

static bool isObeyed(unsigned code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E ||
         code == 0x200F || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

std::string printable(std::string_view text, Breaks breaks) {
  std::string result;
  result.reserve(text.size());
  char escape[8];
  for (size_t i = 0; i < text.size();) {
    const size_t length = utf8Length(text, i);
    const unsigned code = codeAt(text, i, length);
    if (length == 0) {
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(text[i]));
      result += escape;
    }
    else if (code == '\n' || code == '\t') {
      if (breaks == Breaks::Keep)
        result += text[i];
      else
        result += code == '\n' ? "\\n" : "\\t";
    }
    else if (isObeyed(code)) {
      std::snprintf(escape, sizeof escape, "\\u%04x", code);
      result += escape;
    }
    else {
      result.append(text, i, length);
    }
    i += std::max<size_t>(length, 1);
  }
  return result;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "core/project/text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "gpu/base/printable.h"

namespace strata {

std::string formatText(const Text& text, const Arguments& arguments) {
  std::string result;
  for (const char* p = text.source; *p; ++p) {
    if (*p != '%' || p[1] < '1' || p[1] > '9') {
      result += *p;
      continue;
    }
    size_t place = static_cast<size_t>(p[1] - '0');
    const char* last = p + 1;
    if (p[2] >= '0' && p[2] <= '9' &&
        place * 10 + static_cast<size_t>(p[2] - '0') <= arguments.size()) {
      place = place * 10 + static_cast<size_t>(p[2] - '0');
      ++last;
    }
    if (place <= arguments.size()) {
      result += arguments[place - 1].text();
    }
    else {
      result.append(p, last + 1);
    }
    p = last;
  }
  return result;
}

size_t firstNotUtf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    // Checks eight ASCII bytes at once, because tables may have gigabytes of text.
    if (uint64_t eight = 0; text.size() - i >= sizeof eight) {
      std::memcpy(&eight, text.data() + i, sizeof eight);
      if ((eight & 0x8080808080808080u) == 0) {
        i += sizeof eight;
        continue;
      }
    }
    const size_t length = utf8Length(text, i);
    if (length == 0) return i;
    i += length;
  }
  return text.size();
}

bool isUtf8(std::string_view text) { return firstNotUtf8(text) == text.size(); }

/// Returns the start of the character that contains byte `p`.
static size_t characterStart(std::string_view text, size_t p) {
  for (int i = 0;
       i < 3 && p > 0 && p < text.size() && (static_cast<unsigned char>(text[p]) & 0xC0u) == 0x80u;
       ++i)
    --p;
  return p;
}

std::string excerpt(std::string_view text, size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  return std::string(text.substr(0, characterStart(text, bytes - std::min<size_t>(bytes, 3)))) +
         "...";
}

std::string asOneLine(std::string_view text) {
  constexpr size_t kHead = 1200, kTail = 300;
  if (text.size() <= kHead + kTail) return printable(text);
  return printable(text.substr(0, characterStart(text, kHead))) + " ... " +
         printable(text.substr(characterStart(text, text.size() - kTail)));
}

std::string nounFor(int64_t count, std::string_view noun) {
  if (count == 1) return std::string(noun);
  return std::string(noun) + (noun.ends_with("ch") ? "es" : "s");
}

std::string counted(int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + nounFor(count, noun);
}

std::string joinedNames(const std::vector<std::string>& names) {
  std::string result;
  for (const std::string& name : names)
    result += (result.empty() ? "" : ", ") + name;
  return result.empty() ? "none" : result;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "core/project/text.h"

namespace strata {

std::string formatText(const Text& text, std::span<const std::string> arguments) {
  std::string result;
  for (const char* p = text.source; *p; ++p) {
    if (*p != '%' || p[1] < '1' || p[1] > '9') {
      result += *p;
      continue;
    }
    size_t place = static_cast<size_t>(p[1] - '0');
    const char* last = p + 1;
    if (p[2] >= '0' && p[2] <= '9' && place * 10 + static_cast<size_t>(p[2] - '0') <= arguments.size()) {
      place = place * 10 + static_cast<size_t>(p[2] - '0');
      ++last;
    }
    if (place <= arguments.size()) {
      result += arguments[place - 1];
    } else {
      result.append(p, last + 1);
    }
    p = last;
  }
  return result;
}

std::string nounFor(int64_t count, std::string_view noun) { return std::string(noun) + (count == 1 ? "" : "s"); }

std::string counted(int64_t count, std::string_view noun) { return std::to_string(count) + " " + nounFor(count, noun); }

}  // namespace strata

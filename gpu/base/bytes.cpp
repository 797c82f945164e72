// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/bytes.h"

#include <array>
#include <charconv>
#include <cmath>

namespace strata {

std::string bytesText(double bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit)
    bytes /= 1024;
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), bytes,
                                 std::chars_format::fixed, unit == 0 ? 0 : 1);
  return std::string(text.data(), end.ptr) + " " + kUnits[unit];
}

std::optional<int64_t> parseBytes(std::string_view text) {
  constexpr double kMax = 0x1p60;
  int64_t whole = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  if (const auto [rest, failed] = std::from_chars(begin, end, whole);
      failed == std::errc() && rest == end) {
    if (whole < 1 || whole > static_cast<int64_t>(kMax)) return std::nullopt;
    return whole;
  }
  double number = 0;
  const auto [rest, failed] = std::from_chars(begin, end, number);
  if (failed != std::errc()) return std::nullopt;
  std::string unit;
  for (const char* p = rest; p != end; ++p)
    if (*p != ' ' || !unit.empty())
      unit += *p >= 'A' && *p <= 'Z' ? static_cast<char>(*p - 'A' + 'a') : *p;
  const bool isBinary = unit.size() == 3 && unit.ends_with("ib");
  const bool isDecimal = unit.size() == 2 && unit[1] == 'b';
  const size_t power = std::string_view("bkmgt").find(unit.empty() ? 'b' : unit[0]);
  if (power == std::string_view::npos || (power == 0 && isBinary)) return std::nullopt;
  if (!unit.empty() && unit != "b" && !isBinary && !isDecimal) return std::nullopt;
  number *= std::pow(isBinary ? 1024.0 : 1000.0, static_cast<double>(power));
  if (!(number >= 1 && number <= kMax)) return std::nullopt;
  return static_cast<int64_t>(number);
}

}  // namespace strata

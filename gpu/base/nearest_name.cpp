// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace strata {
namespace {

constexpr size_t kLongest = 200;  // a name from outside may be huge; what lies beyond cannot be near
constexpr size_t kTelling = 3;    // letters that say which longer name is meant: "H100" is part of "H100 PCIe"

/// Letters left out, added, replaced, or swapped with the next one.
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> before, last(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({last[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, last[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j]) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

/// Is `wanted` part of `name`, large letters or small?
bool holds(std::string_view name, std::string_view wanted) {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::search(name.begin(), name.end(), wanted.begin(), wanted.end(), [&](char a, char b) { return small(a) == small(b); }) !=
         name.end();
}

}  // namespace

bool isNear(std::string_view wanted, std::string_view name) {
  if (wanted.empty() || name.empty()) return false;
  const size_t longer = std::max(wanted.size(), name.size());
  return longer <= kLongest && (3 * editDistance(wanted, name) <= longer + 2 || (wanted.size() >= kTelling && holds(name, wanted)));
}

std::string_view nearestName(std::string_view wanted, std::span<const std::string_view> candidates) {
  std::string_view best;
  size_t bestDistance = SIZE_MAX;
  for (std::string_view candidate : candidates) {
    size_t distance = editDistance(wanted.substr(0, kLongest), candidate.substr(0, kLongest));
    if (wanted.size() >= kTelling && holds(candidate.substr(0, kLongest), wanted)) distance = std::min<size_t>(distance, 1);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace strata

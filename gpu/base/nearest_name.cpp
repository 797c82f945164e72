// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace strata {
namespace {

size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearestName(std::string_view wanted, std::span<const std::string_view> candidates) {
  constexpr size_t kLongest = 200;  // a name from outside may be huge; what lies beyond cannot be near
  std::string_view best;
  size_t bestDistance = SIZE_MAX;
  for (std::string_view candidate : candidates) {
    const size_t distance = editDistance(wanted.substr(0, kLongest), candidate.substr(0, kLongest));
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace strata

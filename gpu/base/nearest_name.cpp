// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace strata {
namespace {

// Longer names, which only bad input has, are not compared
constexpr size_t kLongest = 100;
// From this length, a part of a name can identify it: "H100"
constexpr size_t kTelling = 3;
// From this length, a name with letters left out can identify it
constexpr size_t kSkipping = 4;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool isSame(char a, char b) { return lower(a) == lower(b); }

/// The number of letters left out, added, replaced or swapped with the next one, at most `most`.
class EditDistance {
 public:
  size_t between(std::string_view a, std::string_view b, size_t most) {
    m_before.assign(b.size() + 1, 0);
    m_last = m_before;
    m_row.resize(b.size() + 1);
    std::iota(m_row.begin(), m_row.end(), size_t{0});
    size_t leastOfLast = 0;
    for (size_t i = 1; i <= a.size(); ++i) {
      std::swap(m_before, m_last);
      std::swap(m_last, m_row);
      m_row[0] = i;
      size_t least = i;
      for (size_t j = 1; j <= b.size(); ++j) {
        const size_t replaced = m_last[j - 1] + (isSame(a[i - 1], b[j - 1]) ? 0 : 1);
        m_row[j] = std::min({m_last[j] + 1, m_row[j - 1] + 1, replaced});
        if (i > 1 && j > 1 && isSame(a[i - 1], b[j - 2]) && isSame(a[i - 2], b[j - 1]))
          m_row[j] = std::min(m_row[j], m_before[j - 2] + 1);
        least = std::min(least, m_row[j]);
      }
      // Later rows cannot be smaller than these two.
      if (std::min(least, leastOfLast) >= most) return most;
      leastOfLast = least;
    }
    return m_row[b.size()];
  }

 private:
  std::vector<size_t> m_before, m_last, m_row;
};

bool holds(std::string_view candidate, std::string_view name) {
  return std::search(candidate.begin(), candidate.end(), name.begin(), name.end(), isSame) !=
         candidate.end();
}

/// Does `name` start like `candidate` and contain only its letters, in order?
bool isShortened(std::string_view name, std::string_view candidate) {
  if (candidate.size() <= name.size() || !isSame(name[0], candidate[0])) return false;
  size_t matched = 0;
  for (const char c : candidate)
    if (matched < name.size() && isSame(c, name[matched])) ++matched;
  return matched == name.size();
}

}  // namespace

std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.size() > kLongest) return {};
  EditDistance distance;
  std::string_view best;
  size_t bestDistance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const auto [shorter, longer] = std::minmax(candidate.size(), name.size());
    // The distance is at least the difference in length
    if (longer - shorter >= bestDistance) continue;
    if (const size_t value = distance.between(name, candidate, bestDistance);
        value < bestDistance) {
      bestDistance = value;
      best = candidate;
    }
  }
  if (!best.empty()) return best;
  if (name.size() >= kTelling)
    for (const std::string_view candidate : candidates)
      if (holds(candidate, name)) return candidate;
  if (name.size() >= kSkipping)
    for (const std::string_view candidate : candidates)
      if (isShortened(name, candidate)) return candidate;
  return {};
}

std::string nearestName(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return std::string(nearestName(name, views));
}

}  // namespace strata

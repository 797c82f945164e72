// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/nearest_name.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace strata {
namespace {

// Maximum length of a name that is compared. It limits the time that invalid input can take.
constexpr size_t kMaxLength = 100;
// Minimum length of a name that is searched for inside the candidates, such as "H100"
constexpr size_t kMinPartLength = 3;
// Minimum length of a name that is matched as a candidate with letters left out
constexpr size_t kMinShortenedLength = 4;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool isSame(char a, char b) { return lower(a) == lower(b); }

/// Computes edit distances. An object keeps its buffers between calls, because one name is compared
/// with many candidates.
class EditDistance {
 public:
  /// Returns how many letters must be removed, added, replaced or swapped with their neighbor to
  /// turn `a` into `b`, but at most `most`. Case is ignored.
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
      // Later rows cannot contain a smaller value than the minimum of this row and the last one
      if (std::min(least, leastOfLast) >= most) return most;
      leastOfLast = least;
    }
    return m_row[b.size()];
  }

 private:
  std::vector<size_t> m_before, m_last, m_row;
};

bool contains(std::string_view candidate, std::string_view name) {
  return std::search(candidate.begin(), candidate.end(), name.begin(), name.end(), isSame) !=
         candidate.end();
}

/// Returns whether `name` is `candidate` with letters left out after the first one.
bool isShortened(std::string_view name, std::string_view candidate) {
  if (candidate.size() <= name.size() || !isSame(name[0], candidate[0])) return false;
  size_t matched = 0;
  for (const char c : candidate)
    if (matched < name.size() && isSame(c, name[matched])) ++matched;
  return matched == name.size();
}

}  // namespace

std::string_view nearestName(std::string_view name, std::span<const std::string_view> candidates) {
  if (name.size() > kMaxLength) return {};
  EditDistance distance;
  std::string_view best;
  size_t bestDistance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const auto [shorter, longer] = std::minmax({candidate.size(), name.size()});
    // The distance is at least the difference in length
    if (longer - shorter >= bestDistance) continue;
    if (const size_t value = distance.between(name, candidate, bestDistance);
        value < bestDistance) {
      bestDistance = value;
      best = candidate;
    }
  }
  if (!best.empty()) return best;
  if (name.size() >= kMinPartLength)
    for (const std::string_view candidate : candidates)
      if (contains(candidate, name)) return candidate;
  if (name.size() >= kMinShortenedLength)
    for (const std::string_view candidate : candidates)
      if (isShortened(name, candidate)) return candidate;
  return {};
}

std::string nearestName(std::string_view name, const std::vector<std::string>& candidates) {
  const std::vector<std::string_view> views(candidates.begin(), candidates.end());
  return std::string(nearestName(name, views));
}

}  // namespace strata

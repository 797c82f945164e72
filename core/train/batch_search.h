// SPDX-License-Identifier: Apache-2.0
// Searches for the largest batch size that fits by trying a few sizes. Not here: planning the
// memory of a batch (planner_memory.cpp). Thread: the search calls `peakOf` on the calling thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "core/train/plan.h"
#include "gpu/base/clock.h"

namespace strata {

/// Finds the largest batch size whose step needs at most `limit` bytes. The bytes grow almost
/// linearly with the batch size, so only a few sizes must be tried. However, the bytes may drop if
/// a larger batch selects kernels with smaller workspaces. Therefore the result always fits, but a
/// larger size might fit, too.
template <class PeakOf>
class BatchSearch {
 public:
  BatchSearch(PeakOf peakOf, size_t limit)
      : m_peakOf(std::move(peakOf)), m_limit(static_cast<double>(limit)) {}

  /// Returns the largest size that the search finds from the size `known`, or nullopt if no size
  /// fits.
  std::optional<int64_t> from(int64_t known) {
    // After the first loops, `low` fits and `high` does not.
    int64_t low = known, high = known;
    if (fits(known)) {
      high = std::min(2 * low, kMaxBatch);
      while (low < kMaxBatch && fits(high)) {
        const int64_t before = std::exchange(low, high);
        high = std::min({kMaxBatch, std::max(2 * low, onLine(before, low, low + 1, kMaxBatch)),
                         kMaxGrowth * low});
      }
      if (low == kMaxBatch) return low;
    }
    else {
      while (low > 0 && !fits(low)) {
        high = low;
        low /= 2;
      }
      if (low == 0) return std::nullopt;
    }
    narrow(low, high);
    lookBeyond(low);
    return low;
  }

 private:
  // Maximum factor of an extrapolation. Larger ones are unreliable, because other kernels may be
  // chosen for larger batches.
  static constexpr int64_t kMaxGrowth = 16;
  // After this time, a result that is up to 2% too small is accepted.
  static constexpr double kPatienceSeconds = 2;

  bool isHurried() const { return secondsSince(m_start) > kPatienceSeconds; }
  bool fits(int64_t batch) {
    const auto [at, isNew] = m_peaks.try_emplace(batch, 0);
    if (isNew) at->second = static_cast<double>(m_peakOf(batch));
    return at->second <= m_limit;
  }
  /// Returns the precision of the search: 0.1% of the batch size, or 2% after kPatienceSeconds.
  int64_t grainOf(int64_t batch) const {
    return std::max<int64_t>(1, batch / (isHurried() ? 50 : 1000));
  }
  /// Returns the size at which the line through the bytes of the sizes `a` and `b` reaches the
  /// limit, clamped to the bounds `least` and `most`.
  int64_t onLine(int64_t a, int64_t b, int64_t least, int64_t most) const {
    const double slope = (m_peaks.at(b) - m_peaks.at(a)) / static_cast<double>(b - a);
    const double at = static_cast<double>(a) + (m_limit - m_peaks.at(a)) / slope;
    return slope > 0 && at < static_cast<double>(most) ? std::max(least, static_cast<int64_t>(at))
                                                       : most;
  }
  /// Returns the next size to try, between `low` and `high`. The first guess extrapolates from the
  /// two smallest sizes that do not fit, or from the smallest one and the fixed bytes of a step.
  /// The second guess interpolates between both bounds, and the third one is their middle, because
  /// the bytes may jump. Sizes that fit are less useful for extrapolation, because recomputation
  /// stops as soon as a step fits.
  int64_t guess(int64_t low, int64_t high, int turn) {
    if (turn % 3 == 2) return low + (high - low) / 2;
    if (turn % 3 == 1) return onLine(low, high, low + 1, high - 1);
    const auto first = m_peaks.find(high), second = std::next(first);
    if (second != m_peaks.end()) return onLine(first->first, second->first, low + 1, high - 1);
    m_peaks.try_emplace(0, fixedBytes());
    return onLine(0, high, low + 1, high - 1);
  }
  /// Returns the bytes that do not depend on the batch size, estimated from the two smallest sizes.
  double fixedBytes() const {
    if (m_peaks.size() < 2) return 0;
    const auto first = m_peaks.begin(), second = std::next(first);
    const double slope =
        (second->second - first->second) / static_cast<double>(second->first - first->first);
    return std::max(0.0, first->second - slope * static_cast<double>(first->first));
  }
  void narrow(int64_t& low, int64_t& high) {
    for (int turn = 0; high - low > grainOf(low); ++turn) {
      const int64_t at = guess(low, high, turn), grain = grainOf(low);
      const bool isBelow = fits(at);
      (isBelow ? low : high) = at;
      const int64_t next = isBelow ? at + grain : at - grain;
      if (high - low > grain && next > low && next < high) (fits(next) ? low : high) = next;
    }
  }
  void lookBeyond(int64_t& low) {
    constexpr int kMaxMisses = 4;
    for (int misses = 0; misses < kMaxMisses && !isHurried();) {
      const int64_t next = low + (misses + 1) * grainOf(low);
      if (next > kMaxBatch || !fits(next)) {
        ++misses;
        continue;
      }
      low = next;
      misses = 0;
    }
  }

  const PeakOf m_peakOf;
  const double m_limit;
  const Clock::time_point m_start = Clock::now();
  // Peak bytes by batch size
  std::map<int64_t, double> m_peaks;
};

}  // namespace strata

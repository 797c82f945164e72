// SPDX-License-Identifier: Apache-2.0
// The largest batch that fits, by looking at few. Not here: what a batch takes (plan.cpp). Thread:
// as what it calls.
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

/// Looks for the largest batch whose step takes at most `limit` bytes. Bytes grow about in a line
/// with the batch, as do the least bytes of batches that fit with nothing any more, so that few
/// batches are looked at; there are small steps back where kernels with smaller workspaces take
/// over: the answer fits for sure, and so does none of the next few.
template <class PeakOf>
class BatchSearch {
 public:
  BatchSearch(PeakOf peakOf, size_t limit)
      : m_peakOf(std::move(peakOf)), m_limit(static_cast<double>(limit)) {}

  std::optional<int64_t> from(int64_t known) {
    // Fits; does not
    int64_t low = known, high = known;
    if (fits(known)) {
      high = std::min(2 * low, kMostBatch);
      while (low < kMostBatch && fits(high)) {
        const int64_t before = std::exchange(low, high);
        high = std::min(
            {kMostBatch, std::max(2 * low, onLine(before, low, low + 1, kMostBatch)), kLeap * low});
      }
      if (low == kMostBatch) return low;
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
  // Two batches may lie on no line at all: another kernel begins between them
  static constexpr int64_t kLeap = 16;
  // Seconds, after which the answer may be a fiftieth too small
  static constexpr double kPatience = 2;

  bool isHurried() const { return secondsSince(m_start) > kPatience; }
  bool fits(int64_t batch) {
    const auto [at, isNew] = m_peaks.try_emplace(batch, 0);
    if (isNew) at->second = static_cast<double>(m_peakOf(batch));
    return at->second <= m_limit;
  }
  /// To a thousandth: nobody trains with 48,213 because 48,260 does not fit.
  int64_t grainOf(int64_t batch) const {
    return std::max<int64_t>(1, batch / (isHurried() ? 50 : 1000));
  }
  /// Where the line through two batches meets the limit, between two bounds.
  int64_t onLine(int64_t a, int64_t b, int64_t least, int64_t most) const {
    const double slope = (m_peaks.at(b) - m_peaks.at(a)) / static_cast<double>(b - a);
    const double at = static_cast<double>(a) + (m_limit - m_peaks.at(a)) / slope;
    return slope > 0 && at < static_cast<double>(most) ? std::max(least, static_cast<int64_t>(at))
                                                       : most;
  }
  /// By the two smallest that do not fit, else by the smallest and what a step takes whatever its
  /// batch; then by the bounds; each third time in the middle, for bytes may jump. Batches that fit
  /// tell little where something is recomputed: those are let grow to the limit.
  int64_t guess(int64_t low, int64_t high, int turn) {
    if (turn % 3 == 2) return low + (high - low) / 2;
    if (turn % 3 == 1) return onLine(low, high, low + 1, high - 1);
    const auto first = m_peaks.find(high), second = std::next(first);
    if (second != m_peaks.end()) return onLine(first->first, second->first, low + 1, high - 1);
    m_peaks.try_emplace(0, fixedBytes());
    return onLine(0, high, low + 1, high - 1);
  }
  /// By the two smallest batches that were looked at.
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
    constexpr int kFewMore = 4;
    for (int misses = 0; misses < kFewMore && !isHurried();) {
      const int64_t next = low + (misses + 1) * grainOf(low);
      if (next > kMostBatch || !fits(next)) {
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
  // Of batches that were looked at
  std::map<int64_t, double> m_peaks;
};

}  // namespace strata

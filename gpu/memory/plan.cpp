// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/plan.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "gpu/base/error.h"
#include "gpu/base/rng.h"

namespace strata {
namespace {

/// A live range with the space that it takes in the arena.
struct PaddedRange : LiveRange {
  size_t padded = 0;
};

std::vector<PaddedRange> paddedRanges(std::span<const LiveRange> ranges, size_t alignment) {
  std::vector<PaddedRange> result;
  result.reserve(ranges.size());
  for (const LiveRange& range : ranges)
    result.push_back({range, alignedBytes(range.bytes, alignment)});
  return result;
}

struct Bound {
  size_t bytes = 0;
  int instant = 0;
};

/// Returns the maximum number of bytes that are live at once, and the first instant at which this
/// many bytes are live.
Bound maxLiveBytes(std::span<const PaddedRange> ranges) {
  // Maps an instant to the number of bytes that become live and the number of bytes that become
  // free
  std::map<int, std::pair<size_t, size_t>> changes;
  for (const PaddedRange& range : ranges) {
    changes[range.begin].first += range.padded;
    changes[range.end + 1].second += range.padded;
  }
  Bound most;
  size_t live = 0;
  for (const auto& [instant, change] : changes) {
    live = live + change.first - change.second;
    if (live > most.bytes) most = {live, instant};
  }
  return most;
}

struct Placement {
  std::vector<size_t> offsets;
  size_t peakBytes = 0;
};

/// Places ranges in the given order. Each range goes into the smallest sufficient gap between
/// placed ranges that are live at the same time. If there is no such gap, it goes on top of them.
Placement place(std::span<const PaddedRange> ranges, std::span<const int> order) {
  struct Placed {
    size_t offset, top;
    int begin, end;
  };
  // Sorted by offset
  std::vector<Placed> placed;
  placed.reserve(ranges.size());
  Placement result;
  result.offsets.assign(ranges.size(), 0);
  for (const int index : order) {
    const PaddedRange& range = ranges[static_cast<size_t>(index)];
    const size_t bytes = range.padded;
    if (bytes == 0) continue;
    size_t top = 0, best = 0, bestGap = std::numeric_limits<size_t>::max();
    for (const Placed& other : placed) {
      if (other.begin > range.end || other.end < range.begin) continue;
      if (other.offset > top) {
        const size_t gap = other.offset - top;
        if (gap >= bytes && gap < bestGap) {
          best = top;
          bestGap = gap;
        }
      }
      top = std::max(top, other.top);
    }
    if (bestGap == std::numeric_limits<size_t>::max()) best = top;
    result.offsets[static_cast<size_t>(index)] = best;
    result.peakBytes = std::max(result.peakBytes, best + bytes);
    const Placed entry{best, best + bytes, range.begin, range.end};
    placed.insert(
        std::upper_bound(placed.begin(), placed.end(), entry,
                         [](const Placed& a, const Placed& b) { return a.offset < b.offset; }),
        entry);
  }
  return result;
}

/// Places each range, in the given order, on top of all ranges that are live at the same time. It
/// never fills gaps. If lifetimes nest, as in most of a training step, and the longest range comes
/// first, there are no gaps. The running time is O(n log n).
class Skyline {
 public:
  explicit Skyline(std::span<const PaddedRange> ranges) : m_ranges(ranges) {
    for (const PaddedRange& range : ranges) {
      m_instants.push_back(range.begin);
      m_instants.push_back(range.end);
    }
    std::sort(m_instants.begin(), m_instants.end());
    m_instants.erase(std::unique(m_instants.begin(), m_instants.end()), m_instants.end());
    while (m_leaves < m_instants.size())
      m_leaves *= 2;
    for (const PaddedRange& range : ranges)
      m_places.emplace_back(place(range.begin), place(range.end) + 1);
  }

  Placement run(std::span<const int> order) {
    m_highest.assign(2 * m_leaves, 0);
    m_lowerBound.assign(2 * m_leaves, 0);
    Placement result;
    result.offsets.assign(m_ranges.size(), 0);
    for (const int index : order) {
      const size_t bytes = m_ranges[static_cast<size_t>(index)].padded;
      if (bytes == 0) continue;
      const auto [from, to] = m_places[static_cast<size_t>(index)];
      const size_t offset = highest(1, 0, m_leaves, from, to);
      result.offsets[static_cast<size_t>(index)] = offset;
      result.peakBytes = std::max(result.peakBytes, offset + bytes);
      raise(1, 0, m_leaves, from, to, offset + bytes);
    }
    return result;
  }

  size_t numInstants() const { return m_instants.size(); }
  /// Returns the height of the stack at an instant. Requires: run() was called.
  size_t heightAt(size_t instant) const { return highest(1, 0, m_leaves, instant, instant + 1); }
  /// Returns the largest height during the lifetime of a range. Requires: run() was called.
  size_t heightDuring(int index) const {
    const auto [from, to] = m_places[static_cast<size_t>(index)];
    return highest(1, 0, m_leaves, from, to);
  }

 private:
  size_t place(int instant) const {
    return static_cast<size_t>(std::lower_bound(m_instants.begin(), m_instants.end(), instant) -
                               m_instants.begin());
  }
  size_t highest(size_t node, size_t begin, size_t end, size_t from, size_t to) const {
    if (to <= begin || end <= from) return 0;
    if (from <= begin && end <= to) return m_highest[node];
    const size_t middle = (begin + end) / 2;
    return std::max({m_lowerBound[node], highest(2 * node, begin, middle, from, to),
                     highest(2 * node + 1, middle, end, from, to)});
  }
  void raise(size_t node, size_t begin, size_t end, size_t from, size_t to, size_t height) {
    if (to <= begin || end <= from) return;
    m_highest[node] = std::max(m_highest[node], height);
    if (from <= begin && end <= to) {
      m_lowerBound[node] = std::max(m_lowerBound[node], height);
      return;
    }
    const size_t middle = (begin + end) / 2;
    raise(2 * node, begin, middle, from, to, height);
    raise(2 * node + 1, middle, end, from, to, height);
  }

  std::span<const PaddedRange> m_ranges;
  std::vector<int> m_instants;
  size_t m_leaves = 1;
  // For each range, the indices of its instants in m_instants as a half-open interval
  std::vector<std::pair<size_t, size_t>> m_places;
  // A segment tree over the instants. Each node stores the largest height in its interval, and a
  // lower bound of all heights in it.
  std::vector<size_t> m_highest, m_lowerBound;
};

/// Places short-lived ranges one after another into the smallest sufficient gap above a given
/// height. It groups ranges by intervals of time that are longer than any range. A range is then
/// compared only with the ranges of the intervals that it overlaps.
class ShortRangePlacer {
 public:
  ShortRangePlacer(std::span<const PaddedRange> ranges, int maxInstants)
      : m_ranges(ranges), m_intervalLength(maxInstants + 1) {
    int last = 0;
    for (const PaddedRange& range : ranges)
      last = std::max(last, range.end);
    m_placed.resize(static_cast<size_t>(last / m_intervalLength) + 1);
  }
  /// Places a range at `above` or higher and returns its offset. `offsets` contains the offsets of
  /// the ranges placed before.
  size_t place(int index, size_t above, const std::vector<size_t>& offsets) {
    const PaddedRange& range = m_ranges[static_cast<size_t>(index)];
    const size_t bytes = range.padded;
    const int first = range.begin / m_intervalLength, last = range.end / m_intervalLength;
    m_near.clear();
    for (int slot = first; slot <= last; ++slot)
      for (const int other : m_placed[static_cast<size_t>(slot)]) {
        ++m_numCompared;
        const PaddedRange& near = m_ranges[static_cast<size_t>(other)];
        // A range that began in an earlier interval was visited there
        const bool isSeen = slot > first && near.begin / m_intervalLength < slot;
        const size_t offset = offsets[static_cast<size_t>(other)], top = offset + near.padded;
        if (!isSeen && near.begin <= range.end && near.end >= range.begin && top > above)
          m_near.emplace_back(offset, top);
      }
    std::sort(m_near.begin(), m_near.end());
    size_t best = 0, bestGap = std::numeric_limits<size_t>::max();
    for (const auto& [offset, top] : m_near) {
      if (offset > above && offset - above >= bytes && offset - above < bestGap) {
        best = above;
        bestGap = offset - above;
      }
      above = std::max(above, top);
    }
    for (int slot = first; slot <= last; ++slot)
      m_placed[static_cast<size_t>(slot)].push_back(index);
    return bestGap == std::numeric_limits<size_t>::max() ? above : best;
  }
  size_t numCompared() const { return m_numCompared; }

 private:
  std::span<const PaddedRange> m_ranges;
  int m_intervalLength;
  std::vector<std::vector<int>> m_placed;
  // Offset and end of the placed ranges that are live at the same time as the range being placed
  std::vector<std::pair<size_t, size_t>> m_near;
  size_t m_numCompared = 0;
};

/// Stacks long ranges from both ends of the arena. Ranges whose middle lies after a split instant
/// are stacked from the top down, the others from the bottom up. Ranges of at most `maxInstants`
/// instants are placed between the stacks, the largest first. Several split instants are tried
/// until the arena needs at most `enough` bytes. Returns the best result.
Placement stackFromBothEnds(std::span<const PaddedRange> ranges, std::span<const int> order,
                            const Skyline& skyline, int maxInstants, size_t enough,
                            const std::function<void()>& checkStop) {
  // The maximum number of comparisons per range. It keeps the running time near O(n log n).
  constexpr size_t kMaxCompared = 1000;
  Placement best;
  best.peakBytes = std::numeric_limits<size_t>::max();
  const auto range = [&](int index) -> const PaddedRange& {
    return ranges[static_cast<size_t>(index)];
  };
  const auto twiceMiddle = [&](int index) {
    return range(index).begin + range(index).end;
  };
  std::vector<int> longLived, shortLived, middles;
  for (const int index : order)
    if (range(index).bytes > 0)
      (range(index).end - range(index).begin > maxInstants ? longLived : shortLived)
          .push_back(index);
  std::stable_sort(shortLived.begin(), shortLived.end(),
                   [&](int a, int b) { return range(a).bytes > range(b).bytes; });
  for (const int index : longLived)
    middles.push_back(twiceMiddle(index));
  std::sort(middles.begin(), middles.end());
  Skyline bottom = skyline, top = skyline;
  int last = -1;
  for (const double share : {0.5, 0.6, 0.4, 0.7, 0.25, 0.8, 0.9}) {
    const int split =
        middles.empty()
            ? 0
            : middles[static_cast<size_t>(share * static_cast<double>(middles.size() - 1))];
    if (split == last) continue;
    if (checkStop) checkStop();
    last = split;
    std::vector<int> low, high;
    for (const int index : longLived)
      (twiceMiddle(index) <= split ? low : high).push_back(index);
    Placement placement = bottom.run(low);
    const Placement down = top.run(high);
    placement.peakBytes = 0;
    for (size_t i = 0; i < bottom.numInstants(); ++i)
      placement.peakBytes = std::max(placement.peakBytes, bottom.heightAt(i) + top.heightAt(i));
    ShortRangePlacer between(ranges, std::max(0, maxInstants));
    for (const int index : shortLived) {
      if (placement.peakBytes >= best.peakBytes ||
          between.numCompared() > kMaxCompared * ranges.size())
        break;
      const size_t offset = between.place(index, bottom.heightDuring(index), placement.offsets);
      placement.offsets[static_cast<size_t>(index)] = offset;
      placement.peakBytes =
          std::max(placement.peakBytes, offset + range(index).padded + top.heightDuring(index));
    }
    if (between.numCompared() > kMaxCompared * ranges.size()) break;
    if (placement.peakBytes >= best.peakBytes) continue;
    for (const int index : high) {
      const auto at = static_cast<size_t>(index);
      placement.offsets[at] = placement.peakBytes - down.offsets[at] - ranges[at].padded;
    }
    best = std::move(placement);
    if (best.peakBytes <= enough) break;
  }
  return best;
}

std::string describe(std::span<const LiveRange> ranges, const ArenaPlan& plan, size_t index) {
  const LiveRange& range = ranges[index];
  return "range " + std::to_string(index) + " (" + std::to_string(range.bytes) + " bytes at " +
         std::to_string(plan.offsets[index]) + ", instants " + std::to_string(range.begin) +
         " to " + std::to_string(range.end) + ")";
}

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorCode::Internal, "memory plan", message);
}

}  // namespace

ArenaPlan planArena(std::span<const LiveRange> given, const std::function<void()>& checkStop,
                    size_t alignment) {
  for (const LiveRange& range : given)
    require(range.begin >= 0 && range.begin <= range.end,
            "a live range begins at 0 or later and ends no earlier");
  const std::vector<PaddedRange> ranges = paddedRanges(given, alignment);
  const Bound bound = maxLiveBytes(ranges);
  std::vector<int> order(ranges.size());
  const auto range = [&](int index) -> const PaddedRange& {
    return ranges[static_cast<size_t>(index)];
  };
  const auto length = [&](int index) {
    return range(index).end - range(index).begin;
  };
  const auto bySize = [&](int a, int b) {
    return std::tuple(range(b).bytes, length(b), range(a).begin, a) <
           std::tuple(range(a).bytes, length(a), range(b).begin, b);
  };
  const auto byBirth = [&](int a, int b) {
    return std::tuple(range(a).begin, range(b).end, range(b).bytes, a) <
           std::tuple(range(b).begin, range(a).end, range(a).bytes, b);
  };
  const auto byLength = [&](int a, int b) {
    return std::tuple(length(b), range(b).bytes, range(a).begin, a) <
           std::tuple(length(a), range(a).bytes, range(b).begin, b);
  };
  // If a plan needs at most this many bytes, the possible gain is not worth more attempts
  const size_t enough = bound.bytes + bound.bytes / 2000;
  Skyline skyline(ranges);
  Placement best;
  best.peakBytes = std::numeric_limits<size_t>::max();
  const auto attempt = [&](const auto& less) {
    if (best.peakBytes <= enough) return;
    if (checkStop) checkStop();
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), less);
    if (Placement placement = place(ranges, order); placement.peakBytes < best.peakBytes)
      best = std::move(placement);
  };
  const auto stack = [&](const auto& less) {
    if (best.peakBytes <= enough) return;
    if (checkStop) checkStop();
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), less);
    if (Placement placement = skyline.run(order); placement.peakBytes < best.peakBytes)
      best = std::move(placement);
  };
  stack(byLength);
  // In the backward pass, long-lived gradients begin as forward values end. The two kinds are
  // therefore stacked from opposite ends of the arena. Short-lived values would leave gaps in the
  // stacks, so they are placed between them. These are the maximum lifetimes of short-lived values
  // that are tried; with -1, there are no short-lived values.
  constexpr int kShortLifetimes[] = {24, 100, -1};
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), byLength);
  for (const int maxInstants : kShortLifetimes) {
    if (best.peakBytes <= enough) break;
    Placement placement = stackFromBothEnds(ranges, order, skyline, maxInstants, enough, checkStop);
    if (placement.peakBytes < best.peakBytes) best = std::move(placement);
  }
  // Placing ranges into gaps compares all pairs of ranges, which takes too long for more ranges
  constexpr size_t kMaxPairwise = 4096;
  if (ranges.size() > kMaxPairwise)
    return {std::move(best.offsets), best.peakBytes, bound.bytes, bound.instant, alignment};
  stack(bySize);
  attempt(bySize);
  attempt(byBirth);
  attempt(byLength);
  // Improve each order step by step: move the topmost range forward in the order, and place all
  // ranges again. The number of rounds is limited so that this does not take long.
  constexpr size_t kWorkPerPlan = 12'000'000;
  const size_t rounds =
      std::min<size_t>(300, kWorkPerPlan / 3 / std::max<size_t>(1, ranges.size() * ranges.size()));
  const auto improve = [&](const auto& less) {
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), less);
    RandomStream random(0, streamOf("arena"));
    for (size_t round = 0; best.peakBytes > enough && round < rounds; ++round) {
      if (checkStop) checkStop();
      Placement placement = place(ranges, order);
      const auto top = [&](int index) {
        return placement.offsets[static_cast<size_t>(index)] + range(index).padded;
      };
      const auto highest = std::find_if(
          order.begin(), order.end(), [&](int index) { return top(index) == placement.peakBytes; });
      if (placement.peakBytes < best.peakBytes) best = std::move(placement);
      // Usually move the range to the front. Sometimes move it only halfway, so that the search
      // does not alternate between a few ranges.
      const ptrdiff_t target = random.below(4) == 0 ? (highest - order.begin()) / 2 : 0;
      std::rotate(order.begin() + target, highest, highest + 1);
    }
  };
  improve(bySize);
  improve(byBirth);
  improve(byLength);
  return {std::move(best.offsets), best.peakBytes, bound.bytes, bound.instant, alignment};
}

void checkArenaPlan(std::span<const LiveRange> ranges, const ArenaPlan& plan) {
  if (plan.offsets.size() != ranges.size())
    fail("the plan has " + std::to_string(plan.offsets.size()) + " offsets for " +
         std::to_string(ranges.size()) + " ranges.");
  std::vector<size_t> births;
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].bytes == 0) continue;
    if (plan.offsets[i] % plan.alignment != 0)
      fail(describe(ranges, plan, i) + " is not aligned to " + std::to_string(plan.alignment) +
           " bytes.");
    if (plan.offsets[i] + ranges[i].bytes > plan.peakBytes)
      fail(describe(ranges, plan, i) + " extends beyond the arena's end at " +
           std::to_string(plan.peakBytes) + ".");
    births.push_back(i);
  }
  std::sort(births.begin(), births.end(),
            [&](size_t a, size_t b) { return ranges[a].begin < ranges[b].begin; });
  // Maps the end of each live range to its index
  std::multimap<int, size_t> deaths;
  // Maps the offset of each live range to its index. The ranges in this map do not overlap.
  std::map<size_t, size_t> live;
  size_t liveBytes = 0, maxBytes = 0;
  for (const size_t index : births) {
    while (!deaths.empty() && deaths.begin()->first < ranges[index].begin) {
      const size_t dead = deaths.begin()->second;
      live.erase(plan.offsets[dead]);
      liveBytes -= alignedBytes(ranges[dead].bytes, plan.alignment);
      deaths.erase(deaths.begin());
    }
    const size_t offset = plan.offsets[index];
    const auto next = live.lower_bound(offset);
    if (next != live.end() && next->first < offset + ranges[index].bytes)
      fail(describe(ranges, plan, index) + " overlaps " + describe(ranges, plan, next->second) +
           ".");
    if (next != live.begin()) {
      const size_t previous = std::prev(next)->second;
      if (plan.offsets[previous] + ranges[previous].bytes > offset)
        fail(describe(ranges, plan, previous) + " overlaps " + describe(ranges, plan, index) + ".");
    }
    live.emplace(offset, index);
    deaths.emplace(ranges[index].end, index);
    liveBytes += alignedBytes(ranges[index].bytes, plan.alignment);
    maxBytes = std::max(maxBytes, liveBytes);
  }
  if (maxBytes != plan.lowerBoundBytes)
    fail("the plan's lower bound is " + std::to_string(plan.lowerBoundBytes) + " bytes (expected " +
         std::to_string(maxBytes) + ").");
  if (plan.peakBytes < maxBytes) fail("the plan's peak is below its lower bound.");
}

}  // namespace strata

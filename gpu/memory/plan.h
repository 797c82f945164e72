// SPDX-License-Identifier: Apache-2.0
// Packs live ranges into one arena: ranges in, offsets out. It does not know graphs or devices.
// Thread: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace strata {

/// Bytes that are live from instant `begin` to instant `end`, both inclusive. An instant is one
/// instruction of the program.
struct LiveRange {
  size_t bytes = 0;
  int begin = 0, end = 0;
};

constexpr size_t kArenaAlignment = 64;

/// `bytes` rounded up to kArenaAlignment: the space a range takes in an arena.
constexpr size_t alignedBytes(size_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

/// All sizes count ranges rounded up to kArenaAlignment.
struct ArenaPlan {
  // One per range, multiples of kArenaAlignment
  std::vector<size_t> offsets;
  // The arena's size
  size_t peakBytes = 0;
  // The most bytes live at once; no plan can be smaller
  size_t lowerBoundBytes = 0;
  // The first instant with that many live bytes
  int peakInstant = 0;
};

/// Tries several placements and returns the smallest: stacking by lifetime from one end and from
/// both ends; greedy by size, by lifetime, and best fit in order of creation; and the greedy ones
/// again with the topmost range placed earlier, unless there are very many ranges. The result is
/// deterministic. Time: n log n.
/// Requires: 0 <= begin <= end (Fails: Internal). `checkStop` is called every few milliseconds and
/// may throw to end the work.
ArenaPlan planArena(std::span<const LiveRange> ranges, const std::function<void()>& checkStop = {});
/// Recomputes overlaps, peak and bound from scratch. Fails: Internal naming the two ranges.
void checkArenaPlan(std::span<const LiveRange> ranges, const ArenaPlan& plan);

}  // namespace strata

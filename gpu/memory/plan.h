// SPDX-License-Identifier: Apache-2.0
// Packs live ranges into one arena. Pure: ranges in, offsets out; it knows no graph and no device.
// Thread: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace strata {

/// Live from instant `begin` to instant `end`, both inclusive (an instant is one instruction of the
/// program).
struct LiveRange {
  size_t bytes = 0;
  int begin = 0, end = 0;
};

constexpr size_t kArenaAlignment = 64;

/// `bytes` rounded up to kArenaAlignment: what a range takes in an arena.
constexpr size_t alignedBytes(size_t bytes) {
  return (bytes + kArenaAlignment - 1) / kArenaAlignment * kArenaAlignment;
}

/// All bytes here count a range rounded up to kArenaAlignment.
struct ArenaPlan {
  // One a range, multiples of kArenaAlignment
  std::vector<size_t> offsets;
  // Highest offset + size: the arena's size
  size_t peakBytes = 0;
  // Most bytes live at once: no plan is smaller
  size_t lowerBoundBytes = 0;
  // First instant with that many
  int peakInstant = 0;
};

/// Stacked by lifetime from one end and from both; greedy by size, by lifetime, best fit in order
/// of birth, then each with what ended highest placed earlier, which very many ranges go without;
/// the smallest answer, always the same. Time: n log n.
/// Requires: 0 <= begin <= end (Fails: Internal). `checkStop` is called every few milliseconds;
/// what it throws ends the work.
ArenaPlan planArena(std::span<const LiveRange> ranges, const std::function<void()>& checkStop = {});
/// Recomputes overlap, peak and bound from scratch. Fails: Internal naming the two ranges.
void checkArenaPlan(std::span<const LiveRange> ranges, const ArenaPlan& plan);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Packs live ranges into one arena, which means that it computes an offset for each range. It does
// not know graphs or devices. Thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gpu/base/round_up.h"

namespace strata {

/// A block of bytes that is live from instant `begin` to instant `end`, both inclusive. An instant
/// is one instruction of the program.
struct LiveRange {
  size_t bytes = 0;
  int begin = 0, end = 0;
};

/// The alignment of memory that processors compute with. Other devices may need more
/// (DeviceTraits::alignment).
constexpr size_t kHostAlignment = 64;

/// Returns the space that a range takes in an arena: `bytes` rounded up to the alignment.
constexpr size_t alignedBytes(size_t bytes, size_t alignment = kHostAlignment) {
  return roundUp(bytes, alignment);
}

/// The offsets of all ranges and the size of the arena. All sizes are computed from ranges rounded
/// up to `alignment`.
struct ArenaPlan {
  // One offset per range, a multiple of `alignment`
  std::vector<size_t> offsets;
  // The size of the arena
  size_t peakBytes = 0;
  // The maximum number of bytes that are live at once; no plan can be smaller
  size_t lowerBoundBytes = 0;
  // The first instant with lowerBoundBytes live bytes
  int peakInstant = 0;
  size_t alignment = kHostAlignment;
};

/// Computes an offset for each range. Tries several placements and returns the one with the
/// smallest arena. The first placements stack ranges by lifetime, from one end and from both ends
/// of the arena. If there are at most 4096 ranges, greedy placements by size, lifetime and creation
/// follow. They are repeated with the topmost range placed earlier. The result is deterministic.
/// For more than 4096 ranges, the running time is O(n log n). `checkStop` is called every few
/// milliseconds and may throw to end the work.
/// Fails: Internal unless 0 <= begin <= end for every range.
ArenaPlan planArena(std::span<const LiveRange> ranges, const std::function<void()>& checkStop = {},
                    size_t alignment = kHostAlignment);
/// Checks a plan independently of how it was made. Fails: Internal if ranges overlap, or if
/// offsets, peak or lower bound are wrong.
void checkArenaPlan(std::span<const LiveRange> ranges, const ArenaPlan& plan);

}  // namespace strata

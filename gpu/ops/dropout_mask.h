// SPDX-License-Identifier: Apache-2.0
// Decides which elements dropout keeps. The decision is a pure function of seed, stream, step and
// the number of the element in the epoch. It is therefore the same for every device, number of
// threads and division into micro-batches, and for the forward and the backward pass.
// Thread: all functions are pure.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/base/rng.h"

namespace strata {

/// Returns the number of the random stream that a layer with the stream number `stream` uses at one
/// step.
inline uint64_t dropoutStream(uint64_t stream, int64_t step) {
  return stream + 0x9E3779B97F4A7C15u * static_cast<uint64_t>(step);
}

/// Returns the random words of the four elements from number 4 * block on. The number of an element
/// is p * n + i, where p is the position in the epoch of the batch's first sample, n is the number
/// of elements per sample, and i is the element's index in the batch.
inline std::array<uint32_t, 4> dropoutWords(uint64_t seed, uint64_t streamAtStep, int64_t block) {
  return randomWords(seed, streamAtStep, static_cast<uint64_t>(block));
}

/// Returns whether dropout keeps the element with this random word. Requires: 0 <= rate < 1.
inline bool dropoutKeeps(uint32_t word, float rate) { return uniformFloat(word) >= rate; }

}  // namespace strata

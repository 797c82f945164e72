// SPDX-License-Identifier: Apache-2.0
// Decides which elements dropout keeps. The decision is a pure function of seed, stream, step and
// position in the global batch. It is the same for every backend, thread count, batch split and
// direction.
// Thread: all functions are pure.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/base/rng.h"

namespace strata {

/// Returns the stream number of a layer at one step.
inline uint64_t dropoutStream(uint64_t stream, int64_t step) {
  return stream + 0x9E3779B97F4A7C15u * static_cast<uint64_t>(step);
}

/// Returns the random words of elements [4 * block, 4 * block + 4). The number of an element is the
/// global position of the first sample times the elements per sample, plus the element's index in
/// the batch.
inline std::array<uint32_t, 4> dropoutWords(uint64_t seed, uint64_t streamAtStep, int64_t block) {
  return randomWords(seed, streamAtStep, static_cast<uint64_t>(block));
}

/// Returns whether dropout keeps the element with this random word. Requires: 0 <= rate < 1.
inline bool dropoutKeeps(uint32_t word, float rate) { return uniformFloat(word) >= rate; }

}  // namespace strata

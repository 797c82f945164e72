// SPDX-License-Identifier: Apache-2.0
// Decides which elements dropout keeps: a pure function of (seed, stream, step, element of the
// global batch). It is the same for every backend, thread count, batch split and direction. Thread:
// pure.
#pragma once

#include <array>
#include <cstdint>

#include "gpu/base/rng.h"

namespace strata {

/// The stream number of a layer at one step.
inline uint64_t dropoutStream(uint64_t stream, int64_t step) {
  return stream + 0x9E3779B97F4A7C15u * static_cast<uint64_t>(step);
}

/// The random words of elements 4*block .. 4*block+3. Element = global position of the first sample
/// * elements per sample + index in the batch.
inline std::array<uint32_t, 4> dropoutWords(uint64_t seed, uint64_t streamAtStep, int64_t block) {
  return randomWords(seed, streamAtStep, static_cast<uint64_t>(block));
}

/// Requires: 0 <= rate < 1.
inline bool dropoutKeeps(uint32_t word, float rate) { return uniformFloat(word) >= rate; }

}  // namespace strata

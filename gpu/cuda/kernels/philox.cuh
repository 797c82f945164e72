// SPDX-License-Identifier: Apache-2.0
// The random numbers of gpu/base/rng.h and the decisions of gpu/ops/dropout_mask.h in kernels.
#pragma once

#include "gpu/cuda/kernels/device.cuh"

namespace strata::cuda {

struct PhiloxWords {
  uint32_t words[4];

  __device__ uint32_t at(int64_t i) const {
    if (i < 2) return i == 0 ? words[0] : words[1];
    return i == 2 ? words[2] : words[3];
  }
};

/// Returns block number `block` of the stream (Philox4x32-10).
__device__ inline PhiloxWords philoxWords(uint64_t seed, uint64_t stream, uint64_t block) {
  uint32_t a = static_cast<uint32_t>(block), b = static_cast<uint32_t>(block >> 32),
           c = static_cast<uint32_t>(stream), d = static_cast<uint32_t>(stream >> 32);
  uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t first = uint64_t{0xD2511F53u} * a, second = uint64_t{0xCD9E8D57u} * c;
    a = static_cast<uint32_t>(second >> 32) ^ b ^ key0;
    b = static_cast<uint32_t>(second);
    c = static_cast<uint32_t>(first >> 32) ^ d ^ key1;
    d = static_cast<uint32_t>(first);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return {{a, b, c, d}};
}

/// Returns the number of the stream that a layer uses at one step.
__device__ inline uint64_t streamAtStep(uint64_t stream, int64_t step) {
  return stream + 0x9E3779B97F4A7C15u * static_cast<uint64_t>(step);
}

/// Returns whether dropout keeps the element with this random word.
__device__ inline bool keepsWord(uint32_t word, float rate) {
  return static_cast<float>(word >> 8) * 0x1p-24f >= rate;
}

}  // namespace strata::cuda

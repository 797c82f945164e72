// SPDX-License-Identifier: Apache-2.0
// A matrix product, as a parameter of the kernel that computes what libraries refuse. C++17.
// Thread: plain values.
#pragma once

#include <cstdint>

namespace strata::cuda {

// A block computes a square tile of the result with this side
constexpr int kMatmulTile = 64;
constexpr int kMatmulThreads = 256;

/// D = op(A) op(B) + bias, all column-major, as StrataMatmul (gpu/cuda/library_calls.h) says.
struct MatmulShape {
  int64_t m = 0, n = 0, k = 0, batches = 1;
  int64_t lda = 0, ldb = 0, ldd = 0;
  int64_t strideA = 0, strideB = 0, strideD = 0;
  int32_t transposeA = 0, transposeB = 0;
};

}  // namespace strata::cuda

// SPDX-License-Identifier: Apache-2.0
// The index of the largest element of a row, one thread per row. The first of equal elements wins.
#include "gpu/cuda/kernels/device.cuh"

namespace strata::cuda {

/// x is [outer, length, inner], y is [outer, inner].
template <class T>
__device__ void argmax(const T* STRATA_RESTRICT x, int32_t* y, int64_t rows, int64_t length,
                       int64_t inner) {
  const int64_t row = globalThread();
  if (row >= rows) return;
  const T* from = x + row / inner * length * inner + row % inner;
  int64_t best = 0;
  float largest = static_cast<float>(toFloat(from[0]));
  for (int64_t i = 1; i < length; ++i) {
    const float value = toFloat(from[i * inner]);
    if (value > largest) {
      largest = value;
      best = i;
    }
  }
  y[row] = static_cast<int32_t>(best);
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                     \
  STRATA_GLOBAL argmax_##suffix(const T* x, int32_t* y, int64_t rows, int64_t length, \
                                int64_t inner) {                                      \
    strata::cuda::argmax(x, y, rows, length, inner);                                  \
  }                                                                                   \
  STRATA_KERNEL(argmax_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

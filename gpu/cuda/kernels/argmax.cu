// SPDX-License-Identifier: Apache-2.0
// The index of the largest element of a row. The first of equal elements wins. NaN counts as
// smaller than every number, except as the first element, where it wins.
#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

template <class T>
__device__ inline NumberOf<T> rankOf(T x, int64_t index) {
  const NumberOf<T> value = toNumber(x);
  if constexpr (std::is_integral_v<T>) {
    return value;
  }
  else {
    if (value == value) return value;
    return index == 0 ? INFINITY : -INFINITY;
  }
}

/// One warp per row and part: x is [outer, length, inner], best is [rows, parts]. Part p looks at
/// the elements from p * perPart on.
template <class T>
__device__ void argmaxWarps(const T* STRATA_RESTRICT x, int32_t* best, int64_t rows, int64_t length,
                            int64_t inner, int64_t parts, int64_t perPart) {
  const int64_t job = globalThread() / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (job >= rows * parts) return;
  const int64_t row = job / parts, begin = job % parts * perPart;
  const int64_t end = begin + perPart < length ? begin + perPart : length;
  const T* from = x + row / inner * length * inner + row % inner;
  int64_t index = begin + lane < end ? begin + lane : begin;
  NumberOf<T> largest = rankOf(from[index * inner], index);
  for (int64_t i = index + kWarp; i < end; i += kWarp) {
    const NumberOf<T> value = rankOf(from[i * inner], i);
    if (value > largest) {
      largest = value;
      index = i;
    }
  }
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const NumberOf<T> other = shuffleXor(largest, distance);
    const int64_t otherIndex = shuffleXor(index, distance);
    if (other > largest || (other == largest && otherIndex < index)) {
      largest = other;
      index = otherIndex;
    }
  }
  if (lane == 0) best[job] = static_cast<int32_t>(index);
}

/// Chooses among candidates[rows, parts], which are indices in ascending order. One thread per row.
/// Without candidates, it looks at all elements.
template <class T>
__device__ void argmaxThreads(const T* STRATA_RESTRICT x, const int32_t* candidates, int32_t* y,
                              int64_t rows, int64_t length, int64_t inner, int64_t parts) {
  const int64_t row = globalThread();
  if (row >= rows) return;
  const T* from = x + row / inner * length * inner + row % inner;
  int64_t index = candidates ? candidates[row * parts] : 0;
  NumberOf<T> largest = rankOf(from[index * inner], index);
  const int64_t count = candidates ? parts : length;
  for (int64_t k = 1; k < count; ++k) {
    const int64_t i = candidates ? candidates[row * parts + k] : k;
    const NumberOf<T> value = rankOf(from[i * inner], i);
    if (value > largest) {
      largest = value;
      index = i;
    }
  }
  y[row] = static_cast<int32_t>(index);
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                              \
  STRATA_GLOBAL argmax_warps_##suffix(const T* x, int32_t* best, int64_t rows, int64_t length, \
                                      int64_t inner, int64_t parts, int64_t perPart) {         \
    strata::cuda::argmaxWarps(x, best, rows, length, inner, parts, perPart);                   \
  }                                                                                            \
  STRATA_COOPERATIVE_KERNEL(argmax_warps_##suffix)                                             \
  STRATA_GLOBAL argmax_threads_##suffix(const T* x, const int32_t* candidates, int32_t* y,     \
                                        int64_t rows, int64_t length, int64_t inner,           \
                                        int64_t parts) {                                       \
    strata::cuda::argmaxThreads(x, candidates, y, rows, length, inner, parts);                 \
  }                                                                                            \
  STRATA_KERNEL(argmax_threads_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
STRATA_FOR_INTEGERS(STRATA_KERNELS)
#undef STRATA_KERNELS

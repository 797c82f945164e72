// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax along an axis, with a thread, a warp or a block per row. The result may
// overwrite the operand.
#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

__device__ inline float softmaxValue(float shifted, float sum, int32_t isLog) {
  return isLog ? shifted - logf(sum) : expf(shifted) / sum;
}

/// Computes a row whose elements are `inner` apart, with the threads first, first + step, ..
/// joinMaximum() and joinSum() join the values of all threads of the row.
template <class T, class JoinMaximum, class JoinSum>
__device__ inline void softmaxRow(const T* x, T* y, int64_t length, int64_t inner, int64_t first,
                                  int64_t step, int32_t isLog, JoinMaximum joinMaximum,
                                  JoinSum joinSum) {
  float largest = -INFINITY, sum = 0;
  for (int64_t i = first; i < length; i += step)
    largest = fmaxf(largest, toFloat(x[i * inner]));
  largest = joinMaximum(largest);
  for (int64_t i = first; i < length; i += step)
    sum += expf(toFloat(x[i * inner]) - largest);
  sum = joinSum(sum);
  for (int64_t i = first; i < length; i += step)
    y[i * inner] = fromFloat<T>(softmaxValue(toFloat(x[i * inner]) - largest, sum, isLog));
}

/// The place of a row in [outer, length, inner].
__device__ inline int64_t placeOfRow(int64_t row, int64_t length, int64_t inner) {
  return row / inner * length * inner + row % inner;
}

template <class T>
__device__ void softmaxWarps(const T* x, T* y, int64_t rows, int64_t length, int64_t inner,
                             int32_t isLog) {
  const int64_t row = globalThread() / kWarp;
  if (row >= rows) return;
  const int64_t place = placeOfRow(row, length, inner);
  softmaxRow(
      x + place, y + place, length, inner, threadIdx.x % kWarp, kWarp, isLog,
      [](float value) { return reduceWarp<Maximum>(value); },
      [](float value) { return reduceWarp<Sum>(value); });
}

template <class T>
__device__ void softmaxBlocks(const T* x, T* y, int64_t length, int64_t inner, int32_t isLog) {
  const int64_t place = placeOfRow(blockIdx.x, length, inner);
  softmaxRow(
      x + place, y + place, length, inner, threadIdx.x, blockDim.x, isLog,
      [](float value) { return reduceBlock<Maximum>(value); },
      [](float value) { return reduceBlock<Sum>(value); });
}

template <class T>
__device__ void softmaxThreads(const T* x, T* y, int64_t rows, int64_t length, int64_t inner,
                               int32_t isLog) {
  const int64_t row = globalThread();
  if (row >= rows) return;
  const int64_t place = placeOfRow(row, length, inner);
  softmaxRow(
      x + place, y + place, length, inner, 0, 1, isLog, [](float value) { return value; },
      [](float value) { return value; });
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                        \
  STRATA_GLOBAL softmax_warps_##suffix(const T* x, T* y, int64_t rows, int64_t length,   \
                                       int64_t inner, int32_t isLog) {                   \
    strata::cuda::softmaxWarps(x, y, rows, length, inner, isLog);                        \
  }                                                                                      \
  STRATA_COOPERATIVE_KERNEL(softmax_warps_##suffix)                                      \
  STRATA_GLOBAL softmax_blocks_##suffix(const T* x, T* y, int64_t length, int64_t inner, \
                                        int32_t isLog) {                                 \
    strata::cuda::softmaxBlocks(x, y, length, inner, isLog);                             \
  }                                                                                      \
  STRATA_COOPERATIVE_KERNEL(softmax_blocks_##suffix)                                     \
  STRATA_GLOBAL softmax_threads_##suffix(const T* x, T* y, int64_t rows, int64_t length, \
                                         int64_t inner, int32_t isLog) {                 \
    strata::cuda::softmaxThreads(x, y, rows, length, inner, isLog);                      \
  }                                                                                      \
  STRATA_KERNEL(softmax_threads_##suffix)                                                \
  STRATA_GLOBAL sigmoid_cross_entropy_##suffix(const T* x, const T* target, T* loss,     \
                                               int64_t count) {                          \
    const int64_t i = strata::cuda::globalThread();                                      \
    if (i >= count) return;                                                              \
    const float logit = strata::cuda::toFloat(x[i]);                                     \
    loss[i] = strata::cuda::fromFloat<T>((logit <= 0 ? 0.0f : logit) -                   \
                                         logit * strata::cuda::toFloat(target[i]) +      \
                                         log1pf(expf(-fabsf(logit))));                   \
  }                                                                                      \
  STRATA_KERNEL(sigmoid_cross_entropy_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

// SPDX-License-Identifier: Apache-2.0
// Softmax and log-softmax along an axis: of contiguous rows by a warp or a block per row, of other
// rows by a thread per row. The result may overwrite the operand.
#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

__device__ inline float softmaxValue(float shifted, float sum, int32_t isLog) {
  return isLog ? shifted - logf(sum) : expf(shifted) / sum;
}

/// x is [rows, length].
template <class T>
__device__ void softmaxWarps(const T* x, T* y, int64_t rows, int64_t length, int32_t isLog) {
  const int64_t row = globalThread() / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (row >= rows) return;
  x += row * length;
  y += row * length;
  float largest = -INFINITY, sum = 0;
  for (int64_t i = lane; i < length; i += kWarp)
    largest = fmaxf(largest, toFloat(x[i]));
  largest = reduceWarp<Maximum>(largest);
  for (int64_t i = lane; i < length; i += kWarp)
    sum += expf(toFloat(x[i]) - largest);
  sum = reduceWarp<Sum>(sum);
  for (int64_t i = lane; i < length; i += kWarp)
    y[i] = fromFloat<T>(softmaxValue(toFloat(x[i]) - largest, sum, isLog));
}

template <class T>
__device__ void softmaxBlocks(const T* x, T* y, int64_t length, int32_t isLog) {
  x += static_cast<int64_t>(blockIdx.x) * length;
  y += static_cast<int64_t>(blockIdx.x) * length;
  float largest = -INFINITY, sum = 0;
  for (int64_t i = threadIdx.x; i < length; i += blockDim.x)
    largest = fmaxf(largest, toFloat(x[i]));
  largest = reduceBlock<Maximum>(largest);
  for (int64_t i = threadIdx.x; i < length; i += blockDim.x)
    sum += expf(toFloat(x[i]) - largest);
  sum = reduceBlock<Sum>(sum);
  for (int64_t i = threadIdx.x; i < length; i += blockDim.x)
    y[i] = fromFloat<T>(softmaxValue(toFloat(x[i]) - largest, sum, isLog));
}

/// x is [outer, length, inner].
template <class T>
__device__ void softmaxThreads(const T* x, T* y, int64_t rows, int64_t length, int64_t inner,
                               int32_t isLog) {
  const int64_t row = globalThread();
  if (row >= rows) return;
  const int64_t begin = row / inner * length * inner + row % inner;
  float largest = -INFINITY, sum = 0;
  for (int64_t i = 0; i < length; ++i)
    largest = fmaxf(largest, toFloat(x[begin + i * inner]));
  for (int64_t i = 0; i < length; ++i)
    sum += expf(toFloat(x[begin + i * inner]) - largest);
  for (int64_t i = 0; i < length; ++i)
    y[begin + i * inner] =
        fromFloat<T>(softmaxValue(toFloat(x[begin + i * inner]) - largest, sum, isLog));
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                          \
  STRATA_GLOBAL softmax_warps_##suffix(const T* x, T* y, int64_t rows, int64_t length,     \
                                       int32_t isLog) {                                    \
    strata::cuda::softmaxWarps(x, y, rows, length, isLog);                                 \
  }                                                                                        \
  STRATA_COOPERATIVE_KERNEL(softmax_warps_##suffix)                                        \
  STRATA_GLOBAL softmax_blocks_##suffix(const T* x, T* y, int64_t length, int32_t isLog) { \
    strata::cuda::softmaxBlocks(x, y, length, isLog);                                      \
  }                                                                                        \
  STRATA_COOPERATIVE_KERNEL(softmax_blocks_##suffix)                                       \
  STRATA_GLOBAL softmax_threads_##suffix(const T* x, T* y, int64_t rows, int64_t length,   \
                                         int64_t inner, int32_t isLog) {                   \
    strata::cuda::softmaxThreads(x, y, rows, length, inner, isLog);                        \
  }                                                                                        \
  STRATA_KERNEL(softmax_threads_##suffix)                                                  \
  STRATA_GLOBAL sigmoid_cross_entropy_##suffix(const T* x, const T* target, T* loss,       \
                                               int64_t count) {                            \
    const int64_t i = strata::cuda::globalThread();                                        \
    if (i >= count) return;                                                                \
    const float logit = strata::cuda::toFloat(x[i]);                                       \
    loss[i] = strata::cuda::fromFloat<T>((logit <= 0 ? 0.0f : logit) -                     \
                                         logit * strata::cuda::toFloat(target[i]) +        \
                                         log1pf(expf(-fabsf(logit))));                     \
  }                                                                                        \
  STRATA_KERNEL(sigmoid_cross_entropy_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

// SPDX-License-Identifier: Apache-2.0
// Softmax cross-entropy and its gradient, one warp per row. A label outside the classes that is not
// ignored gives a NaN loss.
#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

/// `labelBytes` is the size of an integer label, or 0 if `target` is [rows, classes] of type T.
template <class T>
__device__ void crossEntropy(const T* x, const void* target, T* loss, T* probabilities,
                             int64_t rows, int64_t classes, int32_t labelBytes, int64_t ignored) {
  const int64_t row = globalThread() / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (row >= rows) return;
  x += row * classes;
  float largest = -INFINITY, sum = 0, dense = 0;
  for (int64_t i = lane; i < classes; i += kWarp)
    largest = fmaxf(largest, toFloat(x[i]));
  largest = reduceWarp<Maximum>(largest);
  for (int64_t i = lane; i < classes; i += kWarp)
    sum += expf(toFloat(x[i]) - largest);
  sum = reduceWarp<Sum>(sum);
  const float logSum = logf(sum) + largest;
  float result = 0;
  if (labelBytes > 0) {
    const int64_t label = integerAt(target, labelBytes, row);
    if (ignored >= 0 && label == ignored)
      result = 0;
    else if (label < 0 || label >= classes)
      result = NAN;
    else
      result = logSum - toFloat(x[label]);
  }
  else {
    const T* wanted = static_cast<const T*>(target) + row * classes;
    for (int64_t i = lane; i < classes; i += kWarp)
      dense += toFloat(wanted[i]) * (logSum - toFloat(x[i]));
    result = reduceWarp<Sum>(dense);
  }
  for (int64_t i = lane; i < classes; i += kWarp)
    probabilities[row * classes + i] = fromFloat<T>(expf(toFloat(x[i]) - largest) / sum);
  if (lane == 0) loss[row] = fromFloat<T>(result);
}

template <class T>
__device__ void crossEntropyBackward(const T* gradient, const T* probabilities, const void* target,
                                     T* dx, int64_t rows, int64_t classes, int32_t labelBytes,
                                     int64_t ignored) {
  const int64_t row = globalThread() / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (row >= rows) return;
  const float dy = toFloat(gradient[row]);
  const int64_t begin = row * classes;
  if (labelBytes > 0) {
    const int64_t label = integerAt(target, labelBytes, row);
    const bool isIgnored = ignored >= 0 && label == ignored;
    for (int64_t i = lane; i < classes; i += kWarp)
      dx[begin + i] = fromFloat<T>(
          isIgnored ? 0.0f : (toFloat(probabilities[begin + i]) - (i == label ? 1.0f : 0.0f)) * dy);
    return;
  }
  const T* wanted = static_cast<const T*>(target) + begin;
  // 1 if the target is a distribution; it makes the gradient exact for others
  float mass = 0;
  for (int64_t i = lane; i < classes; i += kWarp)
    mass += toFloat(wanted[i]);
  mass = reduceWarp<Sum>(mass);
  for (int64_t i = lane; i < classes; i += kWarp)
    dx[begin + i] =
        fromFloat<T>((toFloat(probabilities[begin + i]) * mass - toFloat(wanted[i])) * dy);
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                               \
  STRATA_GLOBAL softmax_cross_entropy_##suffix(const T* x, const void* target, T* loss,         \
                                               T* probabilities, int64_t rows, int64_t classes, \
                                               int32_t labelBytes, int64_t ignored) {           \
    strata::cuda::crossEntropy(x, target, loss, probabilities, rows, classes, labelBytes,       \
                               ignored);                                                        \
  }                                                                                             \
  STRATA_COOPERATIVE_KERNEL(softmax_cross_entropy_##suffix)                                     \
  STRATA_GLOBAL softmax_cross_entropy_backward_##suffix(                                        \
      const T* gradient, const T* probabilities, const void* target, T* dx, int64_t rows,       \
      int64_t classes, int32_t labelBytes, int64_t ignored) {                                   \
    strata::cuda::crossEntropyBackward(gradient, probabilities, target, dx, rows, classes,      \
                                       labelBytes, ignored);                                    \
  }                                                                                             \
  STRATA_COOPERATIVE_KERNEL(softmax_cross_entropy_backward_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

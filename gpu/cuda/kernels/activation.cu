// SPDX-License-Identifier: Apache-2.0
// Activations, their gradients, and the bias and activation behind a product or convolution.
#include "gpu/cuda/kernels/activation.cuh"

namespace strata::cuda {

template <class T>
__device__ void activate(const T* STRATA_RESTRICT x, T* y, int64_t count, int32_t kind,
                         float alpha) {
  const int64_t i = globalThread();
  if (i < count) y[i] = fromFloat<T>(activationValue(kind, toFloat(x[i]), alpha));
}

template <class T>
__device__ void activateBackward(const T* dy, const T* saved, T* dx, int64_t count, int32_t kind,
                                 float alpha) {
  const int64_t i = globalThread();
  if (i < count)
    dx[i] = fromFloat<T>(toFloat(dy[i]) * activationSlope(kind, toFloat(saved[i]), alpha));
}

/// x[rows, columns] becomes f(x + bias[columns]). `bias` may be null.
template <class T>
__device__ void biasActivation(T* x, const T* bias, int64_t count, int64_t columns, int32_t kind,
                               float alpha) {
  const int64_t i = globalThread();
  if (i >= count) return;
  float value = toFloat(x[i]);
  if (bias) value += toFloat(bias[i % columns]);
  x[i] = fromFloat<T>(activationValue(kind, value, alpha));
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                 \
  STRATA_GLOBAL activation_##suffix(const T* x, T* y, int64_t count, int32_t kind, float alpha) { \
    strata::cuda::activate(x, y, count, kind, alpha);                                             \
  }                                                                                               \
  STRATA_KERNEL(activation_##suffix)                                                              \
  STRATA_GLOBAL activation_backward_##suffix(const T* dy, const T* saved, T* dx, int64_t count,   \
                                             int32_t kind, float alpha) {                         \
    strata::cuda::activateBackward(dy, saved, dx, count, kind, alpha);                            \
  }                                                                                               \
  STRATA_KERNEL(activation_backward_##suffix)                                                     \
  STRATA_GLOBAL bias_activation_##suffix(T* x, const T* bias, int64_t count, int64_t columns,     \
                                         int32_t kind, float alpha) {                             \
    strata::cuda::biasActivation(x, bias, count, columns, kind, alpha);                           \
  }                                                                                               \
  STRATA_KERNEL(bias_activation_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

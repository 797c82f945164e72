// SPDX-License-Identifier: Apache-2.0
// Activations, their gradients, and the bias and activation behind a product or convolution.
#include "gpu/cuda/kernels/activation.cuh"
#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

template <class T>
__device__ void activate(const T* x, T* y, int64_t count, int32_t kind, float alpha) {
  T values[kPerThread];
  loadElements(values, count, [&](int64_t i) { return x[i]; });
  strata::visitActivation(static_cast<int>(kind), [&](auto formula) {
    storeElements(values, count, [&](int64_t i, T value) {
      y[i] = fromFloat<T>(decltype(formula)::forward(toFloat(value), alpha));
    });
  });
}

template <class T>
struct SlopeOperands {
  T dy, saved;
};

template <class T>
__device__ void activateBackward(const T* dy, const T* saved, T* dx, int64_t count, int32_t kind,
                                 float alpha) {
  SlopeOperands<T> values[kPerThread];
  loadElements(values, count, [&](int64_t i) { return SlopeOperands<T>{dy[i], saved[i]}; });
  strata::visitActivation(static_cast<int>(kind), [&](auto formula) {
    storeElements(values, count, [&](int64_t i, const SlopeOperands<T>& value) {
      dx[i] = fromFloat<T>(toFloat(value.dy) *
                           decltype(formula)::derivative(toFloat(value.saved), alpha));
    });
  });
}

/// x[rows, columns, inner] becomes f(x + bias[columns]). `bias` may be null.
template <class T>
__device__ void biasActivation(T* x, const T* bias, int64_t count, int64_t columns, int64_t inner,
                               int32_t kind, float alpha) {
  const int64_t i = globalThread();
  if (i >= count) return;
  float value = toFloat(x[i]);
  if (bias) {
    const int64_t line = inner == 1 ? i : quotient(i, inner);
    value += toFloat(bias[line - quotient(line, columns) * columns]);
  }
  x[i] = fromFloat<T>(activationValue(kind, value, alpha));
}

/// y[rows, columns] = x + addend + bias[columns]. `x` and `bias` may be null, and y may overwrite
/// addend.
template <class T>
__device__ void addOperands(const T* x, const T* addend, const T* bias, T* y, int64_t count,
                            int64_t columns) {
  const int64_t i = globalThread();
  if (i >= count) return;
  float value = toFloat(addend[i]);
  if (x) value += toFloat(x[i]);
  if (bias) value += toFloat(bias[i - quotient(i, columns) * columns]);
  y[i] = fromFloat<T>(value);
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
                                         int64_t inner, int32_t kind, float alpha) {              \
    strata::cuda::biasActivation(x, bias, count, columns, inner, kind, alpha);                    \
  }                                                                                               \
  STRATA_KERNEL(bias_activation_##suffix)                                                         \
  STRATA_GLOBAL add_operands_##suffix(const T* x, const T* addend, const T* bias, T* y,           \
                                      int64_t count, int64_t columns) {                           \
    strata::cuda::addOperands(x, addend, bias, y, count, columns);                                \
  }                                                                                               \
  STRATA_KERNEL(add_operands_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

// SPDX-License-Identifier: Apache-2.0
// Elementwise arithmetic, one thread per element. A number chooses the op, so that one kernel
// serves all ops of a kind.
#include "gpu/cuda/kernels/device.cuh"
#include "gpu/cuda/kernels/pointwise.h"

namespace strata::cuda {

template <class T>
__device__ void affine(const T* x, T* y, int64_t count, float scale, float offset) {
  const int64_t i = globalThread();
  if (i < count) y[i] = fromFloat<T>(toFloat(x[i]) * scale + offset);
}

template <class T>
__device__ inline bool compares(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::Less: return a < b;
    case BinaryOp::LessEqual: return a <= b;
    case BinaryOp::Greater: return a > b;
    case BinaryOp::GreaterEqual: return a >= b;
    case BinaryOp::Equal: return a == b;
    default: return a != b;
  }
}

__device__ inline float binaryValue(BinaryOp op, float a, float b) {
  switch (op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Subtract: return a - b;
    case BinaryOp::Multiply: return a * b;
    case BinaryOp::Divide: return a / b;
    // A NaN operand gives NaN
    case BinaryOp::Maximum: return a > b || a != a ? a : b;
    case BinaryOp::Minimum: return a < b || a != a ? a : b;
    case BinaryOp::Power: return powf(a, b);
    default: return compares(op, a, b) ? 1.0f : 0.0f;
  }
}

template <class T>
__device__ void binary(const T* a, const T* b, T* y, int64_t count, const Walk& walk, int32_t op) {
  const int64_t i = globalThread();
  if (i < count)
    y[i] = fromFloat<T>(binaryValue(static_cast<BinaryOp>(op), toFloat(a[walk.offset(i, 0)]),
                                    toFloat(b[walk.offset(i, 1)])));
}

/// Integers: division by zero gives 0, and powers are computed in double.
template <class T>
__device__ void binaryInteger(const T* a, const T* b, T* y, int64_t count, const Walk& walk,
                              int32_t op) {
  const int64_t i = globalThread();
  if (i >= count) return;
  const T left = a[walk.offset(i, 0)], right = b[walk.offset(i, 1)];
  switch (static_cast<BinaryOp>(op)) {
    case BinaryOp::Add: y[i] = static_cast<T>(left + right); return;
    case BinaryOp::Subtract: y[i] = static_cast<T>(left - right); return;
    case BinaryOp::Multiply: y[i] = static_cast<T>(left * right); return;
    case BinaryOp::Divide: y[i] = right == 0 ? T{0} : static_cast<T>(left / right); return;
    case BinaryOp::Maximum: y[i] = left > right ? left : right; return;
    case BinaryOp::Minimum: y[i] = left < right ? left : right; return;
    case BinaryOp::Power:
      y[i] = static_cast<T>(pow(static_cast<double>(left), static_cast<double>(right)));
      return;
    default: y[i] = compares(static_cast<BinaryOp>(op), left, right) ? T{1} : T{0};
  }
}

__device__ inline float asNumber(float value) { return value; }
__device__ inline float asNumber(bf16 value) { return toFloat(value); }
__device__ inline float asNumber(f16 value) { return toFloat(value); }
__device__ inline int64_t asNumber(int32_t value) { return value; }
__device__ inline int64_t asNumber(int64_t value) { return value; }
__device__ inline int64_t asNumber(uint8_t value) { return value; }

template <class To>
__device__ inline To fromNumber(float value) {
  return fromFloat<To>(value);
}

template <class From, class To>
__device__ void cast(const From* x, To* y, int64_t count) {
  const int64_t i = globalThread();
  if (i >= count) return;
  if constexpr (std::is_integral_v<To>)
    y[i] = static_cast<To>(asNumber(x[i]));
  else
    y[i] = fromFloat<To>(static_cast<float>(asNumber(x[i])));
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                             \
  STRATA_GLOBAL affine_##suffix(const T* x, T* y, int64_t count, float scale, float offset) { \
    strata::cuda::affine(x, y, count, scale, offset);                                         \
  }                                                                                           \
  STRATA_KERNEL(affine_##suffix)                                                              \
  STRATA_GLOBAL binary_##suffix(const T* a, const T* b, T* y, int64_t count,                  \
                                strata::cuda::Walk walk, int32_t op) {                        \
    strata::cuda::binary(a, b, y, count, walk, op);                                           \
  }                                                                                           \
  STRATA_KERNEL(binary_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

#define STRATA_FOR_INTEGERS(X) X(i32, int32_t) X(i64, int64_t) X(u8, uint8_t)
#define STRATA_KERNELS(suffix, T)                                            \
  STRATA_GLOBAL binary_##suffix(const T* a, const T* b, T* y, int64_t count, \
                                strata::cuda::Walk walk, int32_t op) {       \
    strata::cuda::binaryInteger(a, b, y, count, walk, op);                   \
  }                                                                          \
  STRATA_KERNEL(binary_##suffix)
STRATA_FOR_INTEGERS(STRATA_KERNELS)
#undef STRATA_KERNELS

#define STRATA_CAST(from, From, to, To)                                   \
  STRATA_GLOBAL cast_##from##_##to(const From* x, To* y, int64_t count) { \
    strata::cuda::cast(x, y, count);                                      \
  }                                                                       \
  STRATA_KERNEL(cast_##from##_##to)
#define STRATA_CASTS(from, From)                    \
  STRATA_CAST(from, From, f32, float)               \
  STRATA_CAST(from, From, bf16, strata::cuda::bf16) \
  STRATA_CAST(from, From, f16, strata::cuda::f16)   \
  STRATA_CAST(from, From, i32, int32_t)             \
  STRATA_CAST(from, From, i64, int64_t)             \
  STRATA_CAST(from, From, u8, uint8_t)
STRATA_FOR_FLOATING(STRATA_CASTS)
STRATA_FOR_INTEGERS(STRATA_CASTS)

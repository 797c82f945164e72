// SPDX-License-Identifier: Apache-2.0
// Elementwise arithmetic. A number chooses the op, so that one kernel serves all ops of a kind.
// Outputs may overwrite operands.
#include "gpu/cuda/kernels/formulas.cuh"

namespace strata::cuda {

template <class T>
__device__ void unary(const T* x, T* y, int64_t count, UnaryOp op) {
  if constexpr (!std::is_integral_v<T>) {
    if (op == UnaryOp::Sin || op == UnaryOp::Cos)
      return forElementsInTurn(count, [&](int64_t i) {
        const float value = toFloat(x[i]);
        y[i] = fromFloat<T>(op == UnaryOp::Sin ? sinf(value) : cosf(value));
      });
  }
  T values[kPerThread];
  loadElements(values, count, [&](int64_t i) { return x[i]; });
  if constexpr (std::is_integral_v<T>)
    storeElements(values, count, [&](int64_t i, T value) { y[i] = unaryInteger(op, value); });
  else
    visitUnary(op, [&](auto formula) {
      storeElements(values, count,
                    [&](int64_t i, T value) { y[i] = fromFloat<T>(formula(toFloat(value))); });
    });
}

template <class T>
struct BinaryOperands {
  T a, b;
};

template <class T>
__device__ void binary(const T* a, const T* b, T* y, int64_t count, const Walk& walk, BinaryOp op) {
  const auto load = [&](int64_t i) {
    return BinaryOperands<T>{a[walk.offset(i, 0)], b[walk.offset(i, 1)]};
  };
  if constexpr (!std::is_integral_v<T>) {
    if (op == BinaryOp::Power)
      return forElementsInTurn(count, [&](int64_t i) {
        const BinaryOperands<T> value = load(i);
        y[i] = fromFloat<T>(powf(toFloat(value.a), toFloat(value.b)));
      });
  }
  BinaryOperands<T> values[kPerThread];
  loadElements(values, count, load);
  if constexpr (std::is_integral_v<T>)
    storeElements(values, count, [&](int64_t i, const BinaryOperands<T>& value) {
      y[i] = binaryInteger(op, value.a, value.b);
    });
  else
    visitBinary(op, [&](auto formula) {
      storeElements(values, count, [&](int64_t i, const BinaryOperands<T>& value) {
        y[i] = fromFloat<T>(formula(toFloat(value.a), toFloat(value.b)));
      });
    });
}

template <class T>
__device__ void select(const T* condition, const T* a, const T* b, T* y, int64_t count,
                       const Walk& walk) {
  // Only the element that is chosen is read
  forElements(
      count,
      [&](int64_t i) {
        return toNumber(condition[walk.offset(i, 0)]) != 0 ? a[walk.offset(i, 1)]
                                                           : b[walk.offset(i, 2)];
      },
      [&](int64_t i, T value) { y[i] = value; });
}

template <class From, class To>
__device__ void cast(const From* x, To* y, int64_t count) {
  forElements(
      count, [&](int64_t i) { return x[i]; },
      [&](int64_t i, From value) { y[i] = fromNumber<To>(toNumber(value)); });
}

template <class From, class To>
__device__ void affine(const From* x, To* y, int64_t count, float scale, float offset) {
  forElements(
      count, [&](int64_t i) { return x[i]; },
      [&](int64_t i, From value) {
        y[i] = fromFloat<To>(scaleAndOffset(static_cast<float>(toNumber(value)), scale, offset));
      });
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                \
  STRATA_GLOBAL unary_##suffix(const T* x, T* y, int64_t count, int32_t op) {                    \
    strata::cuda::unary(x, y, count, static_cast<strata::cuda::UnaryOp>(op));                    \
  }                                                                                              \
  STRATA_KERNEL(unary_##suffix)                                                                  \
  STRATA_GLOBAL binary_##suffix(const T* a, const T* b, T* y, int64_t count,                     \
                                strata::cuda::Walk walk, int32_t op) {                           \
    strata::cuda::binary(a, b, y, count, walk, static_cast<strata::cuda::BinaryOp>(op));         \
  }                                                                                              \
  STRATA_KERNEL(binary_##suffix)                                                                 \
  STRATA_GLOBAL select_##suffix(const T* condition, const T* a, const T* b, T* y, int64_t count, \
                                strata::cuda::Walk walk) {                                       \
    strata::cuda::select(condition, a, b, y, count, walk);                                       \
  }                                                                                              \
  STRATA_KERNEL(select_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
STRATA_FOR_INTEGERS(STRATA_KERNELS)
#undef STRATA_KERNELS

#define STRATA_CAST(from, From, to, To)                                   \
  STRATA_GLOBAL cast_##from##_##to(const From* x, To* y, int64_t count) { \
    strata::cuda::cast(x, y, count);                                      \
  }                                                                       \
  STRATA_KERNEL(cast_##from##_##to)
#define STRATA_AFFINE(from, From, to, To)                                              \
  STRATA_GLOBAL affine_##from##_##to(const From* x, To* y, int64_t count, float scale, \
                                     float offset) {                                   \
    strata::cuda::affine(x, y, count, scale, offset);                                  \
  }                                                                                    \
  STRATA_KERNEL(affine_##from##_##to)
#define STRATA_KERNELS(from, From)                    \
  STRATA_CAST(from, From, f32, float)                 \
  STRATA_CAST(from, From, bf16, strata::cuda::bf16)   \
  STRATA_CAST(from, From, f16, strata::cuda::f16)     \
  STRATA_CAST(from, From, i32, int32_t)               \
  STRATA_CAST(from, From, i64, int64_t)               \
  STRATA_CAST(from, From, u8, uint8_t)                \
  STRATA_AFFINE(from, From, f32, float)               \
  STRATA_AFFINE(from, From, bf16, strata::cuda::bf16) \
  STRATA_AFFINE(from, From, f16, strata::cuda::f16)
STRATA_FOR_FLOATING(STRATA_KERNELS)
STRATA_FOR_INTEGERS(STRATA_KERNELS)
#undef STRATA_KERNELS

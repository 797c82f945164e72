// SPDX-License-Identifier: Apache-2.0
// Elementwise arithmetic, one thread per element. A number chooses the op, so that one kernel
// serves all ops of a kind. Outputs may overwrite operands.
#include "gpu/cuda/kernels/formulas.cuh"

namespace strata::cuda {

template <class T>
__device__ void unary(const T* x, T* y, int64_t count, int32_t op) {
  const int64_t i = globalThread();
  if (i >= count) return;
  if constexpr (std::is_integral_v<T>)
    y[i] = unaryInteger(static_cast<UnaryOp>(op), x[i]);
  else
    y[i] = fromFloat<T>(unaryValue(static_cast<UnaryOp>(op), toFloat(x[i])));
}

template <class T>
__device__ void binary(const T* a, const T* b, T* y, int64_t count, const Walk& walk, int32_t op) {
  const int64_t i = globalThread();
  if (i >= count) return;
  const T left = a[walk.offset(i, 0)], right = b[walk.offset(i, 1)];
  if constexpr (std::is_integral_v<T>)
    y[i] = binaryInteger(static_cast<BinaryOp>(op), left, right);
  else
    y[i] = fromFloat<T>(binaryValue(static_cast<BinaryOp>(op), toFloat(left), toFloat(right)));
}

template <class T>
__device__ void select(const T* condition, const T* a, const T* b, T* y, int64_t count,
                       const Walk& walk) {
  const int64_t i = globalThread();
  if (i >= count) return;
  y[i] = toNumber(condition[walk.offset(i, 0)]) != 0 ? a[walk.offset(i, 1)] : b[walk.offset(i, 2)];
}

template <class From, class To>
__device__ void cast(const From* x, To* y, int64_t count) {
  const int64_t i = globalThread();
  if (i < count) y[i] = fromNumber<To>(toNumber(x[i]));
}

template <class From, class To>
__device__ void affine(const From* x, To* y, int64_t count, float scale, float offset) {
  const int64_t i = globalThread();
  if (i < count)
    y[i] = fromFloat<To>(scaleAndOffset(static_cast<float>(toNumber(x[i])), scale, offset));
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                \
  STRATA_GLOBAL unary_##suffix(const T* x, T* y, int64_t count, int32_t op) {                    \
    strata::cuda::unary(x, y, count, op);                                                        \
  }                                                                                              \
  STRATA_KERNEL(unary_##suffix)                                                                  \
  STRATA_GLOBAL binary_##suffix(const T* a, const T* b, T* y, int64_t count,                     \
                                strata::cuda::Walk walk, int32_t op) {                           \
    strata::cuda::binary(a, b, y, count, walk, op);                                              \
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

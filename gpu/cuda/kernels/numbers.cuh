// SPDX-License-Identifier: Apache-2.0
// Numbers of all element types: the types that kernels compute in, conversions, and reductions of a
// warp.
#pragma once

#include <type_traits>

#include "gpu/cuda/kernels/device.cuh"

namespace strata::cuda {

#define STRATA_FOR_INTEGERS(X) X(i32, int32_t) X(i64, int64_t) X(u8, uint8_t)
/// Calls X(suffix, type) for unsigned integers of each size, for kernels that only move elements.
#define STRATA_FOR_SIZES(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) X(8, uint64_t)

/// The element types, with the values of DType in gpu/tensor/dtype.h.
enum ElementType : int32_t { kF32, kF64, kI32, kI64, kU8, kBf16, kF16 };

/// Elements of floating types are computed in float, those of integer types in int64_t.
template <class T>
using NumberOf = std::conditional_t<std::is_integral_v<T>, int64_t, float>;

template <class T>
__device__ inline NumberOf<T> toNumber(T value) {
  if constexpr (std::is_integral_v<T>)
    return value;
  else
    return toFloat(value);
}

/// The range of an integer type.
template <class T>
constexpr T kLargestOf = std::is_unsigned_v<T>
                             ? static_cast<T>(~T{0})
                             : static_cast<T>((uint64_t{1} << (8 * sizeof(T) - 1)) - 1);
template <class T>
constexpr T kLowestOf = std::is_unsigned_v<T> ? T{0} : static_cast<T>(-kLargestOf<T> - 1);

/// Converts to an element type. Floats are truncated toward zero and clamped to the range of
/// integers. NaN gives 0.
template <class To, class Number>
__device__ inline To fromNumber(Number value) {
  if constexpr (!std::is_integral_v<To>) {
    return fromFloat<To>(static_cast<float>(value));
  }
  else if constexpr (std::is_integral_v<Number>) {
    return static_cast<To>(value);
  }
  else {
    if (!(value == value)) return 0;
    if (value <= static_cast<float>(kLowestOf<To>)) return kLowestOf<To>;
    if (value >= static_cast<float>(kLargestOf<To>)) return kLargestOf<To>;
    return static_cast<To>(value);
  }
}

/// Returns a scalar operand of any type but f64.
__device__ inline float scalarAt(const void* address, int32_t type) {
  switch (type) {
    case kI32: return static_cast<float>(*static_cast<const int32_t*>(address));
    case kI64: return static_cast<float>(*static_cast<const int64_t*>(address));
    case kU8: return static_cast<float>(*static_cast<const uint8_t*>(address));
    case kBf16: return toFloat(*static_cast<const bf16*>(address));
    case kF16: return toFloat(*static_cast<const f16*>(address));
    default: return *static_cast<const float*>(address);
  }
}

/// Returns an integer of 1, 4 or 8 bytes, such as an index or a label.
__device__ inline int64_t integerAt(const void* address, int32_t bytes, int64_t i) {
  if (bytes == 1) return static_cast<const uint8_t*>(address)[i];
  if (bytes == 4) return static_cast<const int32_t*>(address)[i];
  return static_cast<const int64_t*>(address)[i];
}

/// Returns x * scale + offset. The product is rounded, then the sum, as on other devices.
__device__ inline float scaleAndOffset(float x, float scale, float offset) {
#if defined(__CUDACC__)
  return __fadd_rn(__fmul_rn(x, scale), offset);
#else
  // The host must not fuse them either
  volatile float product = x * scale;
  return product + offset;
#endif
}

__device__ inline float shuffleXor(float value, int distance) {
  return __shfl_xor_sync(kAllLanes, value, distance);
}
__device__ inline int64_t shuffleXor(int64_t value, int distance) {
  const int low = __shfl_xor_sync(kAllLanes, static_cast<int>(value), distance),
            high = __shfl_xor_sync(kAllLanes, static_cast<int>(value >> 32), distance);
  return static_cast<int64_t>((static_cast<uint64_t>(static_cast<uint32_t>(high)) << 32) |
                              static_cast<uint32_t>(low));
}

}  // namespace strata::cuda

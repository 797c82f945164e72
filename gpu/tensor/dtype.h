// SPDX-License-Identifier: Apache-2.0
// The element types of tensors. Only the reference device supports f64, for gradient checks. The
// 16-bit types bf16 and f16 (low_precision.h) are stored by steps of mixed precision.
// Thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gpu/tensor/low_precision.h"

namespace strata {

enum class DType : uint8_t { F32, F64, I32, I64, U8, BF16, F16 };

size_t dtypeBytes(DType dtype);
/// Returns "f32", "f64", "i32", "i64", "u8", "bf16" or "f16".
std::string_view dtypeName(DType dtype);
std::optional<DType> dtypeFromName(std::string_view name);
/// Returns whether a number of this type has 16 bits.
inline bool isLowPrecision(DType dtype) { return dtype == DType::BF16 || dtype == DType::F16; }
inline bool isFloating(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F64 || isLowPrecision(dtype);
}
/// Returns the type in which sums and statistics of numbers of this type are computed: f32 for bf16
/// and f16, otherwise the type itself.
inline DType wideType(DType dtype) { return isLowPrecision(dtype) ? DType::F32 : dtype; }

template <class T>
constexpr DType dtypeOf();
template <>
constexpr DType dtypeOf<float>() {
  return DType::F32;
}
template <>
constexpr DType dtypeOf<double>() {
  return DType::F64;
}
template <>
constexpr DType dtypeOf<int32_t>() {
  return DType::I32;
}
template <>
constexpr DType dtypeOf<int64_t>() {
  return DType::I64;
}
template <>
constexpr DType dtypeOf<uint8_t>() {
  return DType::U8;
}
template <>
constexpr DType dtypeOf<BFloat16>() {
  return DType::BF16;
}
template <>
constexpr DType dtypeOf<Float16>() {
  return DType::F16;
}

}  // namespace strata

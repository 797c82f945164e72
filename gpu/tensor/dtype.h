// SPDX-License-Identifier: Apache-2.0
// The element types of tensors. Only the reference device supports f64, for gradient checks.
// Thread: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace strata {

enum class DType : uint8_t { F32, F64, I32, I64, U8 };

size_t dtypeBytes(DType dtype);
/// Returns "f32", "f64", "i32", "i64" or "u8".
std::string_view dtypeName(DType dtype);
std::optional<DType> dtypeFromName(std::string_view name);
inline bool isFloating(DType dtype) { return dtype == DType::F32 || dtype == DType::F64; }

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

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// The 16-bit floating-point types bf16 and f16, which only store numbers: code converts them to
// float, computes, and rounds the result. Conversions round to the nearest number, and to the even
// one of two that are equally near. They keep subnormal numbers, infinities and NaN.
// Thread: the functions are pure.
#pragma once

#include <bit>
#include <cstdint>

namespace strata {

/// The upper half of a float: 8 bits of exponent, 7 bits of mantissa.
struct BFloat16 {
  uint16_t bits = 0;
};
/// IEEE 754 binary16: 5 bits of exponent, 10 bits of mantissa. The largest number is 65504.
struct Float16 {
  uint16_t bits = 0;
};

inline float toFloat(BFloat16 value) {
  return std::bit_cast<float>(static_cast<uint32_t>(value.bits) << 16);
}

inline float toFloat(Float16 value) {
  const uint32_t sign = static_cast<uint32_t>(value.bits & 0x8000u) << 16;
  const uint32_t magnitude = value.bits & 0x7fffu;
  // A subnormal number is a multiple of 2^-24
  if (magnitude < 0x0400u)
    return std::bit_cast<float>(sign |
                                std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f));
  // The exponents of infinity and NaN have all bits set in both types
  uint32_t bits = (magnitude << 13) + ((127u - 15u) << 23);
  if (magnitude >= 0x7c00u) bits += (127u - 15u) << 23;
  // Like the processor's conversion, makes a signaling NaN quiet
  if (magnitude > 0x7c00u) bits |= 0x00400000u;
  return std::bit_cast<float>(sign | bits);
}

inline BFloat16 toBFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  // Rounding could turn a NaN into an infinity
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {static_cast<uint16_t>((bits >> 16) | 0x0040u)};
  return {static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16)};
}

inline Float16 toFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), magnitude = bits & 0x7fffffffu;
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const auto withSign = [&](uint32_t rest) {
    return Float16{static_cast<uint16_t>(sign | rest)};
  };
  if (magnitude > 0x7f800000u) return withSign(0x7e00u | ((magnitude >> 13) & 0x03ffu));
  // 65520 and larger numbers round to infinity
  if (magnitude >= 0x477ff000u) return withSign(0x7c00u);
  // Below 2^-14, adding 0.5 shifts the bits to multiples of 2^-24 and rounds them
  if (magnitude < 0x38800000u)
    return withSign(std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u);
  const uint32_t rounded = magnitude + 0x0fffu + ((magnitude >> 13) & 1u);
  return withSign((rounded - ((127u - 15u) << 23)) >> 13);
}

/// Rounds a double to a float whose last bit says whether bits were lost. Rounding the result to
/// bf16 or f16 gives the number that is nearest to `value`.
inline float toOddFloat(double value) {
  const float nearest = static_cast<float>(value);
  if (static_cast<double>(nearest) == value || nearest != nearest) return nearest;
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  const double magnitude = value < 0 ? -value : value;
  const float nearestMagnitude = nearest < 0 ? -nearest : nearest;
  // Rounds toward zero, then sets the last bit
  if (static_cast<double>(nearestMagnitude) > magnitude) --bits;
  return std::bit_cast<float>(bits | 1u);
}

// These functions convert arrays. They use the instructions of the processor where it has them, and
// give the same bits as the functions above.
void toFloats(const BFloat16* from, float* to, int64_t count);
void toFloats(const Float16* from, float* to, int64_t count);
void fromFloats(const float* from, BFloat16* to, int64_t count);
void fromFloats(const float* from, Float16* to, int64_t count);

}  // namespace strata

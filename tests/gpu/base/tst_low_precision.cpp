// SPDX-License-Identifier: Apache-2.0
// Tests the conversions to and from bf16 and f16 for all numbers of these types, and for the floats
// around the middle of neighbouring numbers.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "gpu/base/rng.h"
#include "gpu/tensor/tensor.h"

using namespace strata;

namespace {

BFloat16 rounded(float value, BFloat16) { return toBFloat16(value); }
Float16 rounded(float value, Float16) { return toFloat16(value); }

/// The smallest positive number, the largest finite one, and infinity, as bits.
struct Limits {
  uint16_t largest, infinity;
  double smallest, largestValue;
};
Limits limitsOf(BFloat16) { return {0x7f7f, 0x7f80, 0x1p-133, 0x1.fep127}; }
Limits limitsOf(Float16) { return {0x7bff, 0x7c00, 0x1p-24, 65504}; }

template <class Low>
void checkType() {
  const Limits limits = limitsOf(Low{});
  CHECK(static_cast<double>(toFloat(Low{1})) == limits.smallest);
  CHECK(static_cast<double>(toFloat(Low{limits.largest})) == limits.largestValue);
  CHECK(std::isinf(toFloat(Low{limits.infinity})));
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const Low low{static_cast<uint16_t>(bits)};
    const float wide = toFloat(low);
    const bool isNan = (bits & 0x7fffu) > limits.infinity;
    REQUIRE(std::isnan(wide) == isNan);
    if (isNan) {
      REQUIRE(std::isnan(toFloat(rounded(wide, Low{}))));
      continue;
    }
    REQUIRE(std::signbit(wide) == (bits >= 0x8000));
    REQUIRE(rounded(wide, Low{}).bits == bits);
  }
  // Between two neighbours, the nearer one is the result, and the even one in the middle
  for (uint32_t bits = 0; bits < limits.infinity; ++bits) {
    const auto low = static_cast<uint16_t>(bits), high = static_cast<uint16_t>(bits + 1);
    const double below = static_cast<double>(toFloat(Low{low}));
    // Above the largest number, the next one would be infinity
    const double above =
        high == limits.infinity
            ? 2 * below - static_cast<double>(toFloat(Low{static_cast<uint16_t>(bits - 1)}))
            : static_cast<double>(toFloat(Low{high}));
    const float middle = static_cast<float>((below + above) / 2);
    const float less = std::nextafter(middle, 0.0f),
                more = std::nextafter(middle, std::numeric_limits<float>::infinity());
    REQUIRE(rounded(middle, Low{}).bits == (low % 2 == 0 ? low : high));
    // A subnormal float has no neighbour between the middle and the number below
    if (static_cast<double>(less) > below) REQUIRE(rounded(less, Low{}).bits == low);
    REQUIRE(rounded(more, Low{}).bits == high);
    REQUIRE(rounded(-middle, Low{}).bits == (0x8000 | (low % 2 == 0 ? low : high)));
  }
  CHECK(rounded(std::numeric_limits<float>::infinity(), Low{}).bits == limits.infinity);
  CHECK(std::isnan(toFloat(rounded(std::numeric_limits<float>::quiet_NaN(), Low{}))));
  CHECK(std::isnan(toFloat(rounded(std::bit_cast<float>(0x7f800001u), Low{}))));
  CHECK(rounded(std::numeric_limits<float>::max(), Low{}).bits == limits.infinity);
}

/// Checks that arrays of any length have the bits of single conversions.
template <class Low>
void checkArrays() {
  std::vector<Low> all(65536);
  for (size_t i = 0; i < all.size(); ++i)
    all[i].bits = static_cast<uint16_t>(i);
  std::vector<float> wide(all.size());
  toFloats(all.data(), wide.data(), static_cast<int64_t>(all.size()));
  for (size_t i = 0; i < all.size(); ++i)
    REQUIRE(std::bit_cast<uint32_t>(wide[i]) == std::bit_cast<uint32_t>(toFloat(all[i])));
  RandomStream random(1, 2);
  std::vector<float> values(100000);
  for (float& value : values)
    value = std::bit_cast<float>(random.below(0xffffffffu));
  for (const size_t count : {size_t{0}, size_t{1}, size_t{7}, size_t{19}, values.size()}) {
    std::vector<Low> low(count);
    fromFloats(values.data(), low.data(), static_cast<int64_t>(count));
    for (size_t i = 0; i < count; ++i)
      REQUIRE(low[i].bits == rounded(values[i], Low{}).bits);
  }
}

}  // namespace

TEST_SUITE("low precision") {
  TEST_CASE("conversions round to the nearest number, and to the even one in the middle") {
    checkType<BFloat16>();
    checkType<Float16>();
  }

  TEST_CASE("arrays are converted like single numbers") {
    checkArrays<BFloat16>();
    checkArrays<Float16>();
  }

  TEST_CASE("tensors are converted from double with one rounding") {
    // 1 + 2^-8 is in the middle of two bf16 numbers, and a float cannot hold the 2^-40
    const double above = 1 + 0x1p-8 + 0x1p-40, below = 1 + 0x1p-8 - 0x1p-40;
    const Tensor wide = Tensor::from<double>({4}, std::vector<double>{above, below, -above, 1e300});
    const Tensor low = wide.converted(DType::BF16);
    CHECK(low.bytes() == 8);
    const Tensor back = low.converted(DType::F64);
    CHECK(back.as<double>()[0] == 1 + 0x1p-7);
    CHECK(back.as<double>()[1] == 1);
    CHECK(back.as<double>()[2] == -1 - 0x1p-7);
    CHECK(std::isinf(back.as<double>()[3]));
    const Tensor half = Tensor::from<double>({2}, std::vector<double>{1 + 0x1p-11 + 0x1p-40, 70000})
                            .converted(DType::F16);
    CHECK(half.converted(DType::F64).as<double>()[0] == 1 + 0x1p-10);
    CHECK(std::isinf(half.converted(DType::F32).as<float>()[1]));
    CHECK(Tensor::from<int32_t>({2}, std::vector<int32_t>{-3, 257})
              .converted(DType::BF16)
              .converted(DType::I32)
              .as<int32_t>()[1] == 256);
  }

  TEST_CASE("the types have names") {
    for (const DType dtype : {DType::BF16, DType::F16}) {
      CHECK(dtypeBytes(dtype) == 2);
      CHECK(dtypeFromName(dtypeName(dtype)) == dtype);
      CHECK(isFloating(dtype));
      CHECK(wideType(dtype) == DType::F32);
    }
    CHECK(dtypeName(DType::BF16) == "bf16");
    CHECK(dtypeName(DType::F16) == "f16");
  }
}

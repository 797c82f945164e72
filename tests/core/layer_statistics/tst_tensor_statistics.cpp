// SPDX-License-Identifier: Apache-2.0
// Compares the figures of tensors with a naive computation.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <doctest/doctest.h>

#include "core/layer_statistics/layer_sample.h"
#include "core/layer_statistics/tensor_statistics.h"
#include "gpu/base/rng.h"

using namespace strata;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> normals(size_t count, float scale, float shift) {
  RandomStream random(7, 3);
  std::vector<float> values(count);
  for (float& value : values)
    value = static_cast<float>(random.normal()) * scale + shift;
  return values;
}

/// Two passes in long double.
struct Naive {
  long double mean = 0, deviation = 0, magnitude = 0, norm = 0;
  explicit Naive(const std::vector<float>& values) {
    const auto count = static_cast<long double>(values.size());
    for (const float value : values)
      mean += value / count;
    for (const float value : values) {
      deviation += (value - mean) * (value - mean) / count;
      magnitude += std::abs(value) / count;
      norm += static_cast<long double>(value) * value;
    }
    deviation = std::sqrt(deviation);
    norm = std::sqrt(norm);
  }
};

int64_t totalOf(const TensorStatistics& tensor) {
  return std::accumulate(tensor.bins.begin(), tensor.bins.end(), int64_t{0}) + tensor.below +
         tensor.above + tensor.nonFinite;
}

void checkAgainstNaive(const std::vector<float>& values) {
  const Naive naive(values);
  const TensorStatistics got = statisticsOf(values);
  const double scale = static_cast<double>(naive.deviation + std::abs(naive.mean));
  CHECK(got.count == std::ssize(values));
  CHECK(std::abs(static_cast<double>(got.mean - naive.mean)) <= 1e-6 * scale);
  CHECK(got.deviation == doctest::Approx(static_cast<double>(naive.deviation)).epsilon(1e-5));
  CHECK(got.meanMagnitude == doctest::Approx(static_cast<double>(naive.magnitude)).epsilon(1e-6));
  CHECK(got.norm == doctest::Approx(static_cast<double>(naive.norm)).epsilon(1e-6));
  CHECK(got.minimum == *std::ranges::min_element(values));
  CHECK(got.maximum == *std::ranges::max_element(values));
  CHECK(got.zeros == std::ranges::count(values, 0.0f));
  CHECK(totalOf(got) == got.count);
  // Each bin, by comparing all values with its ends
  const double width =
      (static_cast<double>(got.high) - static_cast<double>(got.low)) / TensorStatistics::kBins;
  if (!(width > 0)) return;
  for (size_t bin = 0; bin < TensorStatistics::kBins; ++bin) {
    const bool isLast = bin + 1 == TensorStatistics::kBins;
    const auto expected = std::ranges::count_if(values, [&](float value) {
      if (value < got.low || value > got.high) return false;
      const double place = (static_cast<double>(value) - static_cast<double>(got.low)) / width;
      return place >= static_cast<double>(bin) && (isLast || place < static_cast<double>(bin + 1));
    });
    // Rounding may move a value on the end of a bin
    CHECK(std::abs(expected - static_cast<int64_t>(got.bins[bin])) <= 1);
  }
}

}  // namespace

TEST_SUITE("layer_statistics") {
  TEST_CASE("moments, extremes and the histogram equal those of a naive computation") {
    for (const size_t count : {1, 2, 7, 8, 9, 4095, 4096, 4097, 30000})
      checkAgainstNaive(normals(count, 0.25f, 0.5f));
    checkAgainstNaive(normals(10000, 1e-20f, 0));
    checkAgainstNaive(normals(10000, 1e18f, 0));
    std::vector<float> sparse = normals(10000, 1, 0);
    for (float& value : sparse)
      value = std::max(value, 0.0f);
    checkAgainstNaive(sparse);
    std::vector<float> outlier = normals(10000, 1, 0);
    outlier[17] = 1000;
    checkAgainstNaive(outlier);
    const TensorStatistics tail = statisticsOf(outlier);
    CHECK(tail.above == 1);
    CHECK(tail.high < 1000);
  }

  TEST_CASE("equal values are in one bin, and no values are unknown") {
    const std::vector<float> ones(100, 0.1f);
    const TensorStatistics got = statisticsOf(ones);
    CHECK(got.bins[0] == 100);
    CHECK(got.low == 0.1f);
    CHECK(got.high == 0.1f);
    CHECK(got.deviation < 1e-7f);
    CHECK_FALSE(statisticsOf(std::span<const float>()).isKnown());
    CHECK(std::isnan(statisticsOf(std::span<const float>()).zeroShare()));
  }

  TEST_CASE("values that are not finite are counted, and do not change other figures") {
    std::vector<float> values = normals(5000, 1, 0);
    const TensorStatistics finite = statisticsOf(values);
    values.insert(values.begin() + 11, {kNan, kInfinity, -kInfinity});
    values.push_back(kNan);
    const TensorStatistics got = statisticsOf(values);
    CHECK(got.nonFinite == 4);
    CHECK(got.count == 5004);
    CHECK(got.mean == doctest::Approx(finite.mean).epsilon(1e-5));
    CHECK(got.maximum == finite.maximum);
    CHECK(totalOf(got) == got.count);
    const std::vector<float> none(10, kNan);
    CHECK(statisticsOf(none).isKnown());
    CHECK(std::isnan(statisticsOf(none).mean));
  }

  TEST_CASE("several pieces are counted together") {
    const std::vector<float> first = normals(1000, 1, 0), second = normals(500, 3, -1);
    std::vector<float> all = first;
    all.insert(all.end(), second.begin(), second.end());
    const std::vector<std::span<const float>> pieces{first, second};
    const TensorStatistics got = statisticsOf(pieces), expected = statisticsOf(all);
    CHECK(got.count == 1500);
    CHECK(got.mean == doctest::Approx(expected.mean));
    CHECK(got.deviation == doctest::Approx(expected.deviation));
    CHECK(got.minimum == expected.minimum);
  }

  TEST_CASE("a unit is constant if all samples and places give it one value") {
    // Units: always 0, always 2, varying, NaN
    const std::vector<float> values{0, 2, 1, kNan, 0, 2, 1.5f, kNan, 0, 2, 1, kNan};
    CHECK(constantUnits(values, 4) == std::vector<char>{1, 1, 0, 0});
  }

  TEST_CASE("saturated outputs are those where the activation has nearly no slope") {
    const std::vector<float> values{-1, -0.98f, -0.5f, 0, 0.5f, 0.98f, 1, 1};
    CHECK(saturatedShare("tanh", values) == doctest::Approx(5.0 / 8));
    const std::vector<float> sigmoid{0, 0.01f, 0.02f, 0.5f, 0.98f, 0.99f, 1, 1};
    CHECK(saturatedShare("sigmoid", sigmoid) == doctest::Approx(5.0 / 8));
    const std::vector<float> hard{0, 0.001f, 0.999f, 1};
    CHECK(saturatedShare("hard_sigmoid", hard) == doctest::Approx(0.5));
    CHECK(std::isnan(saturatedShare("relu", values)));
    CHECK(std::isnan(saturatedShare("tanh", {})));
  }

  TEST_CASE("norms and distances") {
    const std::vector<float> values{3, 4}, others{3, 2};
    CHECK(normOf(values) == 5);
    CHECK(distanceOf(values, others) == 2);
  }
}

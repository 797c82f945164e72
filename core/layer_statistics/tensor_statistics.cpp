// SPDX-License-Identifier: Apache-2.0
#include "core/layer_statistics/tensor_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace strata {

namespace {

constexpr size_t kLanes = 8;
// Values whose sums are added before they go to the totals. Few enough to stay in the cache
constexpr size_t kBlock = 4096;

bool isFinite(float value) {
  return (std::bit_cast<uint32_t>(value) & 0x7f800000u) != 0x7f800000u;
}

/// Sums over finite values. The lanes let the compiler use vector instructions, and fix the order
/// of additions.
struct Sums {
  double sum = 0, squares = 0, magnitudes = 0;
  float minimum = std::numeric_limits<float>::infinity(),
        maximum = -std::numeric_limits<float>::infinity();
  int64_t zeros = 0, finite = 0;

  /// Requires: all values are finite, at most kBlock of them.
  void add(std::span<const float> values) {
    std::array<double, kLanes> sums{}, squareSums{}, magnitudeSums{};
    std::array<float, kLanes> lows, highs;
    lows.fill(minimum);
    highs.fill(maximum);
    std::array<int32_t, kLanes> zeroCounts{};
    const auto addOne = [&](size_t lane, float value) {
      const auto wide = static_cast<double>(value);
      sums[lane] += wide;
      squareSums[lane] += wide * wide;
      magnitudeSums[lane] += std::abs(wide);
      lows[lane] = value < lows[lane] ? value : lows[lane];
      highs[lane] = value > highs[lane] ? value : highs[lane];
      zeroCounts[lane] += value == 0 ? 1 : 0;
    };
    size_t at = 0;
    for (; at + kLanes <= values.size(); at += kLanes)
      for (size_t lane = 0; lane < kLanes; ++lane)
        addOne(lane, values[at + lane]);
    for (; at < values.size(); ++at)
      addOne(0, values[at]);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      sum += sums[lane];
      squares += squareSums[lane];
      magnitudes += magnitudeSums[lane];
      minimum = std::min(minimum, lows[lane]);
      maximum = std::max(maximum, highs[lane]);
      zeros += zeroCounts[lane];
    }
    finite += std::ssize(values);
  }
};

bool areFinite(std::span<const float> values) {
  return std::ranges::all_of(values, isFinite);
}

void addPiece(std::span<const float> piece, Sums& sums) {
  std::vector<float> finite;
  for (size_t at = 0; at < piece.size(); at += kBlock) {
    const auto block = piece.subspan(at, std::min(kBlock, piece.size() - at));
    if (areFinite(block)) {
      sums.add(block);
      continue;
    }
    finite.clear();
    std::ranges::copy_if(block, std::back_inserter(finite), isFinite);
    sums.add(finite);
  }
}

void addToHistogram(std::span<const float> piece, TensorStatistics& result) {
  const double low = result.low,
               range = static_cast<double>(result.high) - static_cast<double>(result.low),
               scale = range > 0 ? TensorStatistics::kBins / range : 0;
  for (const float value : piece) {
    if (!isFinite(value)) continue;
    if (value < result.low) {
      ++result.below;
    }
    else if (value > result.high) {
      ++result.above;
    }
    else {
      const auto bin = static_cast<size_t>((static_cast<double>(value) - low) * scale);
      ++result.bins[std::min(bin, TensorStatistics::kBins - 1)];
    }
  }
}

}  // namespace

TensorStatistics statisticsOf(std::span<const std::span<const float>> pieces) {
  TensorStatistics result;
  Sums sums;
  for (const std::span<const float> piece : pieces) {
    result.count += std::ssize(piece);
    addPiece(piece, sums);
  }
  result.zeros = sums.zeros;
  result.nonFinite = result.count - sums.finite;
  if (sums.finite == 0) return result;
  const auto count = static_cast<double>(sums.finite);
  const double mean = sums.sum / count,
               deviation = std::sqrt(std::max(0.0, sums.squares / count - mean * mean));
  result.mean = static_cast<float>(mean);
  result.deviation = static_cast<float>(deviation);
  result.minimum = sums.minimum;
  result.maximum = sums.maximum;
  result.meanMagnitude = static_cast<float>(sums.magnitudes / count);
  result.norm = static_cast<float>(std::sqrt(sums.squares));
  result.low = sums.minimum;
  result.high = sums.maximum;
  if (sums.minimum < sums.maximum) {
    const double shown = static_cast<double>(TensorStatistics::kShownDeviations) * deviation;
    result.low = static_cast<float>(std::max<double>(sums.minimum, mean - shown));
    result.high = static_cast<float>(std::min<double>(sums.maximum, mean + shown));
  }
  for (const std::span<const float> piece : pieces)
    addToHistogram(piece, result);
  return result;
}

TensorStatistics statisticsOf(std::span<const float> values) {
  return statisticsOf(std::span(&values, 1));
}

std::vector<char> constantUnits(std::span<const float> values, int64_t units) {
  const auto width = static_cast<size_t>(units);
  std::vector<char> constant(width, 1);
  if (values.size() < width) return std::vector<char>(width, 0);
  const float* const first = values.data();
  for (size_t at = 0; at < values.size(); at += width) {
    const float* const row = values.data() + at;
    for (size_t unit = 0; unit < width; ++unit)
      constant[unit] = static_cast<char>(constant[unit] & (row[unit] == first[unit] ? 1 : 0));
  }
  return constant;
}

double normOf(std::span<const float> values) {
  double squares = 0;
  for (const float value : values)
    squares += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(squares);
}

double distanceOf(std::span<const float> values, std::span<const float> others) {
  double squares = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const double difference = static_cast<double>(values[i]) - static_cast<double>(others[i]);
    squares += difference * difference;
  }
  return std::sqrt(squares);
}

}  // namespace strata

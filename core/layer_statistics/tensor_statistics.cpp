// SPDX-License-Identifier: Apache-2.0
#include "core/layer_statistics/tensor_statistics.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>

namespace strata {

namespace {

constexpr size_t kLanes = 8;
// Values whose sums are added before they go to the totals. Few enough to stay in the cache
constexpr size_t kBlock = 4096;

bool isFinite(float value) { return (std::bit_cast<uint32_t>(value) & 0x7f800000u) != 0x7f800000u; }

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

/// Does not return early, so that the compiler can use vector instructions. If all bits of the
/// exponent are set, adding 1 to it carries into the sign bit.
bool areFinite(std::span<const float> values) {
  constexpr uint32_t kExponent = 0x7f800000u, kLowest = 0x00800000u;
  uint32_t seen = 0;
  for (const float value : values)
    seen |= (std::bit_cast<uint32_t>(value) & kExponent) + kLowest;
  return (seen & (kExponent + kLowest)) == 0;
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

/// Counts the finite values of a piece by bin. Values are dealt to several histograms, because
/// neighbors often have the same bin, and an addition would wait for the one before.
class HistogramCounter {
 public:
  explicit HistogramCounter(const TensorStatistics& figures)
      : m_low(figures.low), m_high(figures.high) {
    const double range = static_cast<double>(m_high) - static_cast<double>(m_low);
    if (range > 0) m_scale = TensorStatistics::kBins / range;
  }
  void add(std::span<const float> piece, bool hasNonFinite) {
    size_t at = 0;
    for (const float value : piece) {
      if (hasNonFinite && !isFinite(value)) continue;
      ++m_counts[at % kHistograms][placeOf(value)];
      ++at;
    }
  }
  void finish(TensorStatistics& result) const {
    for (const auto& counts : m_counts) {
      result.below += counts[kBelow];
      result.above += counts[kAbove];
      for (size_t bin = 0; bin < TensorStatistics::kBins; ++bin)
        result.bins[bin] += counts[bin];
    }
  }

 private:
  static constexpr size_t kHistograms = 4;
  static constexpr size_t kBelow = TensorStatistics::kBins, kAbove = kBelow + 1;

  size_t placeOf(float value) const {
    if (value < m_low) return kBelow;
    if (value > m_high) return kAbove;
    const double place = (static_cast<double>(value) - static_cast<double>(m_low)) * m_scale;
    return std::min(static_cast<size_t>(place), TensorStatistics::kBins - 1);
  }

  const float m_low, m_high;
  double m_scale = 0;
  std::array<std::array<uint32_t, kAbove + 1>, kHistograms> m_counts{};
};

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
  HistogramCounter counter(result);
  for (const std::span<const float> piece : pieces)
    counter.add(piece, result.nonFinite > 0);
  counter.finish(result);
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

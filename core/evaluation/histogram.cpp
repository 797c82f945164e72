// SPDX-License-Identifier: Apache-2.0
#include "core/evaluation/histogram.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "gpu/base/error.h"

namespace strata {

template <class Value>
static std::optional<Moments> countAndMeasure(std::span<const Value> values, Histogram& result) {
  Moments moments;
  double sum = 0;
  for (const Value each : values) {
    const double value = each;
    if (std::isnan(value)) {
      ++result.nan;
      continue;
    }
    if (std::isinf(value)) {
      ++result.infinite;
      continue;
    }
    moments.min = result.finite == 0 ? value : std::min(moments.min, value);
    moments.max = result.finite == 0 ? value : std::max(moments.max, value);
    sum += value;
    ++result.finite;
  }
  if (result.finite == 0) return std::nullopt;
  const auto count = static_cast<double>(result.finite);
  moments.mean = sum / count;
  double squares = 0;
  for (const double value : values)
    if (std::isfinite(value)) squares += (value - moments.mean) * (value - moments.mean);
  moments.standardDeviation = std::sqrt(squares / count);
  return moments;
}

/// Returns the edges as numpy.linspace computes them.
static std::vector<double> edgesOf(double low, double high, int64_t bins) {
  if (low == high) {
    // Large numbers do not change if 0.5 is added to them
    const double half = std::abs(low) < 0x1p40 ? 0.5 : std::abs(low) * 0x1p-20;
    low -= half;
    high += half;
  }
  std::vector<double> edges;
  const double step = (high - low) / static_cast<double>(bins);
  for (int64_t i = 0; i < bins; ++i)
    edges.push_back(low + static_cast<double>(i) * step);
  edges.push_back(high);
  return edges;
}

template <class Value>
static Histogram histogramOf(std::span<const Value> values, int64_t bins) {
  if (bins < 1 || bins > kMaxBins)
    throw Error(ErrorCode::InvalidArgument, "bins",
                "the number of bins is out of range (expected 1 to " + std::to_string(kMaxBins) +
                    ", got " + std::to_string(bins) + ").");
  Histogram result;
  result.moments = countAndMeasure(values, result);
  if (!result.moments) return result;
  result.edges = edgesOf(result.moments->min, result.moments->max, bins);
  result.counts.assign(static_cast<size_t>(bins), 0);
  const double low = result.edges.front(),
               width = (result.edges.back() - low) / static_cast<double>(bins);
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    const double place = width > 0 ? (value - low) / width : 0;
    auto bin = static_cast<size_t>(std::clamp(place, 0.0, static_cast<double>(bins - 1)));
    // The edges decide, because the quotient is rounded
    while (bin > 0 && value < result.edges[bin])
      --bin;
    while (bin + 1 < result.counts.size() && value >= result.edges[bin + 1])
      ++bin;
    ++result.counts[bin];
  }
  return result;
}

Histogram histogram(std::span<const float> values, int64_t bins) {
  return histogramOf(values, bins);
}
Histogram histogram(std::span<const double> values, int64_t bins) {
  return histogramOf(values, bins);
}

}  // namespace strata

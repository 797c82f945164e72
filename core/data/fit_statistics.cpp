// SPDX-License-Identifier: Apache-2.0
#include "core/data/fit_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/data/dataset.h"

namespace strata {

namespace {

/// Returns the index of the statistic for each element of a sample.
std::vector<size_t> statisticPlaces(const Shape& sample, bool isPerChannel) {
  const auto elements = static_cast<size_t>(sample.numElements());
  std::vector<size_t> places(elements, 0);
  if (!isPerChannel || sample.rank() == 0) return places;
  const auto channels = static_cast<size_t>(std::max<int64_t>(1, sample.dim(-1)));
  for (size_t i = 0; i < elements; ++i)
    places[i] = i % channels;
  return places;
}

}  // namespace

MapStep affineStep(const std::vector<double>& shifts, const std::vector<double>& scales,
                   bool isExact) {
  MapStep step;
  step.shift.assign(shifts.begin(), shifts.end());
  step.scale.assign(scales.begin(), scales.end());
  if (isExact) {
    step.exactShift = shifts;
    step.exactScale = scales;
  }
  return step;
}

MapStep affineStep(const std::vector<size_t>& places, const std::vector<double>& shifts,
                   const std::vector<double>& scales, bool isExact) {
  std::vector<double> shiftOf, scaleOf;
  for (const size_t place : places) {
    shiftOf.push_back(shifts[place]);
    scaleOf.push_back(scales[place]);
  }
  return affineStep(shiftOf, scaleOf, isExact);
}

MapStep fitStandardize(const TransformList::Entry& entry, const Samples& train, size_t place,
                       int64_t trainCount, const Shape& shape, const InputTransform& soFar) {
  const std::vector<size_t> places = statisticPlaces(shape, entry.isPerChannel);
  const size_t statistics =
      places.empty() ? 0 : *std::max_element(places.begin(), places.end()) + 1;
  std::vector<double> sums(places.size(), 0), squares(places.size(), 0), means(statistics, 0),
      numbers(statistics, 0), scales(statistics, 0);
  forEachExactSample(train, place, soFar, trainCount, [&](int64_t, std::span<const double> sample) {
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += sample[i];
  });
  for (size_t i = 0; i < places.size(); ++i) {
    means[places[i]] += sums[i];
    numbers[places[i]] += static_cast<double>(trainCount);
  }
  for (size_t i = 0; i < statistics; ++i)
    means[i] /= std::max(1.0, numbers[i]);
  std::vector<double> meanOf(places.size());
  for (size_t i = 0; i < places.size(); ++i)
    meanOf[i] = means[places[i]];
  forEachExactSample(train, place, soFar, trainCount, [&](int64_t, std::span<const double> sample) {
    for (size_t i = 0; i < squares.size(); ++i) {
      const double away = sample[i] - meanOf[i];
      squares[i] += away * away;
    }
  });
  for (size_t i = 0; i < places.size(); ++i)
    scales[places[i]] += squares[i];
  for (size_t i = 0; i < statistics; ++i) {
    const double deviation = std::sqrt(scales[i] / std::max(1.0, numbers[i]));
    scales[i] = deviation > std::max(entry.numbers.at("epsilon"), 1e-30) ? 1 / deviation : 1;
  }
  return affineStep(places, means, scales, soFar.isExact);
}

// The step computes low + (x - min) * s in the form (x - (min - low / s)) * s.
MapStep fitMinMax(const TransformList::Entry& entry, const Samples& train, size_t place,
                  int64_t trainCount, const Shape& shape, const InputTransform& soFar) {
  const std::vector<size_t> places = statisticPlaces(shape, entry.isPerChannel);
  const size_t statistics =
      places.empty() ? 0 : *std::max_element(places.begin(), places.end()) + 1;
  std::vector<double> lows(statistics, std::numeric_limits<double>::infinity()),
      highs(statistics, -std::numeric_limits<double>::infinity());
  forEachExactSample(train, place, soFar, trainCount, [&](int64_t, std::span<const double> sample) {
    for (size_t i = 0; i < places.size(); ++i) {
      lows[places[i]] = std::min(lows[places[i]], sample[i]);
      highs[places[i]] = std::max(highs[places[i]], sample[i]);
    }
  });
  const double low = entry.numbers.at("low"), high = entry.numbers.at("high");
  std::vector<double> shifts(statistics), scales(statistics);
  for (size_t i = 0; i < statistics; ++i) {
    scales[i] = highs[i] > lows[i] ? (high - low) / (highs[i] - lows[i]) : 1;
    shifts[i] = lows[i] - low / scales[i];
  }
  return affineStep(places, shifts, scales, soFar.isExact);
}

}  // namespace strata

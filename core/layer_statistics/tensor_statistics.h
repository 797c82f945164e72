// SPDX-License-Identifier: Apache-2.0
// Figures of the values of a tensor: moments, extremes, zeros and a histogram. Also which units of
// a layer have the same output for all samples. Not here: where the values come from
// (core/train/layer_sampler.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace strata {

struct TensorStatistics {
  static constexpr size_t kBins = 48;
  /// How many standard deviations of the mean the histogram shows on each side.
  static constexpr float kShownDeviations = 4;

  // All values, those that are 0, and those that are NaN or infinite. 0 values if the tensor is
  // unknown
  int64_t count = 0, zeros = 0, nonFinite = 0;
  // Of the finite values; NaN if there are none. `norm` is the square root of the sum of squares.
  float mean = kNone, deviation = kNone, minimum = kNone, maximum = kNone, meanMagnitude = kNone,
        norm = kNone;
  // The range of the histogram, which is the part of [minimum, maximum] that is at most
  // kShownDeviations from the mean. Bin i begins at low + i * (high - low) / kBins, and the last
  // one includes `high`. If low == high, all values are in the first bin.
  float low = kNone, high = kNone;
  // Finite values outside the range
  uint32_t below = 0, above = 0;
  std::array<uint32_t, kBins> bins{};

  bool isKnown() const { return count > 0; }
  /// Returns the share of zeros in all values, or NaN if the tensor is unknown.
  double zeroShare() const {
    return count > 0 ? static_cast<double>(zeros) / static_cast<double>(count)
                     : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  static constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
};

/// Returns the figures of all values of several pieces together. The sums are added in double, in
/// an order that depends only on the sizes, so that equal values give equal bits.
TensorStatistics statisticsOf(std::span<const std::span<const float>> pieces);
TensorStatistics statisticsOf(std::span<const float> values);

/// Returns for each unit whether its output is the same for all samples and at all places. Unit u
/// has the values u, u + units, u + 2 * units, ..., that is, units are the last axis. A unit with a
/// value that is not a number is not constant. Requires: the number of values is a multiple of
/// `units`, which is positive.
std::vector<char> constantUnits(std::span<const float> values, int64_t units);

/// Returns the square root of the sum of squares, and that of the differences.
double normOf(std::span<const float> values);
double distanceOf(std::span<const float> values, std::span<const float> others);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Histograms with the definitions of numpy.histogram, and the moments of the values. Used for
// residuals, and for values of a network such as weights, gradients and activations.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace strata {

struct Moments {
  double mean = 0;
  // Standard deviation of all values (divided by their number)
  double standardDeviation = 0;
  double min = 0, max = 0;
};

struct Histogram {
  // The bins have equal widths from the smallest to the largest finite value, or one of 1 around it
  // if all values are equal. A bin includes its lower edge; the last bin includes both. Without
  // finite values, both lists are empty.
  std::vector<double> edges;
  std::vector<int64_t> counts;
  // Of the finite values; nullopt if there are none
  std::optional<Moments> moments;
  int64_t finite = 0, nan = 0, infinite = 0;
};

/// The largest number of bins.
constexpr int64_t kMaxBins = 1'000'000;

/// Counts the finite values in `bins` bins. Computes with double precision. Fails: InvalidArgument
/// if `bins` is not between 1 and kMaxBins.
Histogram histogram(std::span<const float> values, int64_t bins);
Histogram histogram(std::span<const double> values, int64_t bins);

}  // namespace strata

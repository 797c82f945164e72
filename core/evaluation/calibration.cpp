// SPDX-License-Identifier: Apache-2.0
#include "core/evaluation/calibration.h"

#include <algorithm>
#include <cmath>

#include "core/evaluation/reasons.h"
#include "gpu/base/error.h"

namespace strata {

/// Returns why these numbers cannot be probabilities, or nullopt.
static std::optional<Reason> problemOf(std::span<const float> probabilities) {
  if (probabilities.empty()) return noSamples();
  if (!std::ranges::all_of(probabilities, [](float each) { return std::isfinite(each); }))
    return notFinite();
  if (!std::ranges::all_of(probabilities, [](float each) { return each >= 0 && each <= 1; }))
    return noProbabilities();
  return std::nullopt;
}

static double squared(double value) { return value * value; }

Figure<Reliability> reliabilityOf(std::span<const float> probabilities,
                                  std::span<const uint8_t> isPositive, int64_t bins) {
  require(probabilities.size() == isPositive.size() && bins >= 1,
          "each probability has a true answer, and there is a bin");
  if (auto problem = problemOf(probabilities)) return std::move(*problem);
  Reliability result;
  const double width = 1.0 / static_cast<double>(bins);
  for (int64_t i = 0; i < bins; ++i)
    result.bins.push_back({static_cast<double>(i) * width,
                           i + 1 == bins ? 1 : static_cast<double>(i + 1) * width,
                           0,
                           {},
                           {}});
  std::vector<double> sums(result.bins.size()), hits(result.bins.size());
  for (size_t i = 0; i < probabilities.size(); ++i) {
    const double probability = probabilities[i];
    const auto found =
        std::ranges::lower_bound(result.bins, probability, {}, &ReliabilityBin::high);
    const auto bin = static_cast<size_t>(found - result.bins.begin());
    ++result.bins[bin].samples;
    sums[bin] += probability;
    hits[bin] += isPositive[i] != 0 ? 1 : 0;
  }
  for (size_t i = 0; i < result.bins.size(); ++i) {
    ReliabilityBin& bin = result.bins[i];
    if (bin.samples == 0) continue;
    bin.confidence = sums[i] / static_cast<double>(bin.samples);
    bin.share = hits[i] / static_cast<double>(bin.samples);
    result.expectedError += std::abs(sums[i] - hits[i]);
  }
  result.expectedError /= static_cast<double>(probabilities.size());
  return result;
}

Figure<double> brierScore(std::span<const float> probabilities,
                          std::span<const uint8_t> isPositive) {
  require(probabilities.size() == isPositive.size(), "each probability has a true answer");
  if (auto problem = problemOf(probabilities)) return std::move(*problem);
  double sum = 0;
  for (size_t i = 0; i < probabilities.size(); ++i)
    sum += squared(static_cast<double>(probabilities[i]) - (isPositive[i] != 0 ? 1 : 0));
  return sum / static_cast<double>(probabilities.size());
}

Figure<double> brierScore(std::span<const float> probabilities, int64_t columns,
                          std::span<const int32_t> classes) {
  require(probabilities.size() == classes.size() * static_cast<size_t>(columns),
          "each sample has a row of probabilities");
  if (auto problem = problemOf(probabilities)) return std::move(*problem);
  double sum = 0;
  int64_t counted = 0;
  for (size_t i = 0; i < classes.size(); ++i) {
    if (classes[i] < 0) continue;
    ++counted;
    for (int64_t k = 0; k < columns; ++k) {
      const double probability =
          probabilities[i * static_cast<size_t>(columns) + static_cast<size_t>(k)];
      sum += squared(probability - (classes[i] == k ? 1 : 0));
    }
  }
  if (counted == 0) return noSamples();
  return sum / static_cast<double>(counted) / (columns == 2 ? 2 : 1);
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// How well probabilities match frequencies: reliability diagrams, the expected calibration error
// and the Brier score. Not here: choosing the probabilities (classification.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/evaluation/figure.h"

namespace strata {

/// The samples whose probability is above `low` and at most `high`. The first bin includes 0.
struct ReliabilityBin {
  double low = 0, high = 0;
  int64_t samples = 0;
  // Mean probability, and the share of positive samples; nullopt without samples
  std::optional<double> confidence, share;
};

/// A reliability diagram.
struct Reliability {
  // Bins of equal width from 0 to 1. They are those of sklearn.calibration.calibration_curve with
  // strategy="uniform", which omits bins without samples.
  std::vector<ReliabilityBin> bins;
  // Mean difference between confidence and share, weighted by the samples of the bins (ECE)
  double expectedError = 0;
};

/// Returns the reliability diagram of probabilities. `isPositive` has one element for each
/// probability, which is not 0 if the event happened. Unknown without samples, or if a number is
/// not a probability. Requires: both lists have the same length; bins is at least 1.
Figure<Reliability> reliabilityOf(std::span<const float> probabilities,
                                  std::span<const uint8_t> isPositive, int64_t bins);

/// Returns the mean squared difference between the probabilities and what happened. Unknown as in
/// reliabilityOf().
Figure<double> brierScore(std::span<const float> probabilities,
                          std::span<const uint8_t> isPositive);
/// Returns the mean over the samples of the summed squared differences of all classes, which is
/// from 0 to 2. With two classes, it is half of that, as if there were one probability.
/// `probabilities` has a row of `columns` elements for each sample. Samples with the class -1 do
/// not count. Requires: other classes are below `columns`.
Figure<double> brierScore(std::span<const float> probabilities, int64_t columns,
                          std::span<const int32_t> classes);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// The errors of predicted values, with the definitions of scikit-learn.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/evaluation/figure.h"
#include "core/evaluation/histogram.h"

namespace strata {

struct RegressionScores {
  double meanAbsoluteError = 0, rootMeanSquaredError = 0, medianAbsoluteError = 0;
  // Share of the variance that the predictions explain (R2). Unknown if there are fewer than two
  // samples, or if all true values are equal.
  Figure<double> determination = 0.0;
  double minTrue = 0, maxTrue = 0, minPredicted = 0, maxPredicted = 0;
};

struct RegressionFigures {
  int64_t samples = 0;
  // Means of the errors over the columns, and the extremes of all values. The determination is
  // unknown if that of a column is.
  RegressionScores overall;
  // The scores of each column; empty if there are more than kMaxColumns
  std::vector<RegressionScores> columns;
  // Residuals of all columns: true values minus predicted values
  Histogram residuals;
};

/// The largest number of columns with scores of their own.
constexpr int64_t kMaxColumns = 1000;

/// Compares predictions with true values. Both have a row of `columns` values for each sample.
/// Unknown without samples, or if a value is not finite. Requires: both lists have the same length.
/// Fails: as histogram().
Figure<RegressionFigures> regressionFigures(std::span<const float> predicted,
                                            std::span<const float> truth, int64_t columns,
                                            int64_t bins);

}  // namespace strata

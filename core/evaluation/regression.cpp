// SPDX-License-Identifier: Apache-2.0
#include "core/evaluation/regression.h"

#include <algorithm>
#include <cmath>

#include "core/evaluation/reasons.h"
#include "gpu/base/error.h"

namespace strata {

/// Returns the median. Reorders the values.
static double medianOf(std::vector<double>& values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

static RegressionScores scoresOf(const std::vector<double>& predicted,
                                 const std::vector<double>& truth) {
  RegressionScores scores;
  const auto count = static_cast<double>(truth.size());
  double sum = 0, squares = 0;
  std::vector<double> errors;
  errors.reserve(truth.size());
  for (size_t i = 0; i < truth.size(); ++i) {
    const double error = std::abs(truth[i] - predicted[i]);
    errors.push_back(error);
    scores.meanAbsoluteError += error / count;
    squares += error * error;
    sum += truth[i];
  }
  scores.rootMeanSquaredError = std::sqrt(squares / count);
  scores.medianAbsoluteError = medianOf(errors);
  const auto [minTrue, maxTrue] = std::ranges::minmax(truth);
  const auto [minPredicted, maxPredicted] = std::ranges::minmax(predicted);
  scores.minTrue = minTrue;
  scores.maxTrue = maxTrue;
  scores.minPredicted = minPredicted;
  scores.maxPredicted = maxPredicted;
  double variation = 0;
  for (const double value : truth)
    variation += (value - sum / count) * (value - sum / count);
  if (truth.size() < 2)
    scores.determination = Reason{STRATA_TEXT("evaluation", "it needs at least two samples")};
  else if (minTrue == maxTrue)
    scores.determination = Reason{STRATA_TEXT("evaluation", "all true values are equal")};
  else
    scores.determination = 1 - squares / variation;
  return scores;
}

/// Adds the scores of a column to the overall scores of `columns` columns.
static void addColumn(RegressionScores& overall, const RegressionScores& column, double columns,
                      bool isFirst) {
  overall.meanAbsoluteError += column.meanAbsoluteError / columns;
  overall.rootMeanSquaredError += column.rootMeanSquaredError / columns;
  overall.medianAbsoluteError += column.medianAbsoluteError / columns;
  if (overall.determination && column.determination)
    *overall.determination += *column.determination / columns;
  else if (overall.determination)
    overall.determination = column.determination;
  overall.minTrue = isFirst ? column.minTrue : std::min(overall.minTrue, column.minTrue);
  overall.maxTrue = isFirst ? column.maxTrue : std::max(overall.maxTrue, column.maxTrue);
  overall.minPredicted =
      isFirst ? column.minPredicted : std::min(overall.minPredicted, column.minPredicted);
  overall.maxPredicted =
      isFirst ? column.maxPredicted : std::max(overall.maxPredicted, column.maxPredicted);
}

Figure<RegressionFigures> regressionFigures(std::span<const float> predicted,
                                            std::span<const float> truth, int64_t columns,
                                            int64_t bins) {
  require(predicted.size() == truth.size() && columns >= 1,
          "each true value has a predicted value");
  if (truth.empty()) return noSamples();
  const auto isFinite = [](float value) {
    return std::isfinite(value);
  };
  if (!std::ranges::all_of(predicted, isFinite) || !std::ranges::all_of(truth, isFinite))
    return notFinite();
  RegressionFigures result;
  const auto width = static_cast<size_t>(columns);
  result.samples = static_cast<int64_t>(truth.size() / width);
  std::vector<double> residuals(truth.size());
  for (size_t i = 0; i < truth.size(); ++i)
    residuals[i] = static_cast<double>(truth[i]) - static_cast<double>(predicted[i]);
  result.residuals = histogram(residuals, bins);
  std::vector<double> columnPredicted, columnTruth;
  for (size_t k = 0; k < width; ++k) {
    columnPredicted.clear();
    columnTruth.clear();
    for (size_t i = k; i < truth.size(); i += width) {
      columnPredicted.push_back(predicted[i]);
      columnTruth.push_back(truth[i]);
    }
    RegressionScores scores = scoresOf(columnPredicted, columnTruth);
    addColumn(result.overall, scores, static_cast<double>(columns), k == 0);
    if (columns <= kMaxColumns) result.columns.push_back(std::move(scores));
  }
  return result;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// The confusion matrix of a classifier. It counts samples by true and predicted class, and provides
// precision, recall and F1 of each class, and their means over the classes. Not here: predicting
// (core/train/evaluator.h), thresholds other than that of the prediction (curves.h). Thread: the
// functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/evaluation/figure.h"

namespace strata {

struct ClassScores {
  // Scores of the class; 0 if the class was never predicted or has no samples
  double precision = 0, recall = 0, f1 = 0;
  // Number of samples of this class (its support)
  int64_t samples = 0;
};

/// The counts that the scores of a class are computed from.
struct ClassCounts {
  // Samples of this class, samples predicted as this class, and samples for which both hold
  int64_t samples = 0, predicted = 0, hits = 0;
  ClassScores scores() const;
};

struct Confusion {
  int64_t classes = 0;
  // Counts by [true class, predicted class]
  std::vector<int64_t> counts;
  int64_t at(int64_t truth, int64_t predicted) const {
    return counts[static_cast<size_t>(truth * classes + predicted)];
  }
  ClassScores scores(int64_t index) const;
};

/// Returns the confusion matrix of `classes` classes. Ignores samples whose true or predicted class
/// is outside 0..classes-1. Requires: both lists have the same length.
Confusion confusionOf(std::span<const int32_t> truth, std::span<const int32_t> predicted,
                      int64_t classes);

/// Returns the counts of each class, in the memory of one row of the confusion matrix. Ignores the
/// same samples as confusionOf(). Requires: both lists have the same length.
std::vector<ClassCounts> classCounts(std::span<const int32_t> truth,
                                     std::span<const int32_t> predicted, int64_t classes);

struct MeanScores {
  double precision = 0, recall = 0, f1 = 0;
};

/// Means of precision, recall and F1 over classes, with the definitions of scikit-learn for
/// zero_division=0.
struct ScoreMeans {
  // Each class counts the same. The mean is over classes that occur as a true or predicted class.
  MeanScores macro;
  // Computed from the sums of all counts
  MeanScores micro;
  // Each class counts by its number of samples
  MeanScores weighted;
};

/// Which classes a macro mean is over.
enum class MeanOver : uint8_t {
  // Classes that occur as a true or predicted class, as scikit-learn counts the classes of samples
  Present,
  // All classes, as scikit-learn counts labels that a sample may have together
  All,
};

/// Returns the means of the scores. Unknown if no class has a sample.
Figure<ScoreMeans> scoreMeans(std::span<const ClassCounts> classes,
                              MeanOver over = MeanOver::Present);

}  // namespace strata

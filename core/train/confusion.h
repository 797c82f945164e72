// SPDX-License-Identifier: Apache-2.0
// The confusion matrix of a classifier. It counts samples by true and predicted class, and provides
// precision, recall and F1 of each class. Not here: predicting (evaluator.h). Thread: the functions
// are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace strata {

struct ClassScores {
  // Scores of the class; 0 if the class was never predicted or has no samples
  double precision = 0, recall = 0, f1 = 0;
  // Number of samples of this class
  int64_t samples = 0;
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

}  // namespace strata

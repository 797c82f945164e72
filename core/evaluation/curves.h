// SPDX-License-Identifier: Apache-2.0
// ROC curves and precision-recall curves of one class against the others, with the definitions of
// scikit-learn. The curves are exact: they have a point for each distinct score. thinned() reduces
// them for display. Not here: choosing the scores of a class (classification.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/evaluation/figure.h"

namespace strata {

/// The counts of positive and negative samples with a score of at least a threshold.
struct ThresholdCounts {
  // The distinct scores in descending order
  std::vector<double> thresholds;
  std::vector<int64_t> truePositives, falsePositives;
  int64_t positives() const { return truePositives.back(); }
  int64_t negatives() const { return falsePositives.back(); }
};

/// Counts samples by thresholds. `isPositive` has one element for each score, which is not 0 for
/// samples of the class. Unknown without samples, or if a score is not finite. Requires: both lists
/// have the same length.
Figure<ThresholdCounts> countsByThreshold(std::span<const float> scores,
                                          std::span<const uint8_t> isPositive);

struct RocCurve {
  // Points in the order of falling thresholds. The first point has the threshold infinity and the
  // rates 0; the last one has the rates 1.
  std::vector<double> thresholds, falsePositiveRates, truePositiveRates;
  // Area under the exact curve
  double area = 0;
};

/// Returns the curve of sklearn.metrics.roc_curve(drop_intermediate=False), and its area. Unknown
/// if all samples are positive, or all are negative.
Figure<RocCurve> rocCurve(const ThresholdCounts& counts);

struct PrecisionRecallCurve {
  // Points in the order of rising thresholds. The last point has the threshold infinity, the
  // precision 1 and the recall 0. (scikit-learn omits its threshold.)
  std::vector<double> thresholds, precisions, recalls;
  // The sum of precisions, each weighted by the increase in recall
  double averagePrecision = 0;
};

/// Returns the curve of sklearn.metrics.precision_recall_curve, and average_precision_score.
/// Unknown if no sample is positive.
Figure<PrecisionRecallCurve> precisionRecallCurve(const ThresholdCounts& counts);

/// Returns the curve with at most `maxPoints` of its points, which are spread evenly along the
/// curve. Keeps both ends, and the area of the exact curve. Requires: maxPoints is at least 2.
RocCurve thinned(const RocCurve& curve, int64_t maxPoints);
PrecisionRecallCurve thinned(const PrecisionRecallCurve& curve, int64_t maxPoints);

}  // namespace strata

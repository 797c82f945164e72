// SPDX-License-Identifier: Apache-2.0
// All figures of a classifier: scores, curves and calibration of each class against the others, and
// of all classes together.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/evaluation/calibration.h"
#include "core/evaluation/collected_output.h"
#include "core/evaluation/confusion.h"
#include "core/evaluation/curves.h"

namespace strata {

struct ClassificationOptions {
  // The largest number of points that each curve keeps; at least 2
  int64_t curvePoints = 200;
  // Number of bins of the reliability diagrams; at least 1
  int64_t calibrationBins = 10;
};

/// Curves of a class against the others, or of all classes together (micro average).
struct ClassCurves {
  Figure<RocCurve> roc;
  Figure<PrecisionRecallCurve> precisionRecall;
};

struct ClassFigures {
  // Position of the class or label
  int64_t index = 0;
  ClassScores scores;
  ClassCurves curves;
  Figure<Reliability> calibration;
  Figure<double> brierScore;
};

struct ClassificationFigures {
  // Samples that count, and samples that the loss ignores
  int64_t samples = 0, ignored = 0;
  // Absent for labels, and if there are more than kMaxConfusionClasses classes
  std::optional<Confusion> confusion;
  Figure<ScoreMeans> means;
  // In the order of the classes. For a binary output, the curves and the calibration of class 1
  // describe both classes, and class 0 has the same figures with the roles exchanged: it is left
  // out of `classes`, and its scores are in `negativeScores`.
  std::vector<ClassFigures> classes;
  std::optional<ClassScores> negativeScores;
  // Curves of all classes together, where each sample has an answer for each class. A binary output
  // has the curves of class 1.
  ClassCurves micro;
  // Means over the classes. Unknown if that of a class is.
  Figure<double> meanArea, meanAveragePrecision;
  // Whether the predicted class is right, by its probability; for labels, whether each label is
  // true
  Figure<Reliability> calibration;
  Figure<double> brierScore;
};

/// The largest number of classes of a confusion matrix, whose size grows quadratically.
constexpr int64_t kMaxConfusionClasses = 1000;
/// The largest number of probabilities for curves of all classes together.
constexpr int64_t kMaxMicroScores = int64_t{1} << 24;

/// Computes the figures of an output. Samples that the loss ignores do not count. Curves are
/// computed exactly, and then thinned. Requires: the output is not of kind Values.
ClassificationFigures classificationFigures(const CollectedOutput& output,
                                            const ClassificationOptions& options = {});

}  // namespace strata

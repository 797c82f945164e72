// SPDX-License-Identifier: Apache-2.0
#include "core/evaluation/classification.h"

#include <algorithm>

#include "core/evaluation/reasons.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

/// The samples of an output that count, with one row for each.
struct Counted {
  const OutputKind kind;
  int64_t columns = 0, samples = 0;
  // Those of the output, unless some samples do not count
  std::span<const float> probabilities;
  // Empty for labels
  std::vector<int32_t> classes, predictedClasses;
  // Only for labels, by [sample, label]
  std::vector<uint8_t> labels;
  std::vector<float> kept = {};

  explicit Counted(const CollectedOutput& output);
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  bool isTrue(size_t sample, int64_t column) const;
  bool isPredicted(size_t sample, int64_t column) const;
  /// The number of classes of the confusion matrix.
  int64_t numClasses() const { return kind == OutputKind::Binary ? 2 : columns; }
};

Counted::Counted(const CollectedOutput& output) : kind(output.kind), columns(output.columns) {
  const auto width = static_cast<size_t>(columns);
  require(output.predicted.size() == static_cast<size_t>(output.samples) * width,
          "each sample has a row of probabilities");
  if (kind == OutputKind::Labels) {
    samples = output.samples;
    probabilities = output.predicted;
    for (const float value : output.truth)
      labels.push_back(value > 0.5f ? 1 : 0);
    return;
  }
  const auto counts = [&](int32_t index) {
    return index >= 0 && index < numClasses();
  };
  const bool keepsAll = std::ranges::all_of(output.classes, counts);
  for (size_t i = 0; i < output.classes.size(); ++i) {
    if (!counts(output.classes[i])) continue;
    ++samples;
    const auto row = output.predicted.begin() + static_cast<std::ptrdiff_t>(i * width);
    if (!keepsAll) kept.insert(kept.end(), row, row + static_cast<std::ptrdiff_t>(width));
    classes.push_back(output.classes[i]);
    predictedClasses.push_back(output.predictedClasses[i]);
  }
  probabilities = keepsAll ? output.predicted : kept;
}

/// Whether the sample belongs to the class of a column of probabilities.
bool Counted::isTrue(size_t sample, int64_t column) const {
  switch (kind) {
    case OutputKind::Classes: return classes[sample] == column;
    case OutputKind::Binary: return classes[sample] == 1;
    default:
      return labels[sample * static_cast<size_t>(columns) + static_cast<size_t>(column)] != 0;
  }
}

bool Counted::isPredicted(size_t sample, int64_t column) const {
  return probabilities[sample * static_cast<size_t>(columns) + static_cast<size_t>(column)] > 0.5f;
}

/// The probabilities of a column, or of all columns together, and whether each is of a class that
/// the sample belongs to.
struct Answers {
  std::vector<float> scores;
  std::vector<uint8_t> isPositive;
};

Answers answersOf(const Counted& counted, int64_t column) {
  Answers answers;
  for (size_t i = 0; i < static_cast<size_t>(counted.samples); ++i) {
    answers.scores.push_back(counted.probabilities[i * static_cast<size_t>(counted.columns) +
                                                   static_cast<size_t>(column)]);
    answers.isPositive.push_back(counted.isTrue(i, column) ? 1 : 0);
  }
  return answers;
}

Answers allAnswers(const Counted& counted) {
  Answers answers{{counted.probabilities.begin(), counted.probabilities.end()}, {}};
  for (size_t i = 0; i < static_cast<size_t>(counted.samples); ++i)
    for (int64_t k = 0; k < counted.columns; ++k)
      answers.isPositive.push_back(counted.isTrue(i, k) ? 1 : 0);
  return answers;
}

ClassCurves curvesOf(const Answers& answers, int64_t points) {
  const Figure<ThresholdCounts> counts = countsByThreshold(answers.scores, answers.isPositive);
  if (!counts) return {counts.reason(), counts.reason()};
  ClassCurves curves{rocCurve(*counts), precisionRecallCurve(*counts)};
  if (curves.roc) *curves.roc = thinned(*curves.roc, points);
  if (curves.precisionRecall) *curves.precisionRecall = thinned(*curves.precisionRecall, points);
  return curves;
}

/// Whether each predicted class is right, by its probability.
Answers predictedAnswers(const Counted& counted) {
  if (counted.kind == OutputKind::Labels) return allAnswers(counted);
  Answers answers;
  for (size_t i = 0; i < static_cast<size_t>(counted.samples); ++i) {
    const int32_t predicted = counted.predictedClasses[i];
    const size_t row = i * static_cast<size_t>(counted.columns);
    if (counted.kind == OutputKind::Classes)
      answers.scores.push_back(counted.probabilities[row + static_cast<size_t>(predicted)]);
    else
      answers.scores.push_back(predicted == 1 ? counted.probabilities[row]
                                              : 1 - counted.probabilities[row]);
    answers.isPositive.push_back(predicted == counted.classes[i] ? 1 : 0);
  }
  return answers;
}

std::vector<ClassCounts> countsOf(const Counted& counted) {
  if (counted.kind != OutputKind::Labels)
    return classCounts(counted.classes, counted.predictedClasses, counted.numClasses());
  std::vector<ClassCounts> counts(static_cast<size_t>(counted.columns));
  for (size_t i = 0; i < static_cast<size_t>(counted.samples); ++i)
    for (int64_t k = 0; k < counted.columns; ++k) {
      ClassCounts& count = counts[static_cast<size_t>(k)];
      const bool isTrue = counted.isTrue(i, k), isPredicted = counted.isPredicted(i, k);
      count.samples += isTrue ? 1 : 0;
      count.predicted += isPredicted ? 1 : 0;
      count.hits += isTrue && isPredicted ? 1 : 0;
    }
  return counts;
}

/// Returns the mean of a figure over the classes, or the reason of the first class without it.
template <class Of>
Figure<double> meanOver(const std::vector<ClassFigures>& classes, Of&& of) {
  double sum = 0;
  for (const ClassFigures& each : classes) {
    Figure<double> value = of(each);
    if (!value) return value;
    sum += *value / static_cast<double>(classes.size());
  }
  return sum;
}

Figure<double> areaOf(const ClassFigures& figures) {
  if (!figures.curves.roc) return figures.curves.roc.reason();
  return figures.curves.roc->area;
}

Figure<double> averagePrecisionOf(const ClassFigures& figures) {
  if (!figures.curves.precisionRecall) return figures.curves.precisionRecall.reason();
  return figures.curves.precisionRecall->averagePrecision;
}

ClassCurves microOf(const Counted& counted, const ClassificationOptions& options) {
  if (std::ssize(counted.probabilities) <= kMaxMicroScores)
    return curvesOf(allAnswers(counted), options.curvePoints);
  const Reason tooMany{
      STRATA_TEXT("evaluation", "there are too many probabilities (%1, at most %2)"),
      {std::to_string(counted.probabilities.size()), std::to_string(kMaxMicroScores)}};
  return {tooMany, tooMany};
}

}  // namespace

ClassificationFigures classificationFigures(const CollectedOutput& output,
                                            const ClassificationOptions& options) {
  require(output.kind != OutputKind::Values, "the output has classes or labels");
  const Counted counted(output);
  const bool isBinary = output.kind == OutputKind::Binary,
             hasLabels = output.kind == OutputKind::Labels;
  const std::vector<ClassCounts> counts = countsOf(counted);
  std::vector<ClassFigures> classes;
  for (int64_t k = 0; k < counted.columns; ++k) {
    const Answers answers = answersOf(counted, k);
    const int64_t index = isBinary ? 1 : k;
    classes.push_back({index, counts[static_cast<size_t>(index)].scores(),
                       curvesOf(answers, options.curvePoints),
                       reliabilityOf(answers.scores, answers.isPositive, options.calibrationBins),
                       strata::brierScore(answers.scores, answers.isPositive)});
  }
  const Answers predicted = predictedAnswers(counted);
  ClassificationFigures result{
      .samples = counted.samples,
      .ignored = output.samples - counted.samples,
      .confusion = {},
      .means = scoreMeans(counts, hasLabels ? MeanOver::All : MeanOver::Present),
      .classes = {},
      .negativeScores = {},
      .micro = isBinary ? classes.front().curves : microOf(counted, options),
      .meanArea = meanOver(classes, areaOf),
      .meanAveragePrecision = meanOver(classes, averagePrecisionOf),
      .calibration = reliabilityOf(predicted.scores, predicted.isPositive, options.calibrationBins),
      .brierScore =
          output.kind == OutputKind::Classes
              ? brierScore(counted.probabilities, counted.columns, counted.classes)
              : meanOver(classes, [](const ClassFigures& each) { return each.brierScore; }),
  };
  result.classes = std::move(classes);
  if (isBinary) result.negativeScores = counts.front().scores();
  if (!hasLabels && counted.numClasses() <= kMaxConfusionClasses)
    result.confusion = confusionOf(counted.classes, counted.predictedClasses, counted.numClasses());
  return result;
}

}  // namespace strata

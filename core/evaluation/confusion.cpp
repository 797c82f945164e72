// SPDX-License-Identifier: Apache-2.0
#include "core/evaluation/confusion.h"

#include "core/evaluation/reasons.h"

namespace strata {

ClassScores ClassCounts::scores() const {
  ClassScores result;
  result.samples = samples;
  const auto right = static_cast<double>(hits);
  if (predicted > 0) result.precision = right / static_cast<double>(predicted);
  if (samples > 0) result.recall = right / static_cast<double>(samples);
  if (predicted + samples > 0) result.f1 = 2 * right / static_cast<double>(predicted + samples);
  return result;
}

ClassScores Confusion::scores(int64_t index) const {
  ClassCounts result;
  for (int64_t other = 0; other < classes; ++other) {
    result.predicted += at(other, index);
    result.samples += at(index, other);
  }
  result.hits = at(index, index);
  return result.scores();
}

/// Calls `use` with the classes of each sample that counts.
template <class Use>
static void forEachSample(std::span<const int32_t> truth, std::span<const int32_t> predicted,
                          int64_t classes, Use&& use) {
  for (size_t i = 0; i < truth.size(); ++i)
    if (truth[i] >= 0 && truth[i] < classes && predicted[i] >= 0 && predicted[i] < classes)
      use(truth[i], predicted[i]);
}

Confusion confusionOf(std::span<const int32_t> truth, std::span<const int32_t> predicted,
                      int64_t classes) {
  Confusion result;
  result.classes = classes;
  result.counts.assign(static_cast<size_t>(classes * classes), 0);
  forEachSample(truth, predicted, classes, [&](int64_t is, int64_t answer) {
    ++result.counts[static_cast<size_t>(is * classes + answer)];
  });
  return result;
}

std::vector<ClassCounts> classCounts(std::span<const int32_t> truth,
                                     std::span<const int32_t> predicted, int64_t classes) {
  std::vector<ClassCounts> result(static_cast<size_t>(classes));
  forEachSample(truth, predicted, classes, [&](int64_t is, int64_t answer) {
    ++result[static_cast<size_t>(is)].samples;
    ++result[static_cast<size_t>(answer)].predicted;
    if (is == answer) ++result[static_cast<size_t>(is)].hits;
  });
  return result;
}

Figure<ScoreMeans> scoreMeans(std::span<const ClassCounts> classes, MeanOver over) {
  ScoreMeans result;
  ClassCounts sum;
  double counted = 0;
  const auto add = [](MeanScores& mean, const ClassScores& scores, double weight) {
    mean.precision += scores.precision * weight;
    mean.recall += scores.recall * weight;
    mean.f1 += scores.f1 * weight;
  };
  for (const ClassCounts& each : classes) {
    if (over == MeanOver::Present && each.samples + each.predicted == 0) continue;
    const ClassScores scores = each.scores();
    add(result.macro, scores, 1);
    add(result.weighted, scores, static_cast<double>(each.samples));
    counted += 1;
    sum.samples += each.samples;
    sum.predicted += each.predicted;
    sum.hits += each.hits;
  }
  if (sum.samples == 0) return noSamples();
  const auto divide = [](MeanScores& mean, double by) {
    mean = {mean.precision / by, mean.recall / by, mean.f1 / by};
  };
  divide(result.macro, counted);
  divide(result.weighted, static_cast<double>(sum.samples));
  add(result.micro, sum.scores(), 1);
  return result;
}

}  // namespace strata

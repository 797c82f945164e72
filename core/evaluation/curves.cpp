// SPDX-License-Identifier: Apache-2.0
#include "core/evaluation/curves.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "core/evaluation/reasons.h"
#include "gpu/base/error.h"

namespace strata {

Figure<ThresholdCounts> countsByThreshold(std::span<const float> scores,
                                          std::span<const uint8_t> isPositive) {
  require(scores.size() == isPositive.size(), "each score has a true answer");
  if (scores.empty()) return noSamples();
  if (!std::ranges::all_of(scores, [](float score) { return std::isfinite(score); }))
    return notFinite();
  std::vector<std::pair<float, bool>> sorted;
  sorted.reserve(scores.size());
  for (size_t i = 0; i < scores.size(); ++i)
    sorted.emplace_back(scores[i], isPositive[i] != 0);
  std::ranges::sort(sorted, std::greater{}, [](const auto& each) { return each.first; });
  ThresholdCounts result;
  int64_t counts[2] = {0, 0};
  for (size_t i = 0; i < sorted.size(); ++i) {
    ++counts[sorted[i].second ? 1 : 0];
    // A curve has one point for samples of the same score
    if (i + 1 < sorted.size() && sorted[i + 1].first == sorted[i].first) continue;
    result.thresholds.push_back(sorted[i].first);
    result.falsePositives.push_back(counts[0]);
    result.truePositives.push_back(counts[1]);
  }
  return result;
}

Figure<RocCurve> rocCurve(const ThresholdCounts& counts) {
  if (counts.positives() == 0) return noPositives();
  if (counts.negatives() == 0) return noNegatives();
  RocCurve curve;
  const auto positives = static_cast<double>(counts.positives()),
             negatives = static_cast<double>(counts.negatives());
  const auto add = [&](double threshold, double falsePositives, double truePositives) {
    curve.thresholds.push_back(threshold);
    curve.falsePositiveRates.push_back(falsePositives / negatives);
    curve.truePositiveRates.push_back(truePositives / positives);
  };
  add(std::numeric_limits<double>::infinity(), 0, 0);
  double area = 0, lastFalse = 0, lastTrue = 0;
  for (size_t i = 0; i < counts.thresholds.size(); ++i) {
    const auto nowFalse = static_cast<double>(counts.falsePositives[i]),
               nowTrue = static_cast<double>(counts.truePositives[i]);
    add(counts.thresholds[i], nowFalse, nowTrue);
    area += (nowFalse - lastFalse) * (nowTrue + lastTrue) / 2;
    lastFalse = nowFalse;
    lastTrue = nowTrue;
  }
  curve.area = area / positives / negatives;
  return curve;
}

Figure<PrecisionRecallCurve> precisionRecallCurve(const ThresholdCounts& counts) {
  if (counts.positives() == 0) return noPositives();
  PrecisionRecallCurve curve;
  const auto positives = static_cast<double>(counts.positives());
  for (size_t i = counts.thresholds.size(); i-- > 0;) {
    const auto found = static_cast<double>(counts.truePositives[i]),
               chosen = found + static_cast<double>(counts.falsePositives[i]);
    const auto before = i == 0 ? 0.0 : static_cast<double>(counts.truePositives[i - 1]);
    curve.thresholds.push_back(counts.thresholds[i]);
    curve.precisions.push_back(found / chosen);
    curve.recalls.push_back(found / positives);
    curve.averagePrecision += (found - before) * (found / chosen);
  }
  curve.averagePrecision /= positives;
  curve.thresholds.push_back(std::numeric_limits<double>::infinity());
  curve.precisions.push_back(1);
  curve.recalls.push_back(0);
  return curve;
}

/// Returns the indices of at most `maxPoints` points that are spread evenly along a curve, with its
/// first and its last one.
static std::vector<size_t> spreadPoints(const std::vector<double>& x, const std::vector<double>& y,
                                        int64_t maxPoints) {
  require(maxPoints >= 2, "a curve keeps both of its ends");
  const auto count = static_cast<size_t>(maxPoints);
  std::vector<size_t> kept;
  const auto lengthTo = [&](size_t i) {
    return std::abs(x[i] - x[i - 1]) + std::abs(y[i] - y[i - 1]);
  };
  double length = 0;
  for (size_t i = 1; i < x.size(); ++i)
    length += lengthTo(i);
  const double step = length / static_cast<double>(count - 1);
  double position = 0;
  size_t wanted = 0;
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    if (i > 0) position += lengthTo(i);
    // The last place is that of the last point
    if (wanted + 1 >= count || position < static_cast<double>(wanted) * step) continue;
    kept.push_back(i);
    while (wanted + 1 < count && static_cast<double>(wanted) * step <= position)
      ++wanted;
  }
  kept.push_back(x.size() - 1);
  return kept;
}

static std::vector<double> chosen(const std::vector<double>& values,
                                  const std::vector<size_t>& indices) {
  std::vector<double> result;
  result.reserve(indices.size());
  for (const size_t i : indices)
    result.push_back(values[i]);
  return result;
}

RocCurve thinned(const RocCurve& curve, int64_t maxPoints) {
  if (std::ssize(curve.thresholds) <= maxPoints) return curve;
  const auto kept = spreadPoints(curve.falsePositiveRates, curve.truePositiveRates, maxPoints);
  return {chosen(curve.thresholds, kept), chosen(curve.falsePositiveRates, kept),
          chosen(curve.truePositiveRates, kept), curve.area};
}

PrecisionRecallCurve thinned(const PrecisionRecallCurve& curve, int64_t maxPoints) {
  if (std::ssize(curve.thresholds) <= maxPoints) return curve;
  const auto kept = spreadPoints(curve.recalls, curve.precisions, maxPoints);
  return {chosen(curve.thresholds, kept), chosen(curve.precisions, kept),
          chosen(curve.recalls, kept), curve.averagePrecision};
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "core/train/class_reading.h"

#include <algorithm>
#include <cmath>

namespace strata {

static float sigmoid(float value) { return 1 / (1 + std::exp(-value)); }

namespace {

/// The values of an output with one of several classes.
struct ClassValues {
  // Position of the largest value
  size_t best = 0;
  // Whether the values are probabilities already
  bool isDistribution = false;
  // The sum of exp(value - largest value)
  double exponentials = 0;
};

ClassValues classValues(std::span<const float> output, bool isLogits) {
  ClassValues values;
  const auto best = std::max_element(output.begin(), output.end());
  values.best = static_cast<size_t>(best - output.begin());
  double sum = 0;
  bool isDistribution = !isLogits;
  for (const float value : output) {
    sum += value;
    values.exponentials += std::exp(static_cast<double>(value - *best));
    isDistribution = isDistribution && value >= 0;
  }
  values.isDistribution = isDistribution && std::abs(sum - 1) < 1e-3;
  return values;
}

}  // namespace

std::optional<PredictedClass> ClassReading::classOf(std::span<const float> output) const {
  // Several binary values do not select one class.
  if (!isClassifier || output.empty() || (isBinary && output.size() > 1)) return std::nullopt;
  if (isBinary) {
    const float yes = isLogits ? sigmoid(output[0]) : output[0];
    return yes > 0.5f ? PredictedClass{1, yes} : PredictedClass{0, 1 - yes};
  }
  const ClassValues values = classValues(output, isLogits);
  const auto index = static_cast<int32_t>(values.best);
  if (values.isDistribution) return PredictedClass{index, output[values.best]};
  return PredictedClass{index, static_cast<float>(1 / values.exponentials)};
}

void ClassReading::makeProbabilities(std::span<float> output) const {
  if (!isClassifier || output.empty()) return;
  if (isBinary) {
    if (isLogits) std::ranges::transform(output, output.begin(), sigmoid);
    return;
  }
  const ClassValues values = classValues(output, isLogits);
  if (values.isDistribution) return;
  const float best = output[values.best];
  for (float& value : output)
    value = static_cast<float>(std::exp(static_cast<double>(value - best)) / values.exponentials);
}

std::vector<int32_t> classesOf(const Tensor& y, int64_t begin, int64_t count, bool isBinary) {
  const int64_t width = y.numElements() / std::max<int64_t>(1, y.shape()[0]);
  if (width < 1 || (width > 1 && y.dtype() == DType::I32)) return {};
  const Tensor values = y.converted(DType::F32);
  std::vector<int32_t> result;
  for (int64_t i = begin; i < begin + count; ++i) {
    const auto row =
        values.as<float>().subspan(static_cast<size_t>(i * width), static_cast<size_t>(width));
    if (width > 1)
      result.push_back(
          static_cast<int32_t>(std::max_element(row.begin(), row.end()) - row.begin()));
    else if (isBinary)
      result.push_back(row[0] > 0.5f ? 1 : 0);
    else
      result.push_back(static_cast<int32_t>(row[0]));
  }
  return result;
}

}  // namespace strata

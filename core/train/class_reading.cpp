// SPDX-License-Identifier: Apache-2.0
#include "core/train/class_reading.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/recipe/losses.h"
#include "core/train/network.h"

namespace strata {

static float sigmoid(float value) { return 1 / (1 + std::exp(-value)); }

/// Returns the position of the largest value. Validations call it for each sample, and a loop is
/// faster here than std::max_element without optimization of calls.
static size_t bestOf(std::span<const float> output) {
  const float* const values = output.data();
  const size_t count = output.size();
  size_t best = 0;
  for (size_t i = 1; i < count; ++i)
    if (values[i] > values[best]) best = i;
  return best;
}

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
  values.best = bestOf(output);
  const float best = output[values.best];
  double sum = 0;
  bool isDistribution = !isLogits;
  for (const float value : output) {
    sum += value;
    values.exponentials += std::exp(static_cast<double>(value - best));
    isDistribution = isDistribution && value >= 0;
  }
  values.isDistribution = isDistribution && std::abs(sum - 1) < 1e-3;
  return values;
}

}  // namespace

/// Returns the probability of class 1 of a binary output.
static float yesOf(float value, bool isLogits) { return isLogits ? sigmoid(value) : value; }

std::optional<int32_t> ClassReading::indexOf(std::span<const float> output) const {
  // Several binary values do not select one class.
  if (!isClassifier || output.empty() || (isBinary && output.size() > 1)) return std::nullopt;
  if (isBinary) return yesOf(output[0], isLogits) > 0.5f ? 1 : 0;
  return static_cast<int32_t>(bestOf(output));
}

std::optional<PredictedClass> ClassReading::classOf(std::span<const float> output) const {
  const std::optional<int32_t> index = indexOf(output);
  if (!index) return std::nullopt;
  if (isBinary) {
    const float yes = yesOf(output[0], isLogits);
    return PredictedClass{*index, *index == 1 ? yes : 1 - yes};
  }
  const ClassValues values = classValues(output, isLogits);
  if (values.isDistribution) return PredictedClass{*index, output[values.best]};
  return PredictedClass{*index, static_cast<float>(1 / values.exponentials)};
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

bool mayClassify(const TrainingOptions& training) {
  return std::ranges::any_of(training.outputs, [](const OutputOptions& output) {
    const LossDef* loss = findLoss(output.loss.type);
    return loss && loss->wantsProbabilities;
  });
}

ClassReading classReading(const Network& network, const Graph& evaluation, int64_t samples,
                          size_t output) {
  ClassReading reading;
  const StepOutput& about = network.arrays().outputs()[output];
  const TypedFields& trained = network.steps().training().outputs[output].loss;
  const LossDef* loss = findLoss(trained.type);
  const Layer* last = network.steps().model().find(about.layer);
  const ValueId value = findOutput(evaluation, about.prediction);
  if (!loss || !last || !loss->wantsProbabilities || !value.isValid()) return reading;
  const Shape& shape = evaluation.type(value).shape;
  reading.isClassifier = shape.rank() > 0 && shape.numElements() == samples * shape.dim(-1);
  if (!reading.isClassifier) return reading;
  reading.isBinary = loss->isBinary;
  reading.isLogits = about.reading.logits != OutputReading::Logits::None;
  if (const auto ignored = trained.fields->find("ignore_class");
      ignored != trained.fields->end() && ignored->is_number_integer())
    reading.ignored = ignored->get<int32_t>();
  return reading;
}

std::vector<std::string> namesOfClasses(std::vector<std::string> names, int64_t count) {
  for (auto i = static_cast<int64_t>(names.size()); i < count; ++i)
    names.push_back(std::to_string(i));
  names.resize(static_cast<size_t>(count));
  return names;
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

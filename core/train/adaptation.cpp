// SPDX-License-Identifier: Apache-2.0
#include "core/train/adaptation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace strata {

namespace {

/// Calls `take` with each training sample, transformed and in f32.
void forEachTrained(const Dataset& dataset, size_t input,
                    const std::function<void(std::span<const float>)>& take) {
  forEachSample(*dataset.train, input, dataset.transforms[input], dataset.trainCount,
                [&](int64_t, std::span<const float> sample) { take(sample); });
}

/// Returns, for each value of a sample, the index of the statistic to which it contributes.
std::vector<size_t> adaptedPlaces(const Shape& sample, const std::vector<int64_t>& axes) {
  std::vector<size_t> places(static_cast<size_t>(sample.numElements()), 0);
  size_t inner = places.size();
  std::vector<size_t> strides;
  for (int axis = 0; axis < sample.rank(); ++axis)
    strides.push_back(inner /= static_cast<size_t>(std::max<int64_t>(1, sample[axis])));
  for (const int64_t axis : axes) {
    const auto at = static_cast<size_t>(axis - 1),
               size = static_cast<size_t>(sample[static_cast<int>(axis) - 1]);
    for (size_t i = 0; i < places.size(); ++i)
      places[i] = places[i] * size + i / strides[at] % size;
  }
  return places;
}

Tensor adaptedTensor(const Shape& shape, const std::vector<double>& values) {
  Tensor tensor(DType::F32, shape);
  for (size_t i = 0; i < values.size(); ++i)
    tensor.as<float>()[i] = static_cast<float>(values[i]);
  return tensor;
}

Tensor momentOf(const VariableRequest& request, const Dataset& dataset, size_t input) {
  const std::vector<size_t> places =
      adaptedPlaces(dataset.inputs[input].shape, request.adaptation->axes);
  const auto count = static_cast<size_t>(request.shape.numElements());
  std::vector<double> numbers(count, 0);
  for (const size_t place : places)
    ++numbers[place];
  for (double& number : numbers)
    number = std::max(1.0, number * static_cast<double>(dataset.trainCount));
  std::vector<double> means(count, 0), variances(count, 0);
  forEachTrained(dataset, input, [&](std::span<const float> sample) {
    for (size_t i = 0; i < sample.size(); ++i)
      means[places[i]] += static_cast<double>(sample[i]);
  });
  for (size_t i = 0; i < count; ++i)
    means[i] /= numbers[i];
  if (request.adaptation->statistic == Adaptation::Statistic::Mean)
    return adaptedTensor(request.shape, means);
  forEachTrained(dataset, input, [&](std::span<const float> sample) {
    for (size_t i = 0; i < sample.size(); ++i) {
      const double away = static_cast<double>(sample[i]) - means[places[i]];
      variances[places[i]] += away * away;
    }
  });
  for (size_t i = 0; i < count; ++i)
    variances[i] /= numbers[i];
  return adaptedTensor(request.shape, variances);
}

/// Computes quantiles like Keras, by linear interpolation between the sorted values. The value at
/// index k is the quantile (k + 1) / n.
Tensor boundariesOf(const VariableRequest& request, const Dataset& dataset, size_t input) {
  std::vector<float> all;
  all.reserve(static_cast<size_t>(dataset.trainCount * dataset.inputs[input].shape.numElements()));
  forEachTrained(dataset, input, [&](std::span<const float> sample) {
    all.insert(all.end(), sample.begin(), sample.end());
  });
  std::sort(all.begin(), all.end());
  std::vector<double> boundaries(static_cast<size_t>(request.shape.numElements()), 0);
  const auto n = static_cast<double>(all.size());
  for (size_t i = 0; i < boundaries.size() && !all.empty(); ++i) {
    const double place =
                     static_cast<double>(i + 1) / static_cast<double>(boundaries.size() + 1) * n -
                     1,
                 low = std::clamp(std::floor(place), 0.0, n - 1);
    const auto at = static_cast<size_t>(low), next = std::min(at + 1, all.size() - 1);
    const double share = std::clamp(place - low, 0.0, 1.0);
    boundaries[i] =
        static_cast<double>(all[at]) * (1 - share) + static_cast<double>(all[next]) * share;
  }
  return adaptedTensor(request.shape, boundaries);
}

}  // namespace

std::map<std::string, Tensor> adaptedValues(const std::vector<VariableRequest>& variables,
                                            const std::vector<std::string>& inputs,
                                            const Dataset& dataset) {
  std::map<std::string, Tensor> result;
  for (const VariableRequest& request : variables) {
    if (!request.adaptation) continue;
    const auto found = std::find(inputs.begin(), inputs.end(), request.adaptation->input);
    require(found != inputs.end(),
            "a layer that takes values from the data directly follows an Input");
    const auto input = static_cast<size_t>(found - inputs.begin());
    const bool hasBoundaries = request.adaptation->statistic == Adaptation::Statistic::Boundaries;
    result.emplace(request.name, hasBoundaries ? boundariesOf(request, dataset, input)
                                               : momentOf(request, dataset, input));
  }
  return result;
}

}  // namespace strata

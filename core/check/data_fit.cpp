// SPDX-License-Identifier: Apache-2.0
#include "core/check/data_fit.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <nlohmann/json.hpp>

#include "core/project/text.h"

namespace strata {

namespace {

/// Whether a layer of this type outputs only values of its input. Masking may also output zeros,
/// which every table accepts.
bool keepsNumbers(const std::string& type) {
  static const std::set<std::string> types{"Flatten",      "Reshape",    "Permute",
                                           "RepeatVector", "Cropping1D", "Masking"};
  return types.contains(type);
}

std::optional<DataMisfit> findWrongLabel(const Dataset& dataset, size_t target,
                                         const OutputOptions& output, int64_t classes) {
  const TypedFields& loss = output.loss;
  if (!loss.type.starts_with("sparse") || !dataset.targets[target].hasLabels || classes < 1 ||
      dataset.train->y[target].dtype() != DType::I32)
    return {};
  std::optional<int64_t> ignored;
  if (loss.fields && loss.fields->contains("ignore_class") &&
      loss.fields->at("ignore_class").is_number_integer())
    ignored = loss.fields->at("ignore_class").get<int64_t>();
  for (const Samples* samples : {dataset.train.get(), dataset.test.get()}) {
    const int64_t count = samples->count();
    if (count == 0) continue;
    const auto labels = samples->y[target].as<int32_t>();
    const auto each = static_cast<int64_t>(labels.size()) / count;
    for (size_t i = 0; i < labels.size(); ++i) {
      if ((labels[i] >= 0 && labels[i] < classes) || (ignored && labels[i] == *ignored)) continue;
      const std::string layer = output.name.empty() ? std::string("output") : output.name;
      return DataMisfit{layer, "",
                        samples->placeOf(static_cast<int64_t>(i) / std::max<int64_t>(1, each)),
                        "the label is " + std::to_string(labels[i]) + " (expected 0 to " +
                            std::to_string(classes - 1) + ", the outputs of " + layer +
                            "). Correct the label, or give the network more outputs."};
    }
  }
  return {};
}

std::optional<DataMisfit> findWrongIndex(const Dataset& dataset, size_t input, const Model& model) {
  const std::optional<IndexLimit> limit = indexLimit(model, model.inputs[input]);
  if (!limit) return {};
  std::optional<DataMisfit> misfit;
  for (const Samples* samples : {dataset.train.get(), dataset.test.get()})
    forEachSample(
        *samples, input, dataset.transforms[input], samples->count(),
        [&](int64_t sample, std::span<const float> values) {
          for (size_t i = 0; i < values.size() && !misfit; ++i) {
            const float value = values[i];
            if (value > -1 && value < static_cast<float>(limit->count)) continue;
            std::string shown = Json(value).dump();
            if (value > -1e9f && value < 1e9f &&
                value == static_cast<float>(static_cast<int64_t>(value)))
              shown = std::to_string(static_cast<int64_t>(value));
            const std::string place = samples->placeOf(sample);
            misfit = DataMisfit{
                limit->layer, "input_dim",
                dataset.inputs.size() > 1 ? place + ", input \"" + model.inputs[input] + "\""
                                          : place,
                "value " + std::to_string(i + 1) + " of the sample is " + shown +
                    " (expected 0 to " + std::to_string(limit->count - 1) + ", the indices of " +
                    limit->layer + "). Correct the data, or raise input_dim of the layer."};
          }
        });
  return misfit;
}

}  // namespace

std::optional<IndexLimit> indexLimit(const Model& model, const std::string& input) {
  std::set<std::string> sameAsData{input};
  std::optional<IndexLimit> limit;
  for (const Layer& layer : model.layers) {
    if (!layer.definition || !layer.fields || layer.inputs.size() != 1 ||
        !sameAsData.contains(layer.inputs[0]))
      continue;
    const std::string& type = layer.definition->schema.type;
    if (keepsNumbers(type)) sameAsData.insert(layer.name);
    if (type != "Embedding") continue;
    const auto count = layer.fields->at("input_dim").get<int64_t>();
    if (!limit || count < limit->count) limit = IndexLimit{layer.name, count};
  }
  return limit;
}

std::optional<DataMisfit> findMisfit(const Dataset& dataset, const Model& model,
                                     const TrainingOptions& training,
                                     const std::vector<int64_t>& classes) {
  for (size_t i = 0; i < classes.size(); ++i)
    if (auto wrong = findWrongLabel(dataset, i, training.outputs[i], classes[i])) return wrong;
  for (size_t i = 0; i < model.inputs.size(); ++i)
    if (auto wrong = findWrongIndex(dataset, i, model)) return wrong;
  return {};
}

}  // namespace strata

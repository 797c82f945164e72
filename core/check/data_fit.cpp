// SPDX-License-Identifier: Apache-2.0
#include "core/check/data_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/data/table.h"
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

bool flagOf(const Json& fields, const char* name) {
  const auto field = fields.find(name);
  return field != fields.end() && field->is_boolean() && field->get<bool>();
}

/// The steps of an input that a mask excludes, and the layer that averages over the others.
struct MaskedAverage {
  std::string masking, averaging;
  // A step is masked if all its values have this value
  double value = 0;
};

/// Whether the output of a layer has the mask of its first input.
bool keepsMask(const Layer& layer) {
  if (layer.definition->masks != MaskRule::Lost) return true;
  // A recurrent layer keeps the mask if it returns all steps
  const auto inner = layer.fields->find("layer");
  return flagOf(*layer.fields, "return_sequences") ||
         (inner != layer.fields->end() && inner->is_object() && flagOf(*inner, "return_sequences"));
}

/// Returns a layer that averages over the unmasked steps of this Input layer, if there is one. It
/// divides 0 by 0 for a sample whose steps are all masked.
std::optional<MaskedAverage> maskedAverage(const Model& model, const std::string& input) {
  std::set<std::string> sameAsData{input};
  std::map<std::string, MaskedAverage> masks;
  for (const Layer& layer : model.layers) {
    if (!layer.definition || !layer.fields || layer.inputs.empty()) continue;
    const std::string &type = layer.definition->schema.type, &from = layer.inputs[0];
    const auto mask = masks.find(from);
    if (type == "GlobalAveragePooling1D" && mask != masks.end()) {
      mask->second.averaging = layer.name;
      return mask->second;
    }
    if (type == "Masking" && sameAsData.contains(from))
      masks[layer.name] = {layer.name, "", layer.fields->at("mask_value").get<double>()};
    else if (type == "Embedding" && sameAsData.contains(from) && flagOf(*layer.fields, "mask_zero"))
      masks[layer.name] = {layer.name, "", 0};
    else if (mask != masks.end() && keepsMask(layer))
      masks[layer.name] = mask->second;
    if (keepsNumbers(type) && sameAsData.contains(from)) sameAsData.insert(layer.name);
  }
  return {};
}

/// Judges samples by the layers that use one input.
class InputJudge {
 public:
  InputJudge(size_t input, const Model& model)
      : m_input(input),
        m_isOne(model.inputs.size() == 1),
        m_name(model.inputs[input]),
        m_limit(indexLimit(model, m_name)),
        m_average(maskedAverage(model, m_name)) {}

  std::optional<DataMisfit> find(const Samples& samples, const InputTransform& transform) {
    if (!m_limit && !m_average) return {};
    m_misfit.reset();
    forEachSample(samples, m_input, transform, samples.count(),
                  [&](int64_t sample, std::span<const float> values) {
                    if (m_misfit) return;
                    if (m_limit) judgeIndices(samples, sample, values);
                    if (m_average && !m_misfit) judgeMask(samples, sample, values);
                  });
    return m_misfit;
  }

 private:
  std::string placeOf(const Samples& samples, int64_t sample) const {
    const std::string place = samples.placeOf(sample);
    return m_isOne ? place : place + ", input \"" + m_name + "\"";
  }

  void judgeIndices(const Samples& samples, int64_t sample, std::span<const float> values) {
    for (size_t i = 0; i < values.size(); ++i) {
      const float value = values[i];
      const bool isWhole = value == std::floor(value);
      if (isWhole && value >= 0 && value < static_cast<float>(m_limit->count)) continue;
      m_misfit = DataMisfit{
          .layer = m_limit->layer,
          .field = m_limit->field,
          .place = placeOf(samples, sample),
          .message =
              isWhole || !std::isfinite(value)
                  ? STRATA_TEXT("problem",
                                "value %1 of the sample is %2 (expected 0 to %3, the indices of "
                                "%4). Correct the data, or raise %5 of the layer.")
                  : STRATA_TEXT("problem",
                                "value %1 of the sample is %2 (expected a whole number from 0 to "
                                "%3, an index of %4). Correct the data."),
          .arguments = {std::to_string(i + 1), valueText(static_cast<double>(value)),
                        std::to_string(m_limit->count - 1), m_limit->layer, m_limit->field},
          .value = i};
      return;
    }
  }

  void judgeMask(const Samples& samples, int64_t sample, std::span<const float> values) {
    const auto padding = static_cast<float>(m_average->value);
    if (std::ranges::any_of(values, [&](float value) { return value != padding; })) return;
    m_misfit = DataMisfit{
        .code = "masked_sample",
        .layer = m_average->averaging,
        .place = placeOf(samples, sample),
        .message = STRATA_TEXT(
            "problem",
            "all values of the sample are %1, so %2 masks all of its steps, and %3 has nothing to "
            "average (0 divided by 0). Remove the sample, or give it at least one other value."),
        .arguments = {valueText(m_average->value), m_average->masking, m_average->averaging}};
  }

  const size_t m_input;
  const bool m_isOne;
  const std::string m_name;
  const std::optional<IndexLimit> m_limit;
  const std::optional<MaskedAverage> m_average;
  std::optional<DataMisfit> m_misfit;
};

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
    if (type != "Embedding" && type != "CategoryEncoding") continue;
    const char* const field = type == "Embedding" ? "input_dim" : "num_tokens";
    const auto count = layer.fields->at(field).get<int64_t>();
    if (!limit || count < limit->count) limit = IndexLimit{layer.name, count, field};
  }
  return limit;
}

/// Adds the column of a table to the place of a misfit.
static void addColumn(DataMisfit& misfit, const Dataset& dataset, size_t input) {
  if (!misfit.value || input >= dataset.encodings.size()) return;
  const auto& encoding = dataset.encodings[input];
  if (!encoding || encoding->value("type", std::string()) != "table") return;
  const TableEncoding table = parseTableEncoding(*encoding, misfit.place);
  const std::vector<std::string> names = table.names();
  if (table.hadHeader && *misfit.value < names.size())
    misfit.place += ", column \"" + names[*misfit.value] + "\"";
}

std::optional<DataMisfit> findInputMisfit(const Samples& samples, size_t input,
                                          const InputTransform& transform, const Model& model) {
  return InputJudge(input, model).find(samples, transform);
}

std::vector<DataMisfit> findMisfits(const Dataset& dataset, const Model& model,
                                    const TrainingOptions& training,
                                    const std::vector<int64_t>& widths) {
  std::vector<DataMisfit> misfits;
  const size_t targets = std::min(widths.size(), dataset.targets.size());
  for (size_t i = 0; i < targets; ++i)
    if (auto misfit = findTargetMisfit(dataset, i, training.outputs[i], widths[i]))
      misfits.push_back(std::move(*misfit));
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    InputJudge judge(i, model);
    auto misfit = judge.find(*dataset.train, dataset.transforms[i]);
    if (!misfit) misfit = judge.find(*dataset.test, dataset.transforms[i]);
    if (!misfit) continue;
    addColumn(*misfit, dataset, i);
    misfits.push_back(std::move(*misfit));
  }
  return misfits;
}

}  // namespace strata

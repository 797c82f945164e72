// SPDX-License-Identifier: Apache-2.0
// Checks the scale and the order of dimensions of images: values that are divided twice or by the
// wrong number, and channels that a network takes for rows.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/check/data_fit.h"
#include "core/check/joint_checks.h"
#include "core/project/text.h"

namespace strata {

namespace {

// The samples whose values are looked at to find their range
constexpr int64_t kSamplesLookedAt = 100;

/// Returns the largest value for which a scale is made: 255 or 65535. Such a scale maps values to
/// 0..1 or -1..1. Returns 0 for other scales.
double madeFor(double scale) {
  for (const double largest : {255.0, 65535.0})
    for (const double range : {1.0, 2.0})
      if (std::abs(std::abs(scale) * largest / range - 1) < 0.01) return largest;
  return 0;
}

std::string wholeText(double value) { return std::to_string(std::lround(value)); }

/// Returns what a scale divides by, such as "127.5".
std::string divisorText(double scale) {
  const double divisor = std::round(10 / std::abs(scale)) / 10;
  return divisor == std::round(divisor) ? wholeText(divisor) : Json(divisor).dump();
}

/// Whether a layer of this type outputs only values of its input, and perhaps zeros.
bool keepsRange(const std::string& type) {
  static const std::set<std::string> types{
      "Flatten",    "Reshape",        "Permute",    "Cropping2D", "ZeroPadding2D",    "Resizing",
      "CenterCrop", "RandomRotation", "RandomCrop", "RandomFlip", "RandomTranslation"};
  return types.contains(type);
}

/// Checks the values of one Input layer on their way to the first layer that changes them.
class ScaleCheck {
 public:
  ScaleCheck(const ProjectParts& parts, size_t input, Diagnostics& diagnostics)
      : m_parts(parts), m_input(input), m_diagnostics(diagnostics) {
    const DataInput& data = parts.data.inputs[input];
    if (data.largest > 0)
      m_largest = data.largest;
    else if (data.type == DType::U8)
      m_largest = 255;
    if (m_largest == 0) findRange();
  }

  void check() {
    if (m_largest == 0) return;
    const std::string& input = m_parts.model.inputs[m_input];
    checkTransforms(input);
    // The layers that output the values, and what scaled them before: the name of a layer, "" for
    // a transform or the data; nullopt if nothing did
    std::map<std::string, std::optional<std::string>> sources{
        {input, m_isScaled ? std::optional<std::string>("") : std::nullopt}};
    for (const Layer& layer : m_parts.model.layers) {
      if (!layer.definition || !layer.fields || layer.inputs.size() != 1) continue;
      const auto source = sources.find(layer.inputs[0]);
      if (source == sources.end()) continue;
      const std::string& type = layer.definition->schema.type;
      if (keepsRange(type)) sources[layer.name] = source->second;
      if (type != "Rescaling") continue;
      const auto scales = layer.fields->at("scale").get<std::vector<double>>();
      const double made = scales.empty() ? 0 : madeFor(scales[0]);
      sources[layer.name] = made > 0 ? std::optional(layer.name) : source->second;
      if (made > 0) checkLayer(layer, scales, made, source->second);
    }
  }

 private:
  /// Looks at samples of numbers. Numbers up to 1 are scaled already, and integers beyond 255 have
  /// 16 bits.
  void findRange() {
    const auto& dataset = m_parts.data.dataset;
    if (!dataset || dataset->train->decode || m_input >= dataset->train->x.size()) return;
    const Tensor& x = dataset->train->x[m_input];
    const int64_t samples = dataset->train->count();
    if (x.shape().rank() < 2 || samples == 0) return;
    const auto count =
        static_cast<size_t>(std::min(kSamplesLookedAt, samples) * (x.numElements() / samples));
    if (x.dtype() == DType::I32) {
      const auto [least, most] = std::ranges::minmax(x.as<int32_t>().first(count));
      if (least >= 0 && most > 255 && most <= 65535) m_largest = 65535;
      return;
    }
    if (x.dtype() != DType::F32) return;
    float largest = 0;
    for (const float value : x.as<float>().first(count))
      largest = std::max(largest, std::abs(value));
    if (!(largest > 0 && largest <= 1)) return;
    m_largest = 1;
    m_isScaled = m_isDataScaled = true;
  }

  void warn(const char* code, const std::string& layer, std::string field, Text message,
            Arguments arguments, std::vector<Fix> fixes) {
    m_diagnostics.push_back({Severity::Warning, code, layer, std::move(field), message,
                             std::move(arguments), std::move(fixes)});
  }

  /// Reports a rescale of values that are scaled already.
  void checkTransforms(const std::string& input) {
    Diagnostics ignored;
    const Json& data = memberOf(m_parts.document, "data");
    const TransformList list =
        parseTransforms(memberOf(data, "transforms"), m_parts.model.inputs, {""}, ignored);
    for (const TransformList::Entry& entry : list.ofInputs) {
      if (!entry.input.empty() && entry.input != input) continue;
      if (entry.type == "standardize" || entry.type == "min_max") m_isScaled = true;
      if (entry.type != "rescale") continue;
      const auto given = entry.numbers.find("scale");
      const double known = m_parts.data.inputs[m_input].largest,
                   scale =
                       given != entry.numbers.end() ? given->second : 1 / (known > 0 ? known : 255);
      const double made = madeFor(scale);
      if (made == 0) continue;
      if (m_isScaled)
        warn("double_scale", "", entry.pointer,
             m_isDataScaled
                 ? STRATA_TEXT("problem",
                               "rescale divides the values by %1, but the values of the data are "
                               "at most 1 (expected values up to %2). Remove the transform.")
                 : STRATA_TEXT("problem",
                               "rescale divides the values by %1, but an earlier transform has "
                               "scaled them (expected values up to %2). Remove one of them."),
             {divisorText(scale), wholeText(made)}, {removeFix(entry.pointer)});
      // The description of the data judges images
      else if (known == 0 && made < m_largest)
        warn("wrong_scale", "", entry.pointer,
             STRATA_TEXT("problem",
                         "rescale divides the values by %1, but the data has values up to %2. "
                         "Divide by %2."),
             {divisorText(scale), wholeText(m_largest)}, {divideFix(entry)});
      m_isScaled = true;
      m_scaling = entry.pointer;
    }
  }

  Fix divideFix(const TransformList::Entry& entry) const {
    Json transform{{"type", "rescale"}, {"scale", 1 / m_largest}};
    if (!entry.input.empty()) transform["input"] = entry.input;
    Fix fix = setFix(entry.pointer, transform);
    fix.label = STRATA_TEXT("problem", "Divide by %1");
    fix.arguments = {wholeText(m_largest)};
    return fix;
  }

  static Fix removeFix(const std::string& pointer) {
    return {STRATA_TEXT("problem", "Remove the transform"),
            {},
            {STRATA_TEXT("edit", "Remove a transform"), {}, {removeOperation(pointer)}, {}}};
  }

  /// Reports a Rescaling whose values are scaled already, or have another range. `before` is what
  /// scaled them.
  void checkLayer(const Layer& layer, const std::vector<double>& scales, double made,
                  const std::optional<std::string>& before) {
    // The scale for values up to 1, or for those of the data
    const double wanted = before ? scales[0] * made : scales[0] * made / m_largest;
    if (!before && made == m_largest) return;
    std::vector<Fix> fixes;
    if (scales.size() == 1) fixes.push_back(layerFieldFix(layer, "scale", Json(wanted)));
    if (!before) {
      if (!fixes.empty()) {
        fixes[0].label = STRATA_TEXT("problem", "Divide by %1");
        fixes[0].arguments = {divisorText(wanted)};
      }
      warn("wrong_scale", layer.name, "scale",
           STRATA_TEXT("problem",
                       "scale is made for values up to %1, but the images have values up to %2. "
                       "Divide by %3."),
           {wholeText(made), wholeText(m_largest), divisorText(wanted)}, std::move(fixes));
      return;
    }
    const Arguments arguments{wholeText(made), valueText(wanted)};
    if (m_isDataScaled && before->empty())
      warn("double_scale", layer.name, "scale",
           STRATA_TEXT("problem",
                       "scale is made for values up to %1, but the values of the data are at most "
                       "1. Set scale to %2."),
           arguments, std::move(fixes));
    else if (before->empty() && !m_scaling.empty())
      warn("double_scale", layer.name, "scale",
           STRATA_TEXT("problem",
                       "scale is made for values up to %1, but the transform rescale already "
                       "divides the values. Remove the transform."),
           {wholeText(made)}, {removeFix(m_scaling)});
    else if (before->empty())
      warn("double_scale", layer.name, "scale",
           STRATA_TEXT("problem",
                       "scale is made for values up to %1, but a transform already scales the "
                       "values. Set scale to %2."),
           arguments, std::move(fixes));
    else
      warn("double_scale", layer.name, "scale",
           STRATA_TEXT("problem",
                       "scale is made for values up to %1, but %3 already divides the values. Set "
                       "scale to %2."),
           {arguments[0], arguments[1], *before}, std::move(fixes));
  }

  const ProjectParts& m_parts;
  const size_t m_input;
  Diagnostics& m_diagnostics;
  // The largest value of the data: 1, 255 or 65535; 0 if it is not known
  double m_largest = 0;
  // Whether transforms or the data have scaled the values, and whether the data have
  bool m_isScaled = false, m_isDataScaled = false;
  // The last rescale
  std::string m_scaling;
};

/// Appends the operations that set data_format of all layers to channels_first.
void addFormatOperations(const Model& model, std::vector<EditOperation>& operations) {
  for (const Layer& layer : model.layers) {
    if (layer.inner) addFormatOperations(*layer.inner, operations);
    if (!layer.fields || !layer.fields->contains("data_format")) continue;
    const EditOperation operation = setOperation(layer.pointer + "/data_format", "channels_first");
    if (std::ranges::find(operations, operation.pointer, &EditOperation::pointer) ==
        operations.end())
      operations.push_back(operation);
  }
}

/// Reports an Input layer of (channels, height, width) whose first dimension a layer takes for the
/// height.
void checkChannelOrder(const ProjectParts& parts, size_t input, Diagnostics& diagnostics) {
  constexpr int64_t kMaxChannels = 4;
  const Shape& shape = parts.data.inputs[input].shape;
  if (shape.rank() != 3 || shape[0] > kMaxChannels || shape[0] == 2 || shape[1] <= kMaxChannels ||
      shape[2] <= kMaxChannels)
    return;
  const std::string& name = parts.model.inputs[input];
  std::set<std::string> sources{name};
  for (const Layer& layer : parts.model.layers) {
    if (!layer.definition || !layer.fields || layer.inputs.size() != 1 ||
        !sources.contains(layer.inputs[0]))
      continue;
    const std::string& type = layer.definition->schema.type;
    const auto format = layer.fields->find("data_format");
    if (type == "Rescaling" || type == "Normalization") sources.insert(layer.name);
    if (format == layer.fields->end() || type == "Flatten" || *format != "channels_last") continue;
    Fix fix{STRATA_TEXT("problem", "Set data_format of all layers to channels_first"),
            {},
            {STRATA_TEXT("edit", "Set %1"), {"data_format"}, {}, {}}};
    addFormatOperations(parts.model, fix.edit.operations);
    diagnostics.push_back(
        {Severity::Warning,
         "channels_first",
         layer.name,
         "data_format",
         STRATA_TEXT("problem",
                     "the samples have the shape %1, so this layer takes the first dimension for "
                     "the height (expected height, width, channels). If the samples begin with "
                     "their channels, set data_format to channels_first."),
         {shape.toString()},
         {std::move(fix)}});
    return;
  }
}

}  // namespace

void checkImages(const ProjectParts& parts, Diagnostics& diagnostics) {
  if (!parts.data.isKnown || parts.data.inputs.size() != parts.model.inputs.size()) return;
  for (size_t i = 0; i < parts.model.inputs.size(); ++i) {
    ScaleCheck(parts, i, diagnostics).check();
    checkChannelOrder(parts, i, diagnostics);
  }
}

}  // namespace strata

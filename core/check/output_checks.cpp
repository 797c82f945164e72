// SPDX-License-Identifier: Apache-2.0
// Checks an output of the network against its loss, its metrics and the targets of the data.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "core/check/data_fit.h"
#include "core/check/joint_checks.h"
#include "core/layers/activation_range.h"
#include "core/model/shape_fixes.h"
#include "core/recipe/losses.h"

namespace strata {

namespace {

/// Returns the name of the activation that produces the output of a layer, or "?" if it is unknown.
std::string finalActivation(const LayerDef& definition, const Json& fields, size_t inputs) {
  const std::string& type = definition.schema.type;
  if (type == "Softmax" || type == "ReLU") return type == "Softmax" ? "softmax" : "relu";
  const FieldSchema* field = definition.schema.field("activation");
  if (!field) {
    const bool keepsProbabilities = inputs > 1 || type == "Dropout" || type == "Reshape" ||
                                    type == "Flatten" || type == "Permute";
    // The layer may receive probabilities and keep them.
    return keepsProbabilities ? "?" : "linear";
  }
  const auto given = fields.find("activation");
  Json activation("?");
  if (given != fields.end())
    activation = Json(*given);
  else if (!field->defaultJson.empty())
    activation = Json::parse(field->defaultJson);
  if (activation.is_string()) return activation.get<std::string>();
  return activation.is_object() && activation.contains("type") && activation["type"].is_string()
             ? activation["type"].get<std::string>()
             : "linear";
}

std::string finalActivation(const Layer& layer) {
  // In a wrapper, such as TimeDistributed, the wrapped layer has the activation.
  const auto inner = layer.fields->find("layer");
  if (inner != layer.fields->end() && inner->is_object() && inner->contains("type") &&
      inner->at("type").is_string()) {
    const LayerDef* definition = findLayer(inner->at("type").get<std::string>());
    return definition ? finalActivation(*definition, *inner, 1) : "?";
  }
  return finalActivation(*layer.definition, *layer.fields, layer.inputs.size());
}

class OutputChecker {
 public:
  OutputChecker(const ProjectParts& parts, size_t index, Diagnostics& diagnostics)
      : m_parts(parts),
        m_output(parts.training.outputs[index]),
        m_target(parts.data.targets[std::min(index, parts.data.targets.size() - 1)]),
        m_index(index),
        m_diagnostics(diagnostics) {}

  void check() {
    const LossDef* loss = findLoss(m_output.loss.type);
    if (!loss) return;
    const Layer* output = outputLayer();
    const std::optional<Shape> shape = output && output->definition && output->fields
                                           ? m_parts.row(*output).outputShape
                                           : std::nullopt;
    if (m_parts.data.isKnown && !checkTargets(*loss, shape)) return;
    if (!output || !output->definition || !output->fields) return;
    if (shape && shape->rank() == 0) return;
    checkActivation(*loss, *output, shape ? shape->dim(-1) : -1);
    if (!m_parts.data.isKnown || !shape) return;
    if (loss->target == TargetKind::Sequences)
      checkSequences(*output, *shape);
    else if (loss->target == TargetKind::Labels && !comparesSamples(*loss))
      checkClasses(*loss, *output, *shape);
    else if (loss->target == TargetKind::Values)
      checkValues(*loss, *output, *shape);
    checkMetrics(m_parts, m_index, *shape, m_diagnostics);
  }

 private:
  void report(Severity severity, const char* code, const std::string& layer, std::string field,
              Text message, Arguments arguments, std::vector<Fix> fixes = {}) {
    m_diagnostics.push_back(
        {severity, code, layer, std::move(field), message, std::move(arguments), std::move(fixes)});
  }

  std::vector<Fix> useLoss(const char* loss) const {
    return {useLossFix(m_parts.document, m_output, loss)};
  }

  /// Returns the targets of this output, if the data was read, or null.
  const Tensor* targets() const {
    const auto& dataset = m_parts.data.dataset;
    return dataset && m_index < dataset->train->y.size() ? &dataset->train->y[m_index] : nullptr;
  }

  /// Returns the layer that sets the last dimension of the output. Skips layers that keep the
  /// shape.
  const Layer* sizingLayer(const Layer* layer) const {
    while (layer && layer->inputs.size() == 1 &&
           (layer->definition->schema.type == "Activation" ||
            layer->definition->schema.type == "Dropout" ||
            layer->definition->schema.type == "BatchNormalization" ||
            layer->definition->schema.type == "Rescaling"))
      layer = m_parts.model.find(layer->inputs[0]);
    return layer;
  }

  bool isSizedByUnits(const Layer& output) const {
    const Layer* layer = sizingLayer(&output);
    return layer && layer->definition->schema.type == "Dense";
  }

  std::vector<Fix> resizeFix(const Layer& output, int64_t size) const {
    if (isSizedByUnits(output)) return {layerFieldFix(*sizingLayer(&output), "units", size)};
    return {};
  }

  /// Returns the layer of this output. In a network with wrong connections, returns it only if it
  /// is the last layer, and null otherwise.
  const Layer* outputLayer() const {
    const auto found =
        std::find_if(m_parts.model.drafts.begin(), m_parts.model.drafts.end(),
                     [&](const Layer& layer) { return layer.name == m_output.name; });
    if (found == m_parts.model.drafts.end()) return nullptr;
    const bool isLast = static_cast<size_t>(found->index) + 1 == m_parts.model.drafts.size();
    return m_parts.model.isConnected || isLast ? &*found : nullptr;
  }

  /// Whether the loss compares the outputs of samples with each other. They are then embeddings,
  /// and their number does not depend on the number of classes.
  static bool comparesSamples(const LossDef& loss) {
    return loss.target == TargetKind::Labels && loss.ranges.targets == TargetRange::Any;
  }

  /// Returns the labels that occur in the data, in ascending order, or an empty list if they are
  /// not known.
  std::vector<int32_t> labels() const {
    if (!m_parts.data.dataset) return m_target.labels;
    std::set<int32_t> found;
    for (const Samples* samples :
         {m_parts.data.dataset->train.get(), m_parts.data.dataset->test.get()})
      if (m_index < samples->y.size() && samples->y[m_index].dtype() == DType::I32)
        found.insert(samples->y[m_index].as<int32_t>().begin(),
                     samples->y[m_index].as<int32_t>().end());
    if (const auto& fields = m_output.loss.fields; fields && fields->contains("ignore_class"))
      if (const Json& ignored = fields->at("ignore_class"); ignored.is_number_integer())
        found.erase(ignored.get<int32_t>());
    return {found.begin(), found.end()};
  }

  /// Returns the number that the data has for a label, or nullopt if it is a word.
  std::optional<int32_t> numberOf(int32_t label) const {
    const auto place = static_cast<size_t>(label);
    if (label < 0 || place >= m_target.classNames.size()) return label;
    const std::string& name = m_target.classNames[place];
    int32_t number = 0;
    const auto end = std::from_chars(name.data(), name.data() + name.size(), number);
    if (end.ec != std::errc() || end.ptr != name.data() + name.size()) return {};
    return number;
  }

  /// Returns the number that marks samples without a class: the only label that is larger than all
  /// outputs, if it is one that programs use for this.
  std::optional<int32_t> voidLabel(int64_t width) const {
    const std::vector<int32_t> found = labels();
    if (found.size() < 2 || found.back() < width || found[found.size() - 2] >= width) return {};
    constexpr int32_t kUsual[] = {99, 255, 999, 9999, 65535};
    const auto last = numberOf(found.back());
    return last && std::ranges::find(kUsual, *last) != std::end(kUsual) ? last : std::nullopt;
  }

  /// Returns the fix "Set ignore_class to N".
  Fix ignoreFix(int32_t number) const {
    const Json::json_pointer place(m_output.pointer);
    if (m_parts.document.contains(place) && m_parts.document.at(place).is_object())
      return setFix(m_output.pointer + "/ignore_class", number);
    Fix fix = setFix(m_output.pointer + "/ignore_class", number);
    fix.edit.operations = {setOperation(
        m_output.pointer, Json{{"type", m_output.loss.type}, {"ignore_class", number}})};
    return fix;
  }

  /// Reports more classes than outputs.
  void reportFewOutputs(const LossDef& loss, const Layer& output, int64_t width) {
    std::vector<Fix> fixes = resizeFix(output, m_target.classes);
    const char* const field = isSizedByUnits(output) ? "units" : "";
    if (const std::vector<int32_t> found = labels(); width > 1 && !found.empty() &&
                                                     found.front() == 1 && found.back() == width &&
                                                     numberOf(1) == 1) {
      report(Severity::Error, "shape_mismatch", output.name, field,
             STRATA_TEXT("problem",
                         "the labels of the data begin at 1 (expected 0 to %1, got 1 to %2), so "
                         "the network has no output for the last class. Subtract 1 from the "
                         "labels, or add an output that stays unused."),
             {std::to_string(width - 1), std::to_string(width)}, std::move(fixes));
      return;
    }
    if (const auto number = voidLabel(width); number && loss.schema.field("ignore_class")) {
      fixes.insert(fixes.begin(), ignoreFix(*number));
      report(Severity::Error, "shape_mismatch", output.name, field,
             STRATA_TEXT("problem",
                         "the data has the label %1, but the network has %2 outputs (expected 0 to "
                         "%3). If %1 marks samples without a class, set ignore_class of the loss "
                         "to %1. Otherwise, increase the size of the last layer."),
             {std::to_string(*number), std::to_string(width), std::to_string(width - 1)},
             std::move(fixes));
      return;
    }
    report(Severity::Error, "shape_mismatch", output.name, field,
           width == 1
               ? STRATA_TEXT("problem",
                             "the network has %1 output (expected at least %2, one for each "
                             "class of the data). Increase the size of the last layer.")
               : STRATA_TEXT("problem",
                             "the network has %1 outputs (expected at least %2, one for each "
                             "class of the data). Increase the size of the last layer."),
           {std::to_string(width), std::to_string(m_target.classes)}, std::move(fixes));
  }

  /// Reports one-hot targets of a loss that needs class numbers. `hot` is their value above 0.
  void reportOneHot(const LossDef& loss, double hot) {
    const bool isFixed = !comparesSamples(loss);
    Text message = STRATA_TEXT(
        "problem",
        "%1 needs class numbers as targets, but the targets of the data are one-hot (one 1 and "
        "otherwise 0). Choose categorical_crossentropy.");
    if (!isFixed)
      message = STRATA_TEXT(
          "problem",
          "%1 needs class numbers as targets, but the targets of the data are one-hot (one %2 and "
          "otherwise 0). Change them to class numbers.");
    else if (hot != 1)
      message = STRATA_TEXT(
          "problem",
          "%1 needs class numbers as targets, but the targets of the data are one-hot (one %2 and "
          "otherwise 0). Choose categorical_crossentropy, and divide the targets by %2.");
    report(Severity::Error, "loss_mismatch", "", m_output.pointer, message,
           {loss.schema.type, valueText(hot)},
           isFixed ? useLoss("categorical_crossentropy") : std::vector<Fix>());
  }

  /// Returns whether the loss accepts the kind of targets in the data. If not, reports it. `shape`
  /// is the shape of the output, if it is known.
  bool checkTargets(const LossDef& loss, const std::optional<Shape>& shape) {
    const bool isSparse = loss.target == TargetKind::Labels;
    // Class numbers have no dimension of the classes, which the output has
    const bool hasClassDimension = shape && m_target.shape.rank() == shape->rank();
    if (isSparse && hasClassDimension && targets())
      if (const auto hot = oneHotValue(*targets())) {
        reportOneHot(loss, *hot);
        return false;
      }
    if (loss.target != TargetKind::Values && !m_target.hasLabels) {
      report(
          Severity::Error, "loss_mismatch", "", m_output.pointer,
          STRATA_TEXT("problem",
                      "%1 needs class numbers as targets, but the targets of the data are numeric "
                      "values. Choose mean_squared_error, or another source."),
          {loss.schema.type}, useLoss("mean_squared_error"));
      return false;
    }
    const bool hasClassNumbers = m_target.hasLabels || (m_target.shape.numElements() == 1 &&
                                                        targets() && areClassNumbers(*targets()));
    if (loss.ranges.targets == TargetRange::Distribution && hasClassNumbers) {
      report(Severity::Error, "loss_mismatch", "", m_output.pointer,
             STRATA_TEXT(
                 "problem",
                 "%1 needs a probability for each class as target, but the data has class numbers. "
                 "Choose sparse_categorical_crossentropy, or add the transform one_hot."),
             {loss.schema.type}, useLoss("sparse_categorical_crossentropy"));
      return false;
    }
    return true;
  }

  /// Reports classes of data that was not read and whose loss expects targets from 0 to 1.
  void checkClassTargets(const LossDef& loss) {
    const TargetRange range = loss.ranges.targets;
    if ((range != TargetRange::Unit && range != TargetRange::Signs) || m_parts.data.dataset ||
        !m_target.hasLabels || m_target.classes < 3)
      return;
    if (m_target.labels.size() == 2) {
      report(Severity::Error, "target_out_of_range", "", m_output.pointer,
             STRATA_TEXT("problem",
                         "the targets are %1 and %2 (expected 0 and 1, because %3 compares targets "
                         "of two classes). Change the targets %1 and %2 to 0 and 1."),
             {std::to_string(m_target.labels[0]), std::to_string(m_target.labels[1]),
              loss.schema.type});
      return;
    }
    report(Severity::Error, "target_out_of_range", "", m_output.pointer,
           STRATA_TEXT("problem",
                       "the data has %1 classes (expected 2, because %2 compares targets of two "
                       "classes). Choose sparse_categorical_crossentropy for class numbers."),
           {std::to_string(m_target.classes), loss.schema.type},
           useLoss("sparse_categorical_crossentropy"));
  }

  /// Checks an output with one value for each class. The targets are class numbers.
  void checkClasses(const LossDef& loss, const Layer& output, const Shape& shape) {
    const int64_t width = shape.dim(-1), size = m_target.classes > 0 ? m_target.classes : width;
    const char* const activation = isFromLogits() ? "" : "softmax";
    const bool hasOneLabel = m_target.shape.numElements() == 1;
    if (shape.without(shape.rank() - 1).numElements() != m_target.shape.numElements())
      report(Severity::Error, "shape_mismatch", output.name, "",
             STRATA_TEXT("problem",
                         "the output has the shape %1 (expected [%2], one number for each class). "
                         "Insert Flatten before the last Dense, or add both at the end."),
             {shape.toString(), std::to_string(size)},
             hasOneLabel ? flattenFix(output, size, activation) : std::vector<Fix>());
    else if (width < m_target.classes)
      reportFewOutputs(loss, output, width);
    else if (m_target.classes > 1 && width > m_target.classes)
      report(
          Severity::Warning, "unused_outputs", output.name, isSizedByUnits(output) ? "units" : "",
          STRATA_TEXT("problem",
                      "the network has %1 outputs, but the data has only %2 classes (expected one "
                      "output for each class), so the other outputs are unused."),
          {std::to_string(width), std::to_string(m_target.classes)},
          resizeFix(output, m_target.classes));
  }

  bool isFromLogits() const {
    return m_output.loss.fields && m_output.loss.fields->value("from_logits", false);
  }

  std::vector<Fix> flattenFix(const Layer& output, int64_t size, const char* activation) const {
    const Layer* dense = isSizedByUnits(output) ? sizingLayer(&output) : nullptr;
    return flattenFixes(m_parts.document, m_parts.model, m_parts.summary, output, dense, size,
                        activation);
  }

  /// Checks an output [steps, classes]. The targets are sequences of labels.
  void checkSequences(const Layer& output, const Shape& shape) {
    const int64_t labels = m_target.shape.numElements();
    if (shape.rank() != 2)
      report(
          Severity::Error, "shape_mismatch", output.name, "",
          STRATA_TEXT("problem",
                      "the output has the shape %1 (expected [steps, classes]). Set "
                      "return_sequences of recurrent layers to true, and end with a Dense layer."),
          {shape.toString()});
    else if (m_target.shape.rank() != 1 || labels > shape[0])
      report(
          Severity::Error, "shape_mismatch", output.name, "",
          STRATA_TEXT("problem",
                      "the targets have the shape %1 (expected at most %2 labels per sample, one "
                      "for each step of the output). Give the output more steps."),
          {m_target.shape.toString(), std::to_string(shape[0])});
    else if (shape[1] < m_target.classes)
      report(Severity::Error, "shape_mismatch", output.name, isSizedByUnits(output) ? "units" : "",
             STRATA_TEXT("problem",
                         "the network has %1 outputs (expected at least %2, one for each "
                         "class of the data). Increase the size of the last layer."),
             {std::to_string(shape[1]), std::to_string(m_target.classes)},
             resizeFix(output, m_target.classes));
  }

  /// Checks an output of numeric values, which must have as many values as the targets.
  void checkValues(const LossDef& loss, const Layer& output, const Shape& shape) {
    checkClassTargets(loss);
    const int64_t expected = m_target.shape.numElements();
    if (shape.numElements() == expected) return checkReach(loss, output);
    std::vector<Fix> fixes =
        shape.rank() == 1 ? resizeFix(output, expected) : flattenFix(output, expected, "");
    if (m_target.hasLabels && m_target.classes > 1)
      fixes.push_back(useLossFix(m_parts.document, m_output, "sparse_categorical_crossentropy"));
    report(Severity::Error, "shape_mismatch", output.name, "",
           expected == 1 ? STRATA_TEXT("problem",
                                       "the output has the shape %1 (expected %2 value, like the "
                                       "targets of the data). Change its size or the loss.")
                         : STRATA_TEXT("problem",
                                       "the output has the shape %1 (expected %2 values, like the "
                                       "targets of the data). Change its size or the loss."),
           {shape.toString(), std::to_string(expected)}, std::move(fixes));
  }

  /// Reports measured targets that the last activation cannot output.
  void checkReach(const LossDef& loss, const Layer& output) {
    if (!canMeasure(loss) || !m_parts.data.dataset || !targets() ||
        targets()->dtype() != DType::F32 || targets()->numElements() == 0)
      return;
    const Layer& end = endOf(output);
    if (!end.definition || !end.fields || hasOwnRange(end)) return;
    const std::string activation = finalActivation(end);
    const ValueRange range = rangeOfActivation(activation);
    const auto [lowest, highest] = std::ranges::minmax(targets()->as<float>());
    const auto least = static_cast<double>(lowest), most = static_cast<double>(highest);
    if (least >= range.minimum && most <= range.maximum) return;
    Text message = STRATA_TEXT("problem",
                               "the targets of the data are from %1 to %2, but it ends in %3, "
                               "which outputs only %4 to %5. Set the activation to linear, or "
                               "scale the targets.");
    if (std::isinf(range.maximum))
      message = STRATA_TEXT("problem",
                            "the targets of the data are from %1 to %2, but it ends in %3, which "
                            "outputs only %4 or more. Set the activation to linear, or scale the "
                            "targets.");
    else if (std::isinf(range.minimum))
      message = STRATA_TEXT("problem",
                            "the targets of the data are from %1 to %2, but it ends in %3, which "
                            "outputs only %5 or less. Set the activation to linear, or scale the "
                            "targets.");
    report(Severity::Warning, "unreachable_targets", end.path, activationField(end), message,
           {valueText(least), valueText(most), activation, valueText(range.minimum),
            valueText(range.maximum)},
           activationFix(end, "linear"));
  }

  /// Whether the loss compares each output with a measured value. Other losses state the values
  /// that they expect, or compare only directions.
  static bool canMeasure(const LossDef& loss) {
    return loss.target == TargetKind::Values && !isOfDirections(loss) &&
           (loss.ranges.targets == TargetRange::Any ||
            loss.ranges.targets == TargetRange::NotNegative ||
            loss.ranges.targets == TargetRange::NotZero);
  }
  static bool isOfDirections(const LossDef& loss) {
    return loss.schema.type == "cosine_similarity";
  }

  /// Whether the fields of the last activation change its range, as those of a leaky ReLU do.
  static bool hasOwnRange(const Layer& end) {
    const auto activation = end.fields->find("activation");
    const Json& fields =
        activation != end.fields->end() && activation->is_object() ? *activation : *end.fields;
    for (const char* name : {"negative_slope", "threshold"})
      if (const auto field = fields.find(name);
          field != fields.end() && field->is_number() && field->get<double>() != 0)
        return true;
    return false;
  }

  /// Reports a last layer with one output whose value means nothing to the loss.
  void checkSingleOutput(const LossDef& loss, const Layer& output, const Layer& end,
                         const std::string& activation) {
    const bool comparesClasses =
        !loss.isBinary &&
        (loss.wantsProbabilities || loss.ranges.outputs == OutputRange::Distribution);
    if (comparesClasses)
      report(Severity::Warning, "one_class", output.name, "",
             STRATA_TEXT("problem",
                         "the network has one output, but %1 needs one output for each "
                         "class, so nothing is learned. Use one output for each class."),
             {loss.schema.type});
    else if (isOfDirections(loss))
      report(Severity::Warning, "one_class", output.name, "",
             STRATA_TEXT("problem",
                         "%1 compares the directions of vectors, but the network has one output "
                         "(expected at least 2), which has only a sign, so nothing is learned. "
                         "Choose mean_squared_error."),
             {loss.schema.type}, useLoss("mean_squared_error"));
    else if (activation == "softmax" && !loss.isBinary) {
      const char* const better = loss.ranges.outputs == OutputRange::Unit ? "sigmoid" : "linear";
      report(Severity::Warning, "constant_output", end.path, activationField(end),
             STRATA_TEXT("problem",
                         "it ends in softmax with one output, which is always 1, so nothing is "
                         "learned (expected %1). Change the activation."),
             {better}, activationFix(end, better));
    }
  }

  /// Reports a final activation whose values do not match the loss. `width` is the last dimension
  /// of the output, or -1 if it is unknown.
  void checkActivation(const LossDef& loss, const Layer& output, int64_t width) {
    if (!m_output.loss.fields) return;
    const Layer& end = endOf(output);
    if (!end.definition || !end.fields) return;
    const std::string activation = finalActivation(end);
    if (isFromLogits())
      checkLogits(end, activation);
    else if (activation != "?")
      checkRange(loss, end, activation, width);
    if (width == 1) checkSingleOutput(loss, output, end, activation);
  }

  static const char* activationField(const Layer& end) {
    return end.definition->schema.field("activation") ? "activation" : "";
  }

  static std::vector<Fix> activationFix(const Layer& end, const char* activation) {
    if (*activationField(end) == 0) return {};
    return {layerFieldFix(end, "activation", activation)};
  }

  void checkLogits(const Layer& end, const std::string& activation) {
    if (activation != "softmax" && activation != "sigmoid") return;
    report(Severity::Warning, "not_logits", end.path, activationField(end),
           STRATA_TEXT("problem",
                       "it ends in %1, but from_logits of the loss is true. The loss is computed "
                       "from the values before %1; set from_logits to false."),
           {activation}, {setFix(m_output.pointer + "/from_logits", false)});
  }

  /// Reports an activation whose values are outside the range that the loss expects.
  void checkRange(const LossDef& loss, const Layer& end, const std::string& activation,
                  int64_t width) {
    const bool isSoftmax = activation == "softmax" || activation == "sparsemax",
               isSigmoid = activation.ends_with("sigmoid") && activation != "log_sigmoid";
    const std::string& type = loss.schema.type;
    switch (loss.ranges.outputs) {
      case OutputRange::Any: return;
      case OutputRange::Unit:
        if (!isSigmoid && !(isSoftmax && !loss.isBinary))
          reportNoProbabilities(loss, end, activation, "sigmoid");
        return;
      case OutputRange::Distribution:
        if (!isSoftmax && !(isSigmoid && (width == 1 || !loss.wantsProbabilities)))
          reportNoProbabilities(loss, end, activation, "softmax");
        return;
      case OutputRange::Positive:
        if (isNeverNegative(activation)) return;
        report(Severity::Warning, "not_positive", end.path, activationField(end),
               STRATA_TEXT("problem",
                           "the loss %1 expects positive outputs, but the network ends in %2, "
                           "which may be negative (expected softplus or exponential). Change the "
                           "activation."),
               {type, activation}, activationFix(end, "softplus"));
        return;
      case OutputRange::Scores:
        if (loss.ranges.targets != TargetRange::Signs || !isNeverNegative(activation)) return;
        report(Severity::Warning, "no_scores", end.path, activationField(end),
               STRATA_TEXT("problem",
                           "the loss %1 expects a positive or negative score, but the network ends "
                           "in %2, which is never negative (expected linear or tanh). Change the "
                           "activation."),
               {type, activation}, activationFix(end, "linear"));
    }
  }

  void reportNoProbabilities(const LossDef& loss, const Layer& end, const std::string& activation,
                             const char* wanted) {
    report(
        Severity::Warning, "not_probabilities", end.path, activationField(end),
        loss.wantsProbabilities
            ? STRATA_TEXT("problem",
                          "the loss %1 expects probabilities, but the network ends in %2 (expected "
                          "%3). Change the activation, or set from_logits of the loss to true.")
            : STRATA_TEXT("problem",
                          "the loss %1 expects probabilities, but the network ends in %2 "
                          "(expected %3). Change the activation."),
        {loss.schema.type, activation, wanted}, activationFix(end, wanted));
  }

  static bool isNeverNegative(const std::string& activation) {
    return rangeOfActivation(activation).minimum >= 0;
  }

  const ProjectParts& m_parts;
  const OutputOptions& m_output;
  const DataTarget& m_target;
  const size_t m_index;
  Diagnostics& m_diagnostics;
};

}  // namespace

void checkOutput(const ProjectParts& parts, size_t index, Diagnostics& diagnostics) {
  OutputChecker(parts, index, diagnostics).check();
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Checks an output of the network against its loss, its metrics and the targets of the data.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/check/joint_checks.h"
#include "core/model/shape_fixes.h"
#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"

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
        m_diagnostics(diagnostics) {}

  void check() {
    const LossDef* loss = findLoss(m_output.loss.type);
    if (!loss || (m_parts.data.isKnown && !checkTargets(*loss))) return;
    const Layer* output = outputLayer();
    if (!output || !output->definition || !output->fields) return;
    const auto& shape = m_parts.row(*output).outputShape;
    if (shape && shape->rank() == 0) return;
    checkActivation(*loss, *output, shape ? shape->dim(-1) : -1);
    if (!m_parts.data.isKnown || !shape) return;
    if (loss->target == TargetKind::Sequences)
      checkSequences(*output, *shape);
    else if (loss->target == TargetKind::Labels)
      checkClasses(*output, *shape);
    else
      checkValues(*output, *shape);
    checkMetrics(*loss, *shape);
  }

 private:
  void report(Severity severity, const char* code, const std::string& layer, std::string field,
              Text message, Arguments arguments, std::vector<Fix> fixes = {}) {
    m_diagnostics.push_back(
        {severity, code, layer, std::move(field), message, std::move(arguments), std::move(fixes)});
  }

  static Fix setTrainingFix(Text label, const std::string& value, const std::string& pointer) {
    return {label,
            {value},
            {STRATA_TEXT("edit", "Set %1"),
             {pointer.substr(pointer.rfind('/') + 1)},
             {setOperation(pointer, value)},
             {}}};
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

  /// Returns whether the loss accepts the kind of targets in the data. If not, reports it.
  bool checkTargets(const LossDef& loss) {
    const auto useLoss = [&](const char* other) {
      return std::vector<Fix>{
          setTrainingFix(STRATA_TEXT("problem", "Use %1"), other, m_output.pointer)};
    };
    if (loss.target != TargetKind::Values && !m_target.hasLabels) {
      report(
          Severity::Error, "loss_mismatch", "", m_output.pointer,
          STRATA_TEXT("problem",
                      "%1 needs class numbers as targets, but the targets of the data are numeric "
                      "values. Choose mean_squared_error, or another source."),
          {loss.schema.type}, useLoss("mean_squared_error"));
      return false;
    }
    if (loss.schema.type == "categorical_crossentropy" && m_target.hasLabels) {
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

  /// Checks an output with one value for each class. The targets are class numbers.
  void checkClasses(const Layer& output, const Shape& shape) {
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
      report(Severity::Error, "shape_mismatch", output.name, isSizedByUnits(output) ? "units" : "",
             width == 1
                 ? STRATA_TEXT("problem",
                               "the network has %1 output (expected at least %2, one for each "
                               "class of the data). Increase the size of the last layer.")
                 : STRATA_TEXT("problem",
                               "the network has %1 outputs (expected at least %2, one for each "
                               "class of the data). Increase the size of the last layer."),
             {std::to_string(width), std::to_string(m_target.classes)},
             resizeFix(output, m_target.classes));
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
  void checkValues(const Layer& output, const Shape& shape) {
    const int64_t expected = m_target.shape.numElements();
    if (shape.numElements() == expected) return;
    std::vector<Fix> fixes =
        shape.rank() == 1 ? resizeFix(output, expected) : flattenFix(output, expected, "");
    if (m_target.hasLabels && m_target.classes > 1)
      fixes.push_back(setTrainingFix(STRATA_TEXT("problem", "Use %1"),
                                     "sparse_categorical_crossentropy", m_output.pointer));
    report(Severity::Error, "shape_mismatch", output.name, "",
           expected == 1 ? STRATA_TEXT("problem",
                                       "the output has the shape %1 (expected %2 value, like the "
                                       "targets of the data). Change its size or the loss.")
                         : STRATA_TEXT("problem",
                                       "the output has the shape %1 (expected %2 values, like the "
                                       "targets of the data). Change its size or the loss."),
           {shape.toString(), std::to_string(expected)}, std::move(fixes));
  }

  /// Reports an activation that does not match a loss of probabilities or logits. `width` is the
  /// last dimension of the output, or -1 if it is unknown.
  void checkActivation(const LossDef& loss, const Layer& output, int64_t width) {
    if (!loss.wantsProbabilities || !m_output.loss.fields) return;
    const bool fromLogits = m_output.loss.fields->at("from_logits").get<bool>();
    const Layer& end = endOf(output);
    if (!end.definition || !end.fields) return;
    const std::string wanted = loss.isBinary ? "sigmoid" : "softmax",
                      activation = finalActivation(end);
    const char* const field = end.definition->schema.field("activation") ? "activation" : "";
    if (fromLogits && (activation == "softmax" || activation == "sigmoid")) {
      report(Severity::Warning, "not_logits", end.path, field,
             STRATA_TEXT("problem",
                         "it ends in %1, but from_logits of the loss is true. The loss is computed "
                         "from the values before %1; set from_logits to false."),
             {activation}, {setFix(m_output.pointer + "/from_logits", false)});
    }
    else if (!fromLogits && (activation == "linear" || activation == "relu" ||
                             (activation == "softmax" && loss.isBinary) ||
                             (activation == "sigmoid" && !loss.isBinary && width > 1))) {
      std::vector<Fix> fixes;
      if (*field != 0) fixes.push_back(layerFieldFix(end, field, wanted));
      report(Severity::Warning, "not_probabilities", end.path, field,
             STRATA_TEXT("problem",
                         "the loss %1 expects probabilities, but the network ends in %2 (expected "
                         "%3). Change the activation, or set from_logits of the loss to true."),
             {loss.schema.type, activation, wanted}, std::move(fixes));
    }
    if (!loss.isBinary && width == 1)
      report(Severity::Warning, "one_class", output.name, "",
             STRATA_TEXT("problem",
                         "the network has one output, but %1 needs one output for each "
                         "class, so nothing is learned. Use one output for each class."),
             {loss.schema.type});
  }

  void checkMetrics(const LossDef& loss, const Shape& shape) {
    for (const auto& metric : m_output.metrics) {
      const char* const field =
          metric.isWeighted ? "/training/weighted_metrics" : "/training/metrics";
      const MetricDef* definition = findMetric(resolveMetric(metric.type, loss.target, shape));
      if (definition && loss.target == TargetKind::Sequences) {
        report(
            Severity::Error, "metric_mismatch", "", field,
            STRATA_TEXT("problem",
                        "the metric %1 compares outputs and labels step by step, but the labels of "
                        "%2 have no positions (expected no metrics). Remove it."),
            {metric.type, loss.schema.type});
        continue;
      }
      if (definition && definition->target != loss.target && !definition->takesEitherTarget)
        report(Severity::Error, "metric_mismatch", "", field,
               STRATA_TEXT("problem",
                           "the metric %1 compares values, but the targets of %2 are "
                           "class numbers. Use accuracy."),
               {metric.type, loss.schema.type});
    }
  }

  const ProjectParts& m_parts;
  const OutputOptions& m_output;
  const DataTarget& m_target;
  Diagnostics& m_diagnostics;
};

}  // namespace

void checkOutput(const ProjectParts& parts, size_t index, Diagnostics& diagnostics) {
  OutputChecker(parts, index, diagnostics).check();
}

}  // namespace strata

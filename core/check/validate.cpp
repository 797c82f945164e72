// SPDX-License-Identifier: Apache-2.0
// Finds problems that concern model, data and training together.
#include "core/check/validate.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/check/data_fit.h"
#include "core/check/problem_order.h"
#include "core/compile/compile.h"
#include "core/data/batches_ahead.h"
#include "core/data/dataset.h"
#include "core/interchange/weights_file.h"
#include "core/model/model.h"
#include "core/model/shape_fixes.h"
#include "core/recipe/callbacks.h"
#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"
#include "core/recipe/options.h"
#include "core/runs/given_weights.h"

namespace strata {

namespace {

Json toJson(const Shape& shape) {
  Json result = Json::array();
  for (const int64_t size : shape.dims())
    result.push_back(size);
  return result;
}

class Checker {
 public:
  Checker(const Project& project, const Model& model, const ModelSummary& summary,
          const TrainingOptions& training, const DatasetInfo& data, Diagnostics& diagnostics)
      : m_document(project.document()),
        m_model(model),
        m_summary(summary),
        m_training(training),
        m_data(data),
        m_isBatchWritten(m_document.contains("training") &&
                         m_document["training"].contains("batch_size")),
        m_diagnostics(diagnostics) {}

  void check();

 private:
  class OutputChecker;

  void report(Severity severity, const char* code, const std::string& layer, std::string field,
              Text message, Arguments arguments, std::vector<Fix> fixes = {}) {
    m_diagnostics.push_back(
        {severity, code, layer, std::move(field), message, std::move(arguments), std::move(fixes)});
  }

  Fix setField(const Layer& layer, const std::string& field, const Json& value) const {
    return setFieldFix(layer.path, field, value, layer.pointer + "/" + field);
  }

  Fix setTraining(Text label, const std::string& value, const std::string& pointer) const {
    return {label,
            {value},
            {STRATA_TEXT("edit", "Set %1"),
             {pointer.substr(pointer.rfind('/') + 1)},
             {setOperation(pointer, value)},
             {}}};
  }

  const LayerSummary& row(const Layer& layer) const {
    return m_summary.layers[static_cast<size_t>(layer.index)];
  }

  void checkEnds() {
    // Missing layers would look like unconnected outputs
    if (!m_model.isConnected || m_model.drafts.empty()) return;
    const bool hasInput =
        std::any_of(m_model.drafts.begin(), m_model.drafts.end(), [](const Layer& layer) {
          return !layer.definition || layer.definition->schema.type == "Input";
        });
    if (!hasInput)
      report(Severity::Error, "missing_input", "", "/model/layers",
             STRATA_TEXT("problem",
                         "the network has no Input layer (expected one). Add one at the top."),
             {});
    if (m_training.outputs.size() != 1) return;
    for (const std::string& loose : m_model.outputs)
      if (loose != m_training.outputs[0].name &&
          std::find(m_training.untrained.begin(), m_training.untrained.end(), loose) ==
              m_training.untrained.end())
        report(Severity::Error, "several_outputs", loose, "",
               STRATA_TEXT("problem",
                           "its output is not connected to anything, but the network already ends "
                           "in %1 (expected one output, or a loss for each). Connect it, remove "
                           "it, or give each output a loss."),
               {m_training.outputs[0].name});
  }

  /// A state continues in the sample at the same position of the next batch, so all batches must
  /// have the same size.
  void checkStates(const Model& model) {
    const int64_t batch = std::min(m_training.batchSize, m_data.trainCount);
    for (const Layer& layer : model.layers) {
      if (layer.inner) checkStates(*layer.inner);
      const auto isStateful = [](const Json& fields) {
        const auto field = fields.find("stateful");
        return field != fields.end() && field->is_boolean() && field->get<bool>();
      };
      const auto inner = layer.fields->find("layer");
      const bool isWrapped =
          inner != layer.fields->end() && inner->is_object() && isStateful(*inner);
      if (!isStateful(*layer.fields) && !isWrapped) continue;
      const std::string field = isWrapped ? "/layer/stateful" : "/stateful";
      if (std::min(m_training.accumulationSteps, m_training.batchSize) > 1) {
        const char* const pieces = "/training/gradient_accumulation_steps";
        report(Severity::Error, "uneven_pieces", layer.path, field.substr(1),
               STRATA_TEXT("problem",
                           "it is stateful, but batches are split into %1 micro-batches, and its "
                           "state must continue from one batch to the next (expected "
                           "gradient_accumulation_steps 1). Set it to 1."),
               {std::to_string(m_training.accumulationSteps)}, {setFix(pieces, 1)});
        m_diagnostics.back().pointer = layer.pointer + field;
      }
      if (batch < 1 || m_data.trainCount % batch == 0) continue;
      report(Severity::Error, "uneven_batches", layer.path, field.substr(1),
             STRATA_TEXT("problem",
                         "it is stateful, but %1 samples cannot be divided into batches of %2 "
                         "(expected batches of equal size, because the state continues in the next "
                         "batch). Change batch_size, or the number of samples."),
             {std::to_string(m_data.trainCount), std::to_string(batch)});
      m_diagnostics.back().pointer = layer.pointer + field;
    }
  }

  void checkInputs() {
    if (!m_data.isKnown || m_data.inputs.size() != m_model.inputs.size()) return;
    for (size_t i = 0; i < m_model.inputs.size(); ++i) {
      const Layer* input = m_model.find(m_model.inputs[i]);
      if (!input || !row(*input).outputShape) continue;
      const Shape &shape = *row(*input).outputShape, &expected = m_data.inputs[i].shape;
      if (shape == expected) continue;
      report(Severity::Error, "shape_mismatch", input->name, "shape",
             STRATA_TEXT("problem",
                         "shape is %1 (expected %2, the shape of the data's samples). Change it."),
             {shape.toString(), expected.toString()},
             {setField(*input, "shape", toJson(expected))});
    }
  }

  /// Reports stages in which no layer with weights learns.
  void checkStages() {
    for (size_t i = 0; i < m_training.stages.size(); ++i) {
      const TrainStage& stage = m_training.stages[i];
      const auto learns = [&](const LayerSummary& layer) {
        if (layer.parameters == 0) return false;
        if (!stage.trainable)
          return std::find(stage.frozen.begin(), stage.frozen.end(), layer.name) ==
                 stage.frozen.end();
        return std::any_of(
            stage.trainable->begin(), stage.trainable->end(),
            [&](const std::string& name) { return name.substr(0, name.find('/')) == layer.name; });
      };
      if (stage.trainable ? stage.trainable->empty() : stage.frozen.empty()) continue;
      if (std::none_of(m_summary.layers.begin(), m_summary.layers.end(), learns))
        report(
            Severity::Warning, "nothing_learns", "",
            "/training/stages/" + std::to_string(i) + (stage.trainable ? "/trainable" : "/frozen"),
            stage.trainable
                ? STRATA_TEXT("problem",
                              "none of these layers has weights (expected at least one with "
                              "weights), so this stage learns nothing. List other layers.")
                : STRATA_TEXT("problem",
                              "all layers with weights are frozen (expected at least one trainable "
                              "layer), so this stage learns nothing. Freeze fewer layers."),
            {});
    }
  }

  /// Reports changes planned after the last step.
  void checkChanges() {
    const int64_t samples = std::max<int64_t>(1, m_data.trainCount);
    const int64_t inEpoch = m_training.stepsPerEpoch.value_or(
        batchesIn(samples, std::min(m_training.batchSize, samples)));
    if (m_training.epochs > INT64_MAX / inEpoch) return;
    const int64_t last = m_training.epochs * inEpoch;
    for (const LiveChange& change : m_training.changes)
      if (change.step > last)
        report(
            Severity::Warning, "unused", "", "/training/changes",
            STRATA_TEXT("problem",
                        "the change of %1 at step %2 has no effect: training ends at step %3 "
                        "(expected at most %3). Lower its step, or increase epochs of training."),
            {change.name, std::to_string(change.step), std::to_string(last)});
  }

  /// Reports batches larger than the data, and values in the data that a layer cannot use.
  void checkSamples() {
    if (m_training.accumulationSteps > m_training.batchSize)
      report(Severity::Warning, "too_many_pieces", "", "/training/gradient_accumulation_steps",
             STRATA_TEXT("problem",
                         "a batch of %1 samples cannot be split into %2 micro-batches (expected at "
                         "most %1), so it is split into %1. Lower gradient_accumulation_steps."),
             {std::to_string(m_training.batchSize), std::to_string(m_training.accumulationSteps)},
             {setFix("/training/gradient_accumulation_steps", m_training.batchSize)});
    if (!m_data.isKnown) return;
    const int64_t classes = m_data.targets.size() == 1 ? m_data.targets[0].classes : 0;
    if (classes > 0 && std::ssize(m_training.classWeights) > classes)
      report(Severity::Warning, "class_out_of_range", "", "/training/class_weight",
             STRATA_TEXT(
                 "problem",
                 "class %1 has a weight, but the data only has the classes 0 to %2. Remove it."),
             {std::to_string(m_training.classWeights.size() - 1), std::to_string(classes - 1)});
    if (m_isBatchWritten && m_data.trainCount > 0 && m_training.batchSize > m_data.trainCount)
      report(Severity::Warning, "batch_too_large", "", "/training/batch_size",
             STRATA_TEXT("problem",
                         "batch_size is %1, but there are only %2 training samples (expected at "
                         "most %2), so every epoch is a single step. Lower batch_size."),
             {std::to_string(m_training.batchSize), std::to_string(m_data.trainCount)},
             {setFix("/training/batch_size", m_data.trainCount)});
    for (size_t i = 0; i < std::min(m_model.inputs.size(), m_data.inputs.size()); ++i) {
      const auto limit = indexLimit(m_model, m_model.inputs[i]);
      const int64_t count = m_data.inputs[i].indexCount;
      if (limit && count > limit->count)
        report(Severity::Error, "index_out_of_range", limit->layer, "input_dim",
               STRATA_TEXT("problem",
                           "the data has indices from 0 to %1 (expected at most %2, because "
                           "input_dim is %3). Increase input_dim."),
               {std::to_string(count - 1), std::to_string(limit->count - 1),
                std::to_string(limit->count)},
               {setField(*m_model.find(limit->layer), "input_dim", count)});
    }
    if (!m_data.dataset || m_data.dataset->inputs.size() != m_model.inputs.size()) return;
    if (const auto misfit = findMisfit(*m_data.dataset, m_model, m_training, {}))
      report(Severity::Error, "index_out_of_range", misfit->layer, misfit->field,
             STRATA_TEXT("problem", "%1: %2"), {misfit->place, misfit->message});
  }

  /// The layer whose size determines the last dimension of the output, skipping layers that keep
  /// it.
  const Layer* sizingLayer(const Layer* layer) const {
    while (layer && layer->inputs.size() == 1 &&
           (layer->definition->schema.type == "Activation" ||
            layer->definition->schema.type == "Dropout" ||
            layer->definition->schema.type == "BatchNormalization" ||
            layer->definition->schema.type == "Rescaling"))
      layer = m_model.find(layer->inputs[0]);
    return layer;
  }

  bool isSizedByUnits(const Layer& output) const {
    const Layer* layer = sizingLayer(&output);
    return layer && layer->definition->schema.type == "Dense";
  }

  std::vector<Fix> resizeFix(const Layer& output, int64_t size) const {
    if (isSizedByUnits(output)) return {setField(*sizingLayer(&output), "units", size)};
    return {};
  }

  std::string finalActivation(const Layer& layer) const {
    // For TimeDistributed, SpectralNormalization and Bidirectional
    const auto inner = layer.fields->find("layer");
    if (inner != layer.fields->end() && inner->is_object() && inner->contains("type") &&
        inner->at("type").is_string()) {
      const LayerDef* definition = findLayer(inner->at("type").get<std::string>());
      return definition ? finalActivation(*definition, *inner, 1) : "?";
    }
    return finalActivation(*layer.definition, *layer.fields, layer.inputs.size());
  }

  static std::string finalActivation(const LayerDef& definition, const Json& fields,
                                     size_t inputs) {
    const std::string& type = definition.schema.type;
    if (type == "Softmax" || type == "ReLU") return type == "Softmax" ? "softmax" : "relu";
    const FieldSchema* field = definition.schema.field("activation");
    if (!field) {
      const bool mayPassOn = inputs > 1 || type == "Dropout" || type == "Reshape" ||
                             type == "Flatten" || type == "Permute";
      // Its input may already be probabilities
      return mayPassOn ? "?" : "linear";
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

  const Json& m_document;
  const Model& m_model;
  const ModelSummary& m_summary;
  const TrainingOptions& m_training;
  const DatasetInfo& m_data;
  const bool m_isBatchWritten;
  Diagnostics& m_diagnostics;
};

/// Checks an output, its loss and its targets against each other.
class Checker::OutputChecker {
 public:
  OutputChecker(Checker& checker, size_t index)
      : m_checker(checker),
        m_model(checker.m_model),
        m_output(checker.m_training.outputs[index]),
        m_target(checker.m_data.targets[std::min(index, checker.m_data.targets.size() - 1)]) {}

  void check() {
    const LossDef* loss = findLoss(m_output.loss.type);
    if (!loss || (m_checker.m_data.isKnown && !checkTargets(*loss))) return;
    const Layer* output = outputLayer();
    if (!output || !output->definition || !output->fields) return;
    const auto& shape = m_checker.row(*output).outputShape;
    if (shape && shape->rank() == 0) return;
    checkActivation(*loss, *output, shape ? shape->dim(-1) : -1);
    if (!m_checker.m_data.isKnown || !shape) return;
    if (loss->target == TargetKind::Sequences)
      checkSequences(*output, *shape);
    else if (loss->target == TargetKind::Labels)
      checkClasses(*output, *shape);
    else
      checkValues(*output, *shape);
    checkMetrics(*loss, *shape);
  }

 private:
  /// The layer that produces the prediction; null if the intended last layer is not connected or
  /// has no unique name.
  const Layer* outputLayer() const {
    const auto found =
        std::find_if(m_model.drafts.begin(), m_model.drafts.end(),
                     [&](const Layer& layer) { return layer.name == m_output.name; });
    if (found == m_model.drafts.end()) return nullptr;
    const bool isLast = static_cast<size_t>(found->index) + 1 == m_model.drafts.size();
    return m_model.isConnected || isLast ? &*found : nullptr;
  }

  /// Whether the loss accepts the kind of targets that the data has.
  bool checkTargets(const LossDef& loss) {
    const auto useLoss = [&](const char* other) {
      return std::vector<Fix>{
          m_checker.setTraining(STRATA_TEXT("problem", "Use %1"), other, m_output.pointer)};
    };
    if (loss.target != TargetKind::Values && !m_target.hasLabels) {
      m_checker.report(
          Severity::Error, "loss_mismatch", "", m_output.pointer,
          STRATA_TEXT("problem",
                      "%1 needs class numbers as targets, but the targets of the data are numeric "
                      "values. Choose mean_squared_error, or another source."),
          {loss.schema.type}, useLoss("mean_squared_error"));
      return false;
    }
    if (loss.schema.type == "categorical_crossentropy" && m_target.hasLabels) {
      m_checker.report(
          Severity::Error, "loss_mismatch", "", m_output.pointer,
          STRATA_TEXT(
              "problem",
              "%1 needs a probability for each class as target, but the data has class numbers. "
              "Choose sparse_categorical_crossentropy, or add the transform one_hot."),
          {loss.schema.type}, useLoss("sparse_categorical_crossentropy"));
      return false;
    }
    return true;
  }

  void checkClasses(const Layer& output, const Shape& shape) {
    const int64_t width = shape.dim(-1), size = m_target.classes > 0 ? m_target.classes : width;
    const char* const activation = isFromLogits() ? "" : "softmax";
    const bool hasOneLabel = m_target.shape.numElements() == 1;
    if (shape.without(shape.rank() - 1).numElements() != m_target.shape.numElements())
      m_checker.report(
          Severity::Error, "shape_mismatch", output.name, "",
          STRATA_TEXT("problem",
                      "the output has the shape %1 (expected [%2], one number for each class). "
                      "Insert Flatten before the last Dense, or add both at the end."),
          {shape.toString(), std::to_string(size)},
          hasOneLabel ? flatten(output, size, activation) : std::vector<Fix>());
    else if (width < m_target.classes)
      m_checker.report(
          Severity::Error, "shape_mismatch", output.name,
          m_checker.isSizedByUnits(output) ? "units" : "",
          width == 1 ? STRATA_TEXT("problem",
                                   "the network has %1 output (expected at least %2, one for each "
                                   "class of the data). Increase the size of the last layer.")
                     : STRATA_TEXT("problem",
                                   "the network has %1 outputs (expected at least %2, one for each "
                                   "class of the data). Increase the size of the last layer."),
          {std::to_string(width), std::to_string(m_target.classes)},
          m_checker.resizeFix(output, m_target.classes));
    else if (m_target.classes > 1 && width > m_target.classes)
      m_checker.report(
          Severity::Warning, "unused_outputs", output.name,
          m_checker.isSizedByUnits(output) ? "units" : "",
          STRATA_TEXT("problem",
                      "the network has %1 outputs, but the data has only %2 classes (expected one "
                      "output for each class), so the other outputs are unused."),
          {std::to_string(width), std::to_string(m_target.classes)},
          m_checker.resizeFix(output, m_target.classes));
  }

  bool isFromLogits() const {
    return m_output.loss.fields && m_output.loss.fields->value("from_logits", false);
  }

  std::vector<Fix> flatten(const Layer& output, int64_t size, const char* activation) const {
    const Layer* dense =
        m_checker.isSizedByUnits(output) ? m_checker.sizingLayer(&output) : nullptr;
    return flattenFixes(m_checker.m_document, m_model, m_checker.m_summary, output, dense, size,
                        activation);
  }

  void checkSequences(const Layer& output, const Shape& shape) {
    const int64_t labels = m_target.shape.numElements();
    if (shape.rank() != 2)
      m_checker.report(
          Severity::Error, "shape_mismatch", output.name, "",
          STRATA_TEXT("problem",
                      "the output has the shape %1 (expected [steps, classes]). Set "
                      "return_sequences of recurrent layers to true, and end with a Dense layer."),
          {shape.toString()});
    else if (m_target.shape.rank() != 1 || labels > shape[0])
      m_checker.report(
          Severity::Error, "shape_mismatch", output.name, "",
          STRATA_TEXT("problem",
                      "the targets have the shape %1 (expected at most %2 labels per sample, one "
                      "for each step of the output). Give the output more steps."),
          {m_target.shape.toString(), std::to_string(shape[0])});
    else if (shape[1] < m_target.classes)
      m_checker.report(Severity::Error, "shape_mismatch", output.name,
                       m_checker.isSizedByUnits(output) ? "units" : "",
                       STRATA_TEXT("problem",
                                   "the network has %1 outputs (expected at least %2, one for each "
                                   "class of the data). Increase the size of the last layer."),
                       {std::to_string(shape[1]), std::to_string(m_target.classes)},
                       m_checker.resizeFix(output, m_target.classes));
  }

  void checkValues(const Layer& output, const Shape& shape) {
    const int64_t expected = m_target.shape.numElements();
    if (shape.numElements() == expected) return;
    std::vector<Fix> fixes =
        shape.rank() == 1 ? m_checker.resizeFix(output, expected) : flatten(output, expected, "");
    if (m_target.hasLabels && m_target.classes > 1)
      fixes.push_back(m_checker.setTraining(STRATA_TEXT("problem", "Use %1"),
                                            "sparse_categorical_crossentropy", m_output.pointer));
    m_checker.report(Severity::Error, "shape_mismatch", output.name, "",
                     expected == 1
                         ? STRATA_TEXT("problem",
                                       "the output has the shape %1 (expected %2 value, like the "
                                       "targets of the data). Change its size or the loss.")
                         : STRATA_TEXT("problem",
                                       "the output has the shape %1 (expected %2 values, like the "
                                       "targets of the data). Change its size or the loss."),
                     {shape.toString(), std::to_string(expected)}, std::move(fixes));
  }

  void checkActivation(const LossDef& loss, const Layer& output, int64_t width) {
    if (!loss.wantsProbabilities || !m_output.loss.fields) return;
    const bool fromLogits = m_output.loss.fields->at("from_logits").get<bool>();
    const Layer& end = endOf(output);
    if (!end.definition || !end.fields) return;
    const std::string wanted = loss.isBinary ? "sigmoid" : "softmax",
                      activation = m_checker.finalActivation(end);
    const char* const field = end.definition->schema.field("activation") ? "activation" : "";
    if (fromLogits && (activation == "softmax" || activation == "sigmoid")) {
      m_checker.report(
          Severity::Warning, "not_logits", end.path, field,
          STRATA_TEXT("problem",
                      "it ends in %1, but from_logits of the loss is true. The loss is computed "
                      "from the values before %1; set from_logits to false."),
          {activation}, {setFix(m_output.pointer + "/from_logits", false)});
    }
    else if (!fromLogits && (activation == "linear" || activation == "relu" ||
                             (activation == "softmax" && loss.isBinary) ||
                             (activation == "sigmoid" && !loss.isBinary && width > 1))) {
      std::vector<Fix> fixes;
      if (*field != 0) fixes.push_back(m_checker.setField(end, field, wanted));
      m_checker.report(
          Severity::Warning, "not_probabilities", end.path, field,
          STRATA_TEXT("problem",
                      "the loss %1 expects probabilities, but the network ends in %2 (expected "
                      "%3). Change the activation, or set from_logits of the loss to true."),
          {loss.schema.type, activation, wanted}, std::move(fixes));
    }
    if (!loss.isBinary && width == 1)
      m_checker.report(Severity::Warning, "one_class", output.name, "",
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
        m_checker.report(
            Severity::Error, "metric_mismatch", "", field,
            STRATA_TEXT("problem",
                        "the metric %1 compares outputs and labels step by step, but the labels of "
                        "%2 have no positions (expected no metrics). Remove it."),
            {metric.type, loss.schema.type});
        continue;
      }
      if (definition && definition->target != loss.target && !definition->takesEitherTarget)
        m_checker.report(Severity::Error, "metric_mismatch", "", field,
                         STRATA_TEXT("problem",
                                     "the metric %1 compares values, but the targets of %2 are "
                                     "class numbers. Use accuracy."),
                         {metric.type, loss.schema.type});
    }
  }

  Checker& m_checker;
  const Model& m_model;
  const OutputOptions& m_output;
  const DataTarget& m_target;
};

void Checker::check() {
  checkEnds();
  checkInputs();
  if (m_data.isKnown && m_data.targets.size() != m_training.outputs.size()) return;
  for (size_t i = 0; i < m_training.outputs.size(); ++i)
    OutputChecker(*this, i).check();
  if (m_data.isKnown) checkStates(m_model);
  if (m_data.isKnown && m_data.validationCount == 0) checkMonitors(m_training, m_diagnostics);
  checkSamples();
  if (m_data.isKnown) checkChanges();
  const bool hasWeights = m_summary.parameters > 0;
  if (hasWeights && !hasErrors(m_diagnostics)) checkStages();
  if (hasWeights && m_summary.trainableParameters == 0 && !hasErrors(m_diagnostics))
    report(Severity::Warning, "nothing_learns", "", "/model/layers",
           STRATA_TEXT(
               "problem",
               "every layer is frozen, so nothing is learned. Set trainable of a layer to true."),
           {});
}

}  // namespace

namespace {

/// Reports unknown keys, which are kept on saving, with the most similar known name.
void checkKeys(const Json& object, const std::string& where, const std::vector<std::string>& known,
               Diagnostics& diagnostics) {
  if (!object.is_object()) return;
  checkFields(Schema{.type = where.empty() ? "a project" : where.substr(1)}, object, where, "",
              diagnostics, known);
}

/// Checks that the file of initial weights exists and is complete, as far as its header tells.
void checkInitialWeights(const Project& project, const TrainingOptions& training,
                         Diagnostics& diagnostics) {
  if (training.initialWeights.empty()) return;
  try {
    openWeightsFile(weightsFile(pathInProject(project, training.initialWeights)));
  }
  catch (const Error& error) {
    diagnostics.push_back({Severity::Error,
                           "bad_file",
                           "",
                           "/training/initial_weights",
                           STRATA_TEXT("problem", "initial_weights %1: %2"),
                           {error.subject(), error.what()},
                           {}});
  }
}

/// Problems that the checks above do not find appear when the step is built: reporting them here is
/// better than a failure at Train.
void checkBuild(const Model& model, const TrainingOptions& training, Diagnostics& diagnostics) {
  StepOptions options;
  options.mode = StepMode::Evaluate;
  options.batchSize = training.batchSize;
  options.stopAfter = Stage::Lowered;
  try {
    const StepGraph step = buildStep(model, training, options);
    if (!step.countedBy.empty() && std::min(training.accumulationSteps, training.batchSize) > 1)
      diagnostics.push_back(unevenMicroBatches(step.countedBy, training.accumulationSteps));
  }
  catch (const LayerProblem& problem) {
    diagnostics.push_back(problem.diagnostic());
  }
  catch (const Error& error) {
    diagnostics.push_back({Severity::Error,
                           "unsupported",
                           model.find(rowOfLayer(error.subject())) ? pathOfLayer(error.subject())
                                                                   : model.outputs.back(),
                           "",
                           STRATA_TEXT("problem", "%1"),
                           {error.what()},
                           {}});
  }
}

}  // namespace

Inspection inspectProject(const CheckedProject& checked) {
  const Project& project = checked.project();
  const Model& model = checked.model();
  const TrainingOptions& training = checked.recipe();
  Inspection result;
  Diagnostics& diagnostics = result.diagnostics;
  diagnostics = checked.problemsOfModel();
  Diagnostics ofTraining = checked.problemsOfTraining();
  result.summary = summarizeModel(model, project, training.batchSize, diagnostics);
  checkInitialWeights(project, training, ofTraining);
  const DatasetInfo& data = checked.data();
  ofTraining.insert(ofTraining.end(), checked.problemsOfData().begin(),
                    checked.problemsOfData().end());
  Checker(project, model, result.summary, training, data, diagnostics).check();
  checkKeys(
      project.document(), "",
      {"format", "version", "name", "notes", "data", "model", "training", "execution", "design"},
      ofTraining);
  if (project.document().contains("model"))
    checkKeys(project.document()["model"], "/model", {"layers", "outputs"}, ofTraining);
  if (!hasErrors(diagnostics) && !hasErrors(ofTraining)) checkBuild(model, training, diagnostics);
  for (auto& each : ofTraining)
    diagnostics.push_back(std::move(each));
  orderByLayers(project, diagnostics);
  proposeShapeFixes(project, model, result.summary, training.batchSize, diagnostics);
  return result;
}

Diagnostics validate(const CheckedProject& project) { return inspectProject(project).diagnostics; }

Diagnostics validateRest(const CheckedProject& project, const Diagnostics& wrong) {
  // Prefixes of pointers whose problems may only follow from the missing part
  std::vector<std::string> leftOut;
  bool hasTraining = true;
  for (const Diagnostic& each : wrong) {
    const std::string part = each.field.substr(0, each.field.find('/', 1));
    leftOut.push_back(part);
    hasTraining = hasTraining && part != "/training";
    // Its arrays are found by the names of inputs and outputs
    if (part == "/training" || part == "/model") leftOut.emplace_back("/data/source");
    if (part == "/model") leftOut.emplace_back("/training");
  }
  Diagnostics result = wrong;
  for (Diagnostic& each : validate(project)) {
    const bool isFollowing =
        std::any_of(leftOut.begin(), leftOut.end(), [&](const std::string& part) {
          return each.pointer == part || each.pointer.starts_with(part + "/");
        });
    if (!isFollowing && (hasTraining || each.code != "several_outputs"))
      result.push_back(std::move(each));
  }
  return result;
}

}  // namespace strata

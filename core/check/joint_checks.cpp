// SPDX-License-Identifier: Apache-2.0
#include "core/check/joint_checks.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/check/class_weights.h"
#include "core/check/data_fit.h"
#include "core/data/batches_ahead.h"
#include "core/recipe/callbacks.h"

namespace strata {

namespace {

Json jsonOf(const Shape& shape) {
  Json result = Json::array();
  for (const int64_t size : shape.dims())
    result.push_back(size);
  return result;
}

/// Implements checkTogether().
class JointChecker {
 public:
  JointChecker(const ProjectParts& parts, Diagnostics& diagnostics)
      : m_parts(parts),
        m_isBatchWritten(parts.document.contains("training") &&
                         parts.document["training"].contains("batch_size")),
        m_diagnostics(diagnostics) {}

  void check() {
    checkConnections();
    checkInputs();
    checkImages(m_parts, m_diagnostics);
    if (m_parts.data.isKnown && m_parts.data.targets.size() != m_parts.training.outputs.size())
      return;
    m_widths.assign(m_parts.training.outputs.size(), -1);
    for (size_t i = 0; i < m_parts.training.outputs.size(); ++i) {
      const size_t before = m_diagnostics.size();
      checkOutput(m_parts, i, m_diagnostics);
      m_isSound.push_back(!hasErrors(Diagnostics(
          m_diagnostics.begin() + static_cast<std::ptrdiff_t>(before), m_diagnostics.end())));
      const Layer* layer = m_parts.model.find(m_parts.training.outputs[i].name);
      if (!layer) continue;
      if (const auto& shape = m_parts.row(*layer).outputShape; shape && shape->rank() > 0)
        m_widths[i] = shape->dim(-1);
    }
    if (m_parts.data.isKnown) checkStates(m_parts.model);
    if (m_parts.data.isKnown && m_parts.data.validationCount == 0)
      checkMonitors(m_parts.training, m_diagnostics);
    checkSamples();
    if (m_parts.data.isKnown) checkChanges();
    const bool hasWeights = m_parts.summary.parameters > 0;
    if (hasWeights && !hasErrors(m_diagnostics)) checkStages();
    if (hasWeights && m_parts.summary.trainableParameters == 0 && !hasErrors(m_diagnostics))
      report(Severity::Warning, "nothing_learns", "", "/model/layers",
             STRATA_TEXT(
                 "problem",
                 "every layer is frozen, so nothing is learned. Set trainable of a layer to true."),
             {});
  }

 private:
  void report(Severity severity, const char* code, const std::string& layer, std::string field,
              Text message, Arguments arguments, std::vector<Fix> fixes = {}) {
    m_diagnostics.push_back(
        {severity, code, layer, std::move(field), message, std::move(arguments), std::move(fixes)});
  }

  /// Reports a missing Input layer, and unused outputs if the network has one trained output.
  void checkConnections() {
    // Invalid connections make the list of outputs unreliable, so this check is skipped.
    if (!m_parts.model.isConnected || m_parts.model.drafts.empty()) return;
    const bool hasInput = std::any_of(
        m_parts.model.drafts.begin(), m_parts.model.drafts.end(), [](const Layer& layer) {
          return !layer.definition || layer.definition->schema.type == "Input";
        });
    if (!hasInput)
      report(Severity::Error, "missing_input", "", "/model/layers",
             STRATA_TEXT("problem",
                         "the network has no Input layer (expected one). Add one at the top."),
             {});
    if (m_parts.training.outputs.size() != 1) return;
    for (const std::string& unused : m_parts.model.outputs)
      if (unused != m_parts.training.outputs[0].name &&
          std::find(m_parts.training.untrained.begin(), m_parts.training.untrained.end(), unused) ==
              m_parts.training.untrained.end())
        report(Severity::Error, "several_outputs", unused, "",
               STRATA_TEXT("problem",
                           "its output is not connected to anything, but the network already ends "
                           "in %1 (expected one output, or a loss for each). Connect it, remove "
                           "it, or give each output a loss."),
               {m_parts.training.outputs[0].name});
  }

  /// Reports stateful layers if batches are split or have different sizes. Each state continues in
  /// the sample at the same position of the next batch.
  void checkStates(const Model& model) {
    const int64_t batch = std::min(m_parts.training.batchSize, m_parts.data.trainCount);
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
      if (std::min(m_parts.training.accumulationSteps, m_parts.training.batchSize) > 1) {
        const char* const steps = "/training/gradient_accumulation_steps";
        report(Severity::Error, "uneven_pieces", layer.path, field.substr(1),
               STRATA_TEXT("problem",
                           "it is stateful, but batches are split into %1 micro-batches, and its "
                           "state must continue from one batch to the next (expected "
                           "gradient_accumulation_steps 1). Set it to 1."),
               {std::to_string(m_parts.training.accumulationSteps)}, {setFix(steps, 1)});
        m_diagnostics.back().pointer = layer.pointer + field;
      }
      if (batch < 1 || m_parts.data.trainCount % batch == 0) continue;
      report(Severity::Error, "uneven_batches", layer.path, field.substr(1),
             STRATA_TEXT("problem",
                         "it is stateful, but %1 samples cannot be divided into batches of %2 "
                         "(expected batches of equal size, because the state continues in the next "
                         "batch). Change batch_size, or the number of samples."),
             {std::to_string(m_parts.data.trainCount), std::to_string(batch)});
      m_diagnostics.back().pointer = layer.pointer + field;
    }
  }

  /// Returns the fixes for an Input layer of this shape: that of the samples, and for images that
  /// differ only in their channels also the color mode.
  std::vector<Fix> fixesOfShape(const Layer& input, const Shape& shape, const Shape& expected) {
    std::vector<Fix> fixes{layerFieldFix(input, "shape", jsonOf(expected))};
    const bool isImage = m_parts.data.source == "image_folder" && shape.rank() == 3 &&
                         shape.without(2) == expected.without(2);
    for (const auto& [channels, mode] :
         {std::pair{1, "grayscale"}, std::pair{3, "rgb"}, std::pair{4, "rgba"}})
      if (isImage && shape[2] == channels) fixes.push_back(setFix("/data/source/color_mode", mode));
    return fixes;
  }

  /// Reports Input layers with a shape that differs from the samples.
  void checkInputs() {
    if (!m_parts.data.isKnown || m_parts.data.inputs.size() != m_parts.model.inputs.size()) return;
    for (size_t i = 0; i < m_parts.model.inputs.size(); ++i) {
      const Layer* input = m_parts.model.find(m_parts.model.inputs[i]);
      if (!input || !m_parts.row(*input).outputShape) continue;
      const Shape &shape = *m_parts.row(*input).outputShape,
                  &expected = m_parts.data.inputs[i].shape;
      if (shape == expected) continue;
      report(Severity::Error, "shape_mismatch", input->name, "shape",
             STRATA_TEXT("problem",
                         "shape is %1 (expected %2, the shape of the data's samples). Change it."),
             {shape.toString(), expected.toString()}, fixesOfShape(*input, shape, expected));
    }
  }

  /// Reports stages in which no layer with weights is trained.
  void checkStages() {
    for (size_t i = 0; i < m_parts.training.stages.size(); ++i) {
      const TrainStage& stage = m_parts.training.stages[i];
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
      if (std::none_of(m_parts.summary.layers.begin(), m_parts.summary.layers.end(), learns))
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

  /// Reports changes that are planned for a step after the last one.
  void checkChanges() {
    const int64_t samples = std::max<int64_t>(1, m_parts.data.trainCount);
    const int64_t stepsPerEpoch = m_parts.training.stepsPerEpoch.value_or(
        batchesIn(samples, std::min(m_parts.training.batchSize, samples)));
    if (m_parts.training.epochs > INT64_MAX / stepsPerEpoch) return;
    const int64_t lastStep = m_parts.training.epochs * stepsPerEpoch;
    for (const LiveChange& change : m_parts.training.changes)
      if (change.step > lastStep)
        report(
            Severity::Warning, "unused", "", "/training/changes",
            STRATA_TEXT("problem",
                        "the change of %1 at step %2 has no effect: training ends at step %3 "
                        "(expected at most %3). Lower its step, or increase epochs of training."),
            {change.name, std::to_string(change.step), std::to_string(lastStep)});
  }

  /// Reports settings of batches and classes that do not fit each other or the data. Also reports
  /// data that a layer does not accept.
  void checkSamples() {
    if (m_parts.training.accumulationSteps > m_parts.training.batchSize)
      report(Severity::Warning, "too_many_pieces", "", "/training/gradient_accumulation_steps",
             STRATA_TEXT("problem",
                         "a batch of %1 samples cannot be split into %2 micro-batches (expected at "
                         "most %1), so it is split into %1. Lower gradient_accumulation_steps."),
             {std::to_string(m_parts.training.batchSize),
              std::to_string(m_parts.training.accumulationSteps)},
             {setFix("/training/gradient_accumulation_steps", m_parts.training.batchSize)});
    if (!m_parts.data.isKnown) return;
    if (m_parts.data.targets.size() == 1)
      checkClassWeights(m_parts.training, m_parts.data.targets[0], m_parts.data.dataset.get(),
                        m_diagnostics);
    if (m_isBatchWritten && m_parts.data.trainCount > 0 &&
        m_parts.training.batchSize > m_parts.data.trainCount)
      report(Severity::Warning, "batch_too_large", "", "/training/batch_size",
             STRATA_TEXT("problem",
                         "batch_size is %1, but there are only %2 training samples (expected at "
                         "most %2), so every epoch is a single step. Lower batch_size."),
             {std::to_string(m_parts.training.batchSize), std::to_string(m_parts.data.trainCount)},
             {setFix("/training/batch_size", m_parts.data.trainCount)});
    for (size_t i = 0; i < std::min(m_parts.model.inputs.size(), m_parts.data.inputs.size()); ++i) {
      const auto limit = indexLimit(m_parts.model, m_parts.model.inputs[i]);
      const int64_t count = m_parts.data.inputs[i].indexCount;
      if (limit && count > limit->count)
        report(Severity::Error, "index_out_of_range", limit->layer, "input_dim",
               STRATA_TEXT("problem",
                           "the data has indices from 0 to %1 (expected at most %2, because "
                           "input_dim is %3). Increase input_dim."),
               {std::to_string(count - 1), std::to_string(limit->count - 1),
                std::to_string(limit->count)},
               {layerFieldFix(*m_parts.model.find(limit->layer), "input_dim", count)});
    }
    checkValues();
  }

  /// Reports values of the data that the network or a loss cannot use.
  void checkValues() {
    if (!m_parts.data.dataset || m_parts.data.dataset->inputs.size() != m_parts.model.inputs.size())
      return;
    // Targets of an output with an error have another shape or kind
    const bool isSound = std::ranges::all_of(m_isSound, [](bool each) { return each; });
    for (const DataMisfit& misfit :
         findMisfits(*m_parts.data.dataset, m_parts.model, m_parts.training,
                     isSound ? m_widths : std::vector<int64_t>())) {
      const auto output =
          std::ranges::find(m_parts.training.outputs, misfit.field, &OutputOptions::pointer);
      std::vector<Fix> fixes;
      if (!misfit.betterLoss.empty() && output != m_parts.training.outputs.end())
        fixes.push_back(useLossFix(m_parts.document, *output, misfit.betterLoss));
      report(misfit.severity, misfit.code, misfit.layer, misfit.field, misfit.message,
             misfit.arguments, std::move(fixes));
      m_diagnostics.back().around = {{STRATA_TEXT("problem", "%1: %2"), {misfit.place}}};
    }
  }

  const ProjectParts& m_parts;
  // Whether the document sets batch_size
  const bool m_isBatchWritten;
  Diagnostics& m_diagnostics;
  // For each output, its last dimension or -1, and whether it has no error
  std::vector<int64_t> m_widths;
  std::vector<bool> m_isSound;
};

}  // namespace

Fix useLossFix(const Json& document, const OutputOptions& output, const std::string& loss) {
  const Json::json_pointer place(output.pointer);
  Json value = loss;
  if (document.contains(place) && document.at(place).is_object()) {
    value = Json{{"type", loss}};
    for (const auto& [name, given] : document.at(place).items())
      if (findLoss(loss)->schema.field(name)) value[name] = given;
  }
  return {STRATA_TEXT("problem", "Use %1"),
          {loss},
          {STRATA_TEXT("edit", "Set %1"),
           {output.pointer.substr(output.pointer.rfind('/') + 1)},
           {setOperation(output.pointer, value)},
           {}}};
}

Fix layerFieldFix(const Layer& layer, const std::string& field, const Json& value) {
  return setFieldFix(layer.path, field, value, layer.pointer + "/" + field);
}

void checkTogether(const ProjectParts& parts, Diagnostics& diagnostics) {
  JointChecker(parts, diagnostics).check();
}

}  // namespace strata

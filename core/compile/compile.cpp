// SPDX-License-Identifier: Apache-2.0
// Builds the graph of one step from a model (layers, loss, metrics, gradients and updates), and
// runs the passes on it.
#include "core/compile/compile.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>

#include <nlohmann/json.hpp>

#include "core/compile/lower_output.h"
#include "core/compile/step_updates.h"
#include "core/model/block_lowering.h"
#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"
#include "gpu/devices/devices.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "gpu/reference/evaluate.h"

namespace strata {

namespace {

/// Returns the loss plus the penalties of the regularizers of trainable weights and layer outputs.
/// As in Keras, the loss in evaluation also includes them.
ValueId addRegularizers(Graph& graph, const std::vector<VariableRequest>& variables,
                        const std::vector<ValueId>& penalties, ValueId loss) {
  for (const auto& variable : variables) {
    if (!variable.isTrainable || variable.regularizer.isNone()) continue;
    const Scope scope(graph, variable.layer, Phase::Forward, Category::Temporary);
    loss = add(graph, loss, penalty(graph, valueOfVariable(graph, variable), variable.regularizer));
  }
  for (const ValueId each : penalties)
    loss = add(graph, loss, each);
  return loss;
}

}  // namespace

Diagnostic unevenMicroBatches(const std::string& countedBy, int64_t pieces) {
  const char* const kField = "/training/gradient_accumulation_steps";
  return {Severity::Error,
          "uneven_pieces",
          "",
          kField,
          STRATA_TEXT(
              "problem",
              "the number of samples that count in the loss differs between micro-batches (%1), so "
              "the loss would weight the samples unequally: gradient_accumulation_steps is %2 "
              "(expected 1). Set it to 1, or set reduction of the loss to sum."),
          {countedBy, std::to_string(pieces)},
          {setFix(kField, 1)}};
}

std::vector<ValueId> lowerLayers(Graph& graph, const Model& model, StepMode mode, int64_t batchSize,
                                 std::vector<VariableRequest>& variables, NextValues& nextValues,
                                 LoweredExtras* extras, int64_t stateRows, int replicas) {
  std::vector<ValueId> values;
  std::map<std::string, ValueId, std::less<>> byName, maskOf;
  for (const Layer& layer : model.layers) {
    std::vector<ValueId> inputs, masks;
    for (const auto& input : layer.inputs) {
      const auto found = byName.find(input);
      if (found == byName.end())
        throw Error(ErrorCode::InvalidProject, layer.name,
                    "its input \"" + input + "\" is not part of the network. Run `strata check`.");
      inputs.push_back(found->second);
      masks.push_back(maskOf[input]);
    }
    try {
      withMemoryFor(layer.name, [&] {
        LayerCall call{*layer.definition, layer.name,        *layer.fields,
                       std::move(inputs), layer.inputs,      mode,
                       batchSize,         contentsOf(layer), std::move(masks)};
        call.stateRows = stateRows;
        call.replicas = replicas;
        LoweredLayer lowered = lowerLayer(graph, std::move(call));
        for (auto& variable : lowered.variables)
          variables.push_back(std::move(variable));
        for (auto& next : lowered.nextValues)
          nextValues.push_back(std::move(next));
        values.push_back(lowered.value);
        lowered.forEachOutput(layer.name, [&](const std::string& called, ValueId value) {
          byName.emplace(called, value);
        });
        maskOf[layer.name] = maskOf[layer.name + ":0"] = lowered.mask;
        if (extras) {
          extras->penalties.insert(extras->penalties.end(), lowered.penalties.begin(),
                                   lowered.penalties.end());
          extras->masks.push_back(lowered.mask);
        }
      });
    }
    catch (const LayerProblem& problem) {
      Diagnostic diagnostic = problem.diagnostic();
      diagnostic.layer = pathOfLayer(diagnostic.layer);
      completeFixes(diagnostic, layer.pointer);
      throw LayerProblem(std::move(diagnostic));
    }
  }
  return values;
}

void assignReplacements(Graph& graph, const std::vector<VariableRequest>& variables) {
  for (const VariableRequest& variable : variables) {
    if (!variable.replacement.isValid()) continue;
    const Scope scope(graph, variable.layer, Phase::Update, Category::Parameter);
    graph.setNext(variable.name,
                  assign(graph, graph.findVariable(variable.name)->value, variable.replacement));
  }
}

void assignNextValues(Graph& graph, const NextValues& nextValues) {
  for (const auto& [name, value] : nextValues) {
    const Scope scope(graph, name.substr(0, name.rfind('/')), Phase::Update, Category::Parameter);
    graph.setNext(name, assign(graph, graph.findVariable(name)->value, value));
  }
}

/// Lets so few steps compute the norm of the gradients that it takes at most a hundredth of their
/// work. Where the gradients are stored, that is every step of most networks. Cards compute it in
/// every step while they check the gradients (join_gradient_norm).
static void limitNorm(Graph& graph) {
  // Moving a byte takes about as long as so many operations
  constexpr double kFlopsPerByte = 16;
  NodeId norm;
  double all = 0, own = 0;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (!node.op->cost) continue;
    const Cost cost = node.op->cost(graph, node);
    const double work = cost.bytes + cost.flops / kFlopsPerByte;
    all += work;
    if (node.op->role != OpRole::GradientNorm) continue;
    norm = id;
    own = work;
  }
  if (!norm.isValid()) return;
  const double interval = std::ceil(100 * own / std::max(all - own, 1.0));
  graph.edit().mutableNode(norm).attributes.set(
      "interval", std::max(int64_t{1}, static_cast<int64_t>(interval)));
}

void optimizeStep(StepGraph& step, const StepOptions& options,
                  const std::vector<Pass>& devicePasses) {
  PipelineOptions pipeline;
  pipeline.device = options.device;
  pipeline.precision = options.precision;
  pipeline.disabled = options.disabledPasses;
  pipeline.otherPasses = passNames();
  pipeline.evaluate = evaluateOp;
  pipeline.placesUpdatesLast = true;
  pipeline.recompute = options.recompute;
  pipeline.chooseKernels = options.chooseKernels;
  pipeline.seconds = options.seconds;
  pipeline.onPass = options.onPass;
#ifndef NDEBUG
  pipeline.verifyAfterEach = true;
#endif
  step.reports = runPasses(step.graph, pipeline, devicePasses);
  limitNorm(step.graph);
}

StepGraph buildStep(const Model& model, const TrainingOptions& training, const StepOptions& options,
                    const std::vector<Pass>& devicePasses) {
  if (model.outputs.empty() || model.inputs.empty())
    throw Error(ErrorCode::InvalidProject, "model",
                "the network has no output or no input. Run `strata check` for the reasons.");
  StepGraph step;
  Graph& graph = step.graph;
  graph.setStop(options.stop);
  NextValues nextValues;
  LoweredExtras extras;
  const std::vector<ValueId> values = lowerLayers(
      graph, model, options.mode, options.batchSize, step.variables, nextValues, &extras,
      options.stateRows, options.mode == StepMode::Train ? options.replicas : 1);
  step.layerValues = values;
  const auto placeOf = [&](const std::string& name) {
    return static_cast<size_t>(model.find(name) - model.layers.data());
  };
  const auto valueOf = [&](const std::string& name) {
    return values[placeOf(name)];
  };
  for (const std::string& name : model.inputs)
    step.inputs.push_back({name, graph.type(valueOf(name))});
  std::vector<ValueId> predictions;
  const bool isOne = training.outputs.size() == 1;
  for (const OutputOptions& output : training.outputs) {
    const std::string& layer = output.name.empty() ? model.outputs.back() : output.name;
    predictions.push_back(valueOf(layer));
    const auto called = [&](const std::string& what) {
      return isOne ? what : what + "/" + layer;
    };
    step.outputs.push_back({layer, called("prediction"),
                            output.hasSampleWeights ? called("sample_weight") : std::string(),
                            graph.shape(predictions.back()).dim(-1)});
  }

  std::vector<ValueId> others;
  for (const std::string& layer : training.untrained) {
    others.push_back(valueOf(layer));
    step.untrained.push_back(
        {layer, "prediction/" + layer, "", graph.shape(others.back()).dim(-1)});
  }

  ValueId loss;
  if (options.mode != StepMode::Predict) {
    const Scope scope(graph, "", Phase::Forward, Category::Temporary);
    std::vector<LoweredOutput> lowered;
    for (size_t i = 0; i < training.outputs.size(); ++i) {
      const StepOutput& output = step.outputs[i];
      lowered.push_back(lowerOutput(step, training, options, i, predictions[i],
                                    extras.masks[placeOf(output.layer)]));
      const double weight = training.outputs[i].weight;
      const ValueId weighed =
          weight == 1 ? lowered[i].loss : multiplyScalar(graph, lowered[i].loss, weight);
      loss = loss.isValid() ? add(graph, loss, weighed) : weighed;
    }
    loss = addRegularizers(graph, step.variables, extras.penalties, loss);
    graph.addOutput("loss", loss);
    if (!isOne)
      for (size_t i = 0; i < lowered.size(); ++i)
        step.metrics.push_back(lossAsMetric(graph, training.outputs[i].lossName(), lowered[i].loss,
                                            options.batchSize));
    for (size_t i = 0; i < lowered.size(); ++i) {
      const TargetKind kind = findLoss(training.outputs[i].loss.type)->target;
      predictions[i] = lowered[i].prediction;
      for (const TypedFields& metric : training.outputs[i].metrics)
        step.metrics.push_back(lowerMetric(
            graph, metric, kind, predictions[i], lowered[i].target,
            metric.isWeighted ? lowered[i].weights : lowered[i].plainWeights, lowered[i].reading));
    }
    for (const LoweredMetric& metric : step.metrics)
      step.metricNames.insert(step.metricNames.end(), metric.names.begin(), metric.names.end());
  }
  if (options.mode != StepMode::Train) {
    for (size_t i = 0; i < predictions.size(); ++i)
      graph.addOutput(step.outputs[i].prediction, predictions[i]);
    for (size_t i = 0; i < others.size(); ++i)
      graph.addOutput(step.untrained[i].prediction, others[i]);
  }
  const auto reached = [&](Stage stage) {
    if (options.onStage) options.onStage(stage, graph);
    return options.stopAfter == stage;
  };
  if (reached(Stage::Lowered)) return step;
  if (options.mode == StepMode::Train) {
    if (isUpdating(options)) assignReplacements(graph, step.variables);
    LossScaler scaler(graph, options.lossScale, isUpdating(options));
    StepTotals totals;
    totals.loss = loss;
    appendGradients(step, options, scaler, totals);
    appendNextValues(graph, nextValues, options, totals);
    sumOverReplicas(graph, options, totals);
    finishTraining(step, training, options, scaler, std::move(totals));
    orderCollectives(graph, options.processes);
  }
  else {
    assignNextValues(graph, nextValues);
  }
  if (reached(Stage::Differentiated)) return step;
  optimizeStep(step, options, devicePasses);
  reached(Stage::Optimized);
  return step;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Builds the graph of one step from a model (layers, loss, metrics, gradients and updates), and
// runs the passes on it.
#include "core/compile/compile.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include <nlohmann/json.hpp>

#include "core/compile/loss_scale.h"
#include "core/compile/process_sums.h"
#include "core/model/block_lowering.h"
#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"
#include "core/recipe/optimizers.h"
#include "gpu/autodiff/autodiff.h"
#include "gpu/devices/devices.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"
#include "gpu/reference/evaluate.h"

namespace strata {

namespace {

/// Returns the replacement of a variable if it has one, otherwise the variable's own value.
ValueId valueOfVariable(const Graph& graph, const VariableRequest& variable) {
  return variable.replacement.isValid() ? variable.replacement
                                        : graph.findVariable(variable.name)->value;
}

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

bool isSumLoss(const Json& loss) {
  // Comparing Json with a string literal would allocate a Json. If memory is exhausted, that
  // terminates the program.
  const auto reduction = loss.find("reduction");
  const std::string* const name =
      reduction == loss.end() ? nullptr : reduction->get_ptr<const std::string*>();
  return name && *name == "sum";
}

/// Whether the shape of the mask matches the leading dimensions of the prediction.
bool isMaskOf(const Graph& graph, ValueId mask, ValueId prediction) {
  if (!mask.isValid()) return false;
  const Shape &shape = graph.shape(mask), &rows = graph.shape(prediction);
  for (int i = 0; i < shape.rank(); ++i)
    if (i >= rows.rank() || shape[i] != rows[i]) return false;
  return true;
}

/// Returns the mask as weights of the time steps. If the loss is a mean, scales them, so that the
/// weighted mean over all time steps equals the mean over the unmasked ones, as in Keras.
ValueId maskWeights(Graph& graph, ValueId mask, const Json& loss) {
  if (isSumLoss(loss)) return mask;
  const double count = static_cast<double>(graph.shape(mask).numElements());
  return multiply(graph, mask,
                  divide(graph, constantScalar(graph, DType::F32, count),
                         addScalar(graph, sumAll(graph, mask), 1e-7)));
}

/// Returns, for each target, the weight of its class.
ValueId classWeights(Graph& graph, const std::vector<double>& weights, TargetKind kind,
                     ValueId prediction, ValueId target) {
  const int64_t outputs = graph.shape(prediction).dim(-1);
  // One-hot classes [.., C]
  ValueId classes;
  if (kind == TargetKind::Labels || outputs > 1) {
    classes = oneHot(graph, kind == TargetKind::Labels ? target : argmax(graph, target), outputs);
  }
  else {
    const ValueId yes = greater(graph, target, constantScalar(graph, DType::F32, 0.5));
    classes = concatenate(graph, {affine(graph, yes, -1, 1), yes}, -1);
  }
  const int64_t count = graph.shape(classes).dim(-1);
  Tensor values(DType::F32, Shape{count});
  for (int64_t i = 0; i < count; ++i)
    values.as<float>()[static_cast<size_t>(i)] =
        static_cast<size_t>(i) < weights.size()
            ? static_cast<float>(weights[static_cast<size_t>(i)])
            : 1;
  return reduceSum(graph, multiply(graph, classes, graph.addConstant(std::move(values))), {-1});
}

/// Appends dimensions of 1 to the weights, such as [N] to [N, 1], so that they broadcast to
/// `finer`.
ValueId weightsOver(Graph& graph, ValueId weights, ValueId finer) {
  Shape shape = graph.shape(weights);
  if (shape.rank() >= graph.shape(finer).rank()) return weights;
  while (shape.rank() < graph.shape(finer).rank())
    shape.append(1);
  return reshape(graph, weights, shape);
}

ValueId shareOfPiece(Graph& graph) {
  const ValueId share = findInput(graph, "share");
  return share.isValid() ? share : graph.addInput("share", {DType::F32, {}});
}

/// Returns whether a step computes a part of a batch.
bool isPart(const StepOptions& options) {
  return options.microStep != MicroStep::Whole || options.replicas > 1;
}
bool isUpdating(const StepOptions& options) {
  return options.microStep == MicroStep::Whole || options.microStep == MicroStep::Last;
}

/// Adds a value of this micro-batch, weighted by its share of the batch, to the sum over the
/// micro-batches. Returns the complete sum for the last micro-batch. For earlier ones, stores the
/// sum and returns an invalid value. For a whole batch, returns `value`.
ValueId accumulate(Graph& graph, const std::string& name, ValueId value,
                   const StepOptions& options) {
  if (!isPart(options)) return value;
  if (options.microStep == MicroStep::Whole) return multiply(graph, value, shareOfPiece(graph));
  const std::string sumName = name + ":sum";
  const ValueId sum = graph.addVariable(sumName, graph.type(value), Category::Gradient, false);
  value = multiply(graph, value, shareOfPiece(graph));
  if (options.microStep != MicroStep::First) value = add(graph, sum, value);
  if (options.microStep == MicroStep::Last) return value;
  graph.setNext(sumName, assign(graph, sum, value));
  return {};
}

/// The loss of one output, and what its metrics need.
struct LoweredOutput {
  // The loss before it is multiplied by the loss weight of the output
  ValueId loss;
  // The prediction, for metrics and as an output of the network
  ValueId prediction;
  // The target, for metrics. An ignored class is replaced by class 0, which has the weight 0.
  ValueId target;
  // Weights for the weighted metrics, which include the sample weights, and for the other metrics
  MetricWeights weights, plainWeights;
  // How the loss reads the prediction
  OutputReading reading;
};

/// Removes the targets of the class that the loss ignores from all metrics of an output. They keep
/// the weight 0, and become class 0, because a class that is not one of the outputs has no loss.
void ignoreInMetrics(Graph& graph, const Json& loss, LoweredOutput& output) {
  const auto ignored = loss.find("ignore_class");
  if (ignored == loss.end() || ignored->is_null()) return;
  const ValueId isCounted =
      notEqual(graph, output.target, constantScalar(graph, DType::I32, ignored->get<double>()));
  const ValueId counted = cast(graph, isCounted, DType::F32);
  const auto reduce = [&](ValueId& weights) {
    weights = weights.isValid() ? multiply(graph, weightsOver(graph, weights, counted), counted)
                                : counted;
  };
  for (MetricWeights* each : {&output.weights, &output.plainWeights}) {
    reduce(each->ofMeans);
    reduce(each->ofCounts);
  }
  output.target =
      cast(graph, multiply(graph, cast(graph, output.target, DType::F32), counted), DType::I32);
}

LoweredOutput lowerOutput(StepGraph& step, const TrainingOptions& training,
                          const StepOptions& options, size_t index, ValueId prediction,
                          ValueId outputMask) {
  Graph& graph = step.graph;
  const TypedFields& loss = training.outputs[index].loss;
  const LossDef* definition = findLoss(loss.type);
  if (!definition)
    throw Error(ErrorCode::InvalidProject, "loss",
                "there is no loss \"" + loss.type + "\". Choose one listed by `strata layers`.");
  StepPort target{training.outputs.size() == 1 ? "target" : "target/" + step.outputs[index].layer,
                  targetType(definition->target, graph.shape(prediction))};
  LossContext context{graph, *loss.fields, prediction, graph.addInput(target.name, target.type)};
  step.targets.push_back(std::move(target));
  const bool isOfSequences = definition->target == TargetKind::Sequences;
  if (isOfSequences && !training.classWeights.empty())
    throw Error(ErrorCode::InvalidProject, "class_weight",
                "a sample of " + loss.type +
                    " does not have a single class (expected no class_weight). Remove it.");
  // As in Keras, validation ignores class weights.
  if (options.mode == StepMode::Train && !training.classWeights.empty())
    context.weights =
        classWeights(graph, training.classWeights, definition->target, prediction, context.target);
  // As in Keras, sample weights also apply in evaluation.
  if (const std::string& name = step.outputs[index].weights; !name.empty()) {
    const ValueId weights = graph.addInput(name, {DType::F32, Shape{options.batchSize}});
    context.weights =
        context.weights.isValid()
            ? multiply(graph, context.weights, weightsOver(graph, weights, context.weights))
            : weights;
  }
  MetricWeights weights{context.weights, context.weights};
  // Evaluation has no class weights. Weights of 1 give a weighted mean the same number of sums as
  // in training.
  if (!context.weights.isValid() && !training.classWeights.empty()) {
    Tensor ones(DType::F32, Shape{options.batchSize});
    std::ranges::fill(ones.as<float>(), 1.0f);
    weights.ofMeans = graph.addConstant(std::move(ones));
  }
  const auto masked = [&](ValueId of, ValueId mask) {
    return of.isValid() ? multiply(graph, weightsOver(graph, of, mask), mask) : mask;
  };
  // A loss of sequences excludes masked time steps itself, so its weights do not contain the mask.
  const bool isMasked = !isOfSequences && isMaskOf(graph, outputMask, prediction);
  if (isMasked) {
    const auto ignored = loss.fields->find("ignore_class");
    // With ignore_class, the loss averages over the time steps that neither the mask nor
    // ignore_class excludes.
    const bool ignores = ignored != loss.fields->end() && !ignored->is_null();
    if (ignores) context.mask = outputMask;
    context.weights = masked(context.weights,
                             ignores ? outputMask : maskWeights(graph, outputMask, *loss.fields));
    weights.ofMeans = masked(weights.ofMeans, outputMask);
  }
  if (step.countedBy.empty())
    step.countedBy =
        countedBy(*definition, *loss.fields, isMasked,
                  !training.classWeights.empty() || training.outputs[index].hasSampleWeights);
  if (isPart(options) && isSumLoss(*loss.fields)) context.share = shareOfPiece(graph);
  const LossResult result = definition->lower(context);
  const OutputReading reading = readingOf(*definition, *loss.fields, graph, prediction);
  step.outputs[index].reading = reading;
  // Probabilities that the loss returns replace the output of the model's softmax, so that softmax
  // is not computed twice.
  LoweredOutput output{result.value,
                       result.probabilities.isValid() ? result.probabilities : prediction,
                       context.target,
                       weights,
                       {isMasked ? outputMask : ValueId{}, {}},
                       reading};
  ignoreInMetrics(graph, *loss.fields, output);
  return output;
}

/// Makes all updates depend on whether the values are finite. Returns the flag.
ValueId appendGuard(Graph& graph, std::vector<ValueId> checked) {
  std::vector<NodeId> updates;
  NodeId firstAfter;
  const std::set<ValueId> wanted(checked.begin(), checked.end());
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (std::ranges::any_of(node.outputs, [&](ValueId value) { return wanted.contains(value); }))
      firstAfter = {};
    if (node.op->kind != OpKind::Update) continue;
    updates.push_back(id);
    if (!firstAfter.isValid()) firstAfter = id;
  }
  const Scope scope(graph, "", Phase::Update, Category::Temporary);
  graph.edit().setInsertionPoint(firstAfter);
  const ValueId flag = allFinite(graph, std::move(checked));
  graph.edit().setInsertionPoint();
  for (const NodeId id : updates)
    graph.edit().appendInput(id, flag);
  // Replacements of variables are assigned before the gradients are computed
  if (!updates.empty()) putUpdatesLast(graph);
  return flag;
}

/// What a step computes for the updates.
struct StepTotals {
  std::vector<ParameterGradient> gradients;
  // New values of variables that no gradient changes
  NextValues nextValues;
  ValueId loss;
  // What decides whether the updates apply, without the loss
  std::vector<ValueId> checked;
};

/// Computes the gradients of this micro-batch, and adds them to those of earlier ones.
void appendGradients(StepGraph& step, const StepOptions& options, LossScaler& scaler,
                     StepTotals& totals) {
  Graph& graph = step.graph;
  std::vector<ParameterGradient> parameters;
  std::vector<ValueId> targets;
  for (const auto& variable : step.variables) {
    if (!variable.isTrainable) continue;
    const ValueId value = graph.findVariable(variable.name)->value;
    parameters.push_back({variable.name,
                          variable.layer,
                          value,
                          {},
                          variable.learningRateFactor,
                          variable.constraint});
    targets.push_back(valueOfVariable(graph, variable));
  }
  if (targets.empty()) return;
  const GradientSeed seed{totals.loss, scaler.seed(step.optimizerState)};
  const std::vector<ValueId> gradients = differentiate(graph, {&seed, 1}, targets);
  // Weights that do not affect the loss are not updated.
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!gradients[i].isValid()) continue;
    const Scope scope(graph, parameters[i].layer, Phase::Update, Category::Gradient);
    parameters[i].gradient =
        accumulate(graph, parameters[i].name, scaler.unscaled(gradients[i]), options);
    if (parameters[i].gradient.isValid()) totals.gradients.push_back(parameters[i]);
    step.checkedVariables.push_back(parameters[i].name);
    totals.checked.push_back(parameters[i].gradient.isValid() ? parameters[i].gradient
                                                              : gradients[i]);
  }
}

void appendNextValues(Graph& graph, const NextValues& nextValues, const StepOptions& options,
                      StepTotals& totals) {
  for (const auto& [name, value] : nextValues) {
    const Scope scope(graph, name.substr(0, name.rfind('/')), Phase::Update, Category::Parameter);
    const ValueId next = accumulate(graph, name, value, options);
    if (next.isValid()) totals.nextValues.emplace_back(name, next);
  }
}

/// Sums gradients, new values and the loss over all replicas. In one process, one op does so,
/// because replicas whose shares differ may have different graphs. Nothing was changed before it,
/// so that all replicas can still be stopped.
void sumOverReplicas(Graph& graph, const StepOptions& options, StepTotals& totals) {
  if (options.replicas == 1 || !isUpdating(options)) return;
  const Scope scope(graph, "", Phase::Update, Category::Gradient);
  std::vector<ValueId*> gradients, others;
  for (ParameterGradient& parameter : totals.gradients)
    gradients.push_back(&parameter.gradient);
  for (auto& [name, value] : totals.nextValues)
    others.push_back(&value);
  totals.loss = multiply(graph, totals.loss, shareOfPiece(graph));
  others.push_back(&totals.loss);
  if (options.processes > 1) {
    sumOverProcesses(graph, std::move(gradients), std::move(others), options.processes);
  }
  else {
    std::vector<ValueId*> places = gradients;
    places.insert(places.end(), others.begin(), others.end());
    std::vector<ValueId> values;
    for (const ValueId* place : places)
      values.push_back(*place);
    const std::vector<ValueId> sums = allReduce(graph, std::move(values), 0);
    for (size_t i = 0; i < places.size(); ++i)
      *places[i] = sums[i];
  }
  for (size_t i = 0; i < totals.gradients.size(); ++i)
    totals.checked[i] = totals.gradients[i].gradient;
}

void appendAllUpdates(StepGraph& step, const TrainingOptions& training, const StepOptions& options,
                      StepTotals& totals) {
  Graph& graph = step.graph;
  for (ParameterGradient& parameter : totals.gradients)
    if (const Variable* variable = graph.findVariable(parameter.name); variable->next.isValid())
      parameter.variable = variable->next;
  if (!totals.gradients.empty() || !totals.checked.empty())
  {
    // The sum over replicas has the number 0
    const ShardedUpdate sharded{options.rank, options.replicas, 1};
    appendUpdates(graph, training.optimizer, totals.gradients, step.optimizerState,
                  options.isSharded ? &sharded : nullptr);
  }
  assignNextValues(graph, totals.nextValues);
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
                                 LoweredExtras* extras, int64_t stateRows) {
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
  const std::vector<ValueId> values =
      lowerLayers(graph, model, options.mode, options.batchSize, step.variables, nextValues,
                  &extras, options.stateRows);
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
    appendAllUpdates(step, training, options, totals);
    std::vector<ValueId> checked = std::move(totals.checked);
    const bool isSkippable = scaler.isDynamic() && !checked.empty();
    // Sums over micro-batches keep infinite values and NaN, so the last micro-batch checks them
    if (isSkippable && !isUpdating(options)) checked.clear();
    checked.push_back(totals.loss);
    const ValueId flag = appendGuard(graph, std::move(checked));
    graph.addOutput(kFinite, isSkippable && isUpdating(options)
                                 ? scaler.appendUpdate(flag, totals.loss)
                                 : flag);
    if (options.held)
      for (const auto& [name, type] : *options.held) {
        if (graph.findVariable(name)) continue;
        const Scope scope(graph, rowOfLayer(name), Phase::Update, Category::Optimizer);
        graph.addVariable(name, type, Category::Optimizer, false);
      }
  }
  else {
    assignNextValues(graph, nextValues);
  }
  if (reached(Stage::Differentiated)) return step;
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
  step.reports = runPasses(graph, pipeline, devicePasses);
  reached(Stage::Optimized);
  return step;
}

}  // namespace strata

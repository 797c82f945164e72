// SPDX-License-Identifier: Apache-2.0
#include "core/compile/step_updates.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/compile/process_sums.h"
#include "gpu/autodiff/autodiff.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"

namespace strata {

namespace {

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

/// Appends the output kGradientNorm.
void appendNorm(Graph& graph, const std::vector<ParameterGradient>& gradients) {
  const Scope scope(graph, "", Phase::Update, Category::Input);
  ValueId number = findInput(graph, "step");
  if (!number.isValid()) number = graph.addInput("step", {DType::I64, {}});
  std::vector<ValueId> values;
  for (const ParameterGradient& parameter : gradients)
    values.push_back(parameter.gradient);
  graph.context.category = Category::Temporary;
  graph.addOutput(kGradientNorm, gradientNorm(graph, number, std::move(values)));
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

void appendAllUpdates(StepGraph& step, const TrainingOptions& training, const StepOptions& options,
                      StepTotals& totals) {
  Graph& graph = step.graph;
  for (ParameterGradient& parameter : totals.gradients)
    if (const Variable* variable = graph.findVariable(parameter.name); variable->next.isValid())
      parameter.variable = variable->next;
  if (!totals.gradients.empty() || !totals.checked.empty()) {
    // Sums over replicas have the numbers before it: one, or one for each bucket
    const auto buckets = std::ranges::count_if(
        graph.order(), [&](NodeId id) { return graph.node(id).op->role == OpRole::SumStart; });
    const ShardedUpdate sharded{options.rank, options.replicas,
                                std::max(int64_t{1}, static_cast<int64_t>(buckets))};
    appendUpdates(graph, training.optimizer, totals.gradients, step.optimizerState,
                  options.isSharded ? &sharded : nullptr);
  }
  assignNextValues(graph, totals.nextValues);
}

}  // namespace

ValueId shareOfPiece(Graph& graph) {
  const ValueId share = findInput(graph, "share");
  return share.isValid() ? share : graph.addInput("share", {DType::F32, {}});
}

bool isPart(const StepOptions& options) {
  return options.microStep != MicroStep::Whole || options.replicas > 1;
}
bool isUpdating(const StepOptions& options) {
  return options.microStep == MicroStep::Whole || options.microStep == MicroStep::Last;
}

ValueId valueOfVariable(const Graph& graph, const VariableRequest& variable) {
  return variable.replacement.isValid() ? variable.replacement
                                        : graph.findVariable(variable.name)->value;
}

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
    sumOverProcesses(graph, std::move(gradients), std::move(others), options.processes,
                     options.device.packsSums);
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

void orderCollectives(Graph& graph, int processes) {
  std::vector<NodeId> collectives;
  for (const NodeId id : graph.order())
    if (graph.node(id).op->isCollective) collectives.push_back(id);
  const auto isSync = [&](NodeId id) {
    return graph.node(id).op->role == OpRole::SyncSum;
  };
  if (std::ranges::none_of(collectives, isSync)) return;
  // The two nodes of a sum in buckets have one number, and no other collective has it
  std::map<int64_t, int64_t> numbers;
  int64_t count = 0;
  ValueId before;
  for (const NodeId id : collectives) {
    if (!isSync(id)) {
      const auto own = graph.node(id).attributes.get<int64_t>("number");
      const auto [number, isNew] = numbers.try_emplace(own, count);
      if (isNew) ++count;
      graph.edit().mutableNode(id).attributes.set("number", number->second);
      continue;
    }
    Attributes& attributes = graph.edit().mutableNode(id).attributes;
    attributes.set("number", count++);
    attributes.set("processes", int64_t{processes});
    if (before.isValid()) graph.edit().appendInput(id, before);
    before = graph.node(id).outputs.front();
  }
  for (const NodeId id : collectives)
    if (graph.node(id).attributes.has("count"))
      graph.edit().mutableNode(id).attributes.set("count", count);
}

void finishTraining(StepGraph& step, const TrainingOptions& training, const StepOptions& options,
                    LossScaler& scaler, StepTotals totals) {
  Graph& graph = step.graph;
  if (options.measuresGradients && isUpdating(options) && !totals.gradients.empty())
    appendNorm(graph, totals.gradients);
  appendAllUpdates(step, training, options, totals);
  std::vector<ValueId> checked = std::move(totals.checked);
  const bool isSkippable = scaler.isDynamic() && !checked.empty();
  // Sums over micro-batches keep infinite values and NaN, so the last micro-batch checks them
  if (isSkippable && !isUpdating(options)) checked.clear();
  checked.push_back(totals.loss);
  const ValueId flag = appendGuard(graph, std::move(checked));
  graph.addOutput(
      kFinite, isSkippable && isUpdating(options) ? scaler.appendUpdate(flag, totals.loss) : flag);
  if (options.held)
    for (const auto& [name, type] : *options.held) {
      if (graph.findVariable(name)) continue;
      const Scope scope(graph, rowOfLayer(name), Phase::Update, Category::Optimizer);
      graph.addVariable(name, type, Category::Optimizer, false);
    }
}

}  // namespace strata

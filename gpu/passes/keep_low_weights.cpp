// SPDX-License-Identifier: Apache-2.0
// Keeps the 16-bit versions of weights between steps, so that no step converts them.
//
//   before:  w -> cast -> conv2d
//            w, .. -> sgd_update -> w'
//   after:   c -> conv2d
//            w, .. -> sgd_update -> w' -> cast -> assign <- c
//
// c is a variable with the attribute copy_of: whoever writes w from outside also writes c
// (gpu/exec/state.h). join_updates lets the update write c. The pass applies to casts of variables,
// and of views of them, in steps with gradients. Each of these steps that updates w also writes c;
// State refuses others.
#include <algorithm>

#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

/// Returns the variable whose value, or a view of it, is `value`; null if there is none.
const Variable* variableOf(const Graph& graph, ValueId value) {
  const Node& source = producerOf(graph, viewedBy(graph, value));
  if (source.op->role != OpRole::Variable) return nullptr;
  const Variable* variable = graph.findVariable(source.attributes.get<std::string>("name"));
  return graph.value(variable->value).category == Category::Parameter ? variable : nullptr;
}

/// Returns the update that makes the last value of a variable; null if the step does not change it.
const Node* lastUpdate(const Graph& graph, const Variable& variable) {
  if (!variable.next.isValid() || variable.next == variable.value) return nullptr;
  const Node& update = producerOf(graph, variable.next);
  return update.op->kind == OpKind::Update ? &update : nullptr;
}

/// Returns whether products and convolutions read a value, directly or through views.
bool feedsProducts(const Graph& graph, ValueId value) {
  return std::ranges::all_of(graph.value(value).uses, [&](const Use& use) {
    const Node& user = graph.node(use.node);
    if (user.op->kind == OpKind::View) return feedsProducts(graph, user.outputs[0]);
    return user.op->work == WorkKind::Product || user.op->work == WorkKind::Convolution;
  });
}

bool hasGradients(const Graph& graph) {
  return std::ranges::any_of(graph.order(),
                             [&](NodeId id) { return graph.node(id).phase == Phase::Backward; });
}

/// Adds the 16-bit copy of a variable. Returns its value at the start of the step.
ValueId addCopy(Graph& graph, const std::string& name, DType low) {
  const Variable source = *graph.findVariable(name);
  const std::string copyName = name + ":" + std::string(dtypeName(low));
  if (const Variable* known = graph.findVariable(copyName)) return known->value;
  const NodeId sourceNode = graph.value(source.value).producer;
  ValueId copy;
  {
    const ReplacementScope scope(graph, sourceNode);
    copy =
        graph.addVariable(copyName, {low, graph.shape(source.value)}, Category::Parameter, false);
  }
  Attributes& attributes = graph.edit().mutableNode(graph.value(copy).producer).attributes;
  attributes.set("copy_of", name);
  attributes.set("axes", graph.node(sourceNode).attributes.getOr<std::vector<int64_t>>("axes", {}));
  const Node* update = lastUpdate(graph, source);
  if (!update) return copy;
  const Scope scope(graph, update->layer, Phase::Update, Category::Parameter);
  const ValueId rounded = cast(graph, source.next, low);
  graph.edit().setCategory(rounded, Category::Temporary);
  graph.setNext(copyName, graph.add(opNamed("assign"), {copy, rounded}));
  return copy;
}

/// Returns the views between a variable and `value`, applied to `copy`.
ValueId viewOfCopy(Graph& graph, ValueId value, ValueId copy) {
  const NodeId id = graph.value(value).producer;
  if (graph.node(id).op->kind != OpKind::View) return copy;
  const ValueId inner = viewOfCopy(graph, graph.node(id).inputs[0], copy);
  const ReplacementScope scope(graph, id);
  return graph.add(*graph.node(id).op, {inner}, graph.node(id).attributes);
}

}  // namespace

void keepLowWeights(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (!device.keepsLowWeights || !hasGradients(graph)) return;
  const std::vector<NodeId> order = graph.order();
  for (const NodeId id : order) {
    if (!graph.isAlive(id)) continue;
    const Node node = graph.node(id);
    if (node.op->role != OpRole::Cast || node.phase == Phase::Update) continue;
    const DType low = graph.type(node.outputs[0]).dtype;
    const Variable* variable = variableOf(graph, node.inputs[0]);
    if (!variable || !isLowPrecision(low) || graph.type(variable->value).dtype != DType::F32)
      continue;
    // A variable that something else than an update changes has no copy
    if (variable->next.isValid() && variable->next != variable->value &&
        !lastUpdate(graph, *variable))
      continue;
    // A layer that does not train may read variables that it changes without updates when it trains
    if (!variable->trainable && !feedsProducts(graph, node.outputs[0])) continue;
    // Adding a variable may move the others
    const std::string name = variable->name;
    const ValueId copy = addCopy(graph, name, low);
    note(report, node, "keeps " + std::string(dtypeName(low)) + " weights");
    replaceValue(graph, node.outputs[0], viewOfCopy(graph, node.inputs[0], copy));
  }
}

}  // namespace strata

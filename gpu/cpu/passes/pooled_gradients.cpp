// SPDX-License-Identifier: Apache-2.0
#include "gpu/cpu/passes/pooled_gradients.h"

#include <algorithm>

#include "gpu/graph/op.h"
#include "gpu/ops/activation_kinds.h"

namespace strata::cpu {

namespace {

const Node* producer(const Graph& graph, ValueId value) {
  const NodeId id = graph.value(value).producer;
  return id.index >= 0 && graph.isAlive(id) ? &graph.node(id) : nullptr;
}

bool hasRole(const Node* node, OpRole role) { return node && node->op && node->op->role == role; }

bool isOutput(const Graph& graph, ValueId value) {
  return std::any_of(graph.outputs().begin(), graph.outputs().end(),
                     [&](const NamedValue& output) { return output.value == value; });
}

/// Returns the max_pool2d that produced the index of this max_pool2d_backward, or null if the index
/// has another source.
const Node* poolOf(const Graph& graph, const Node& backward) {
  const ValueId index = backward.inputs[1];
  const Node* pool = producer(graph, index);
  return hasRole(pool, OpRole::MaxPool) && graph.value(index).outputIndex == 1 ? pool : nullptr;
}

/// Adds a node of a layer before `at`, with the phase of `at`. Returns the result of the new node.
ValueId addBefore(Graph& graph, NodeId at, std::string_view op, const std::string& layer,
                  std::vector<ValueId> inputs, Attributes attributes, Category category) {
  const Scope scope(graph, layer, graph.node(at).phase, category);
  graph.edit().setInsertionPoint(at);
  const ValueId result = graph.add(opNamed(op), std::move(inputs), std::move(attributes));
  graph.edit().setInsertionPoint();
  return result;
}

/// Moves an activation_backward before the max_pool2d_backward whose result it reads. Returns
/// whether this was possible.
bool moveSlope(Graph& graph, NodeId id, PassReport& report) {
  const Node& slope = graph.node(id);
  if (!hasRole(&slope, OpRole::ActivationBackward) ||
      activationSaves(slope.attributes.get<std::string>("kind")) != Saved::Output)
    return false;
  const ValueId spread = slope.inputs[0], saved = slope.inputs[1];
  const Node* backward = producer(graph, spread);
  if (!hasRole(backward, OpRole::MaxPoolBackward) || graph.value(spread).uses.size() != 1 ||
      isOutput(graph, spread))
    return false;
  const Node* pool = poolOf(graph, *backward);
  if (!pool || pool->inputs[0] != saved) return false;
  const NodeId backwardId = graph.value(spread).producer;
  const ValueId pooled = pool->outputs[0], gradient = backward->inputs[0],
                index = backward->inputs[1], result = slope.outputs[0];
  const Attributes slopeAttributes = slope.attributes, poolAttributes = backward->attributes;
  const std::string slopeLayer = slope.layer, poolLayer = backward->layer;
  report.details.push_back(slope.layer + ": activation gradient on " +
                           graph.shape(pooled).toString() + " instead of " +
                           graph.shape(saved).toString());
  const ValueId small = addBefore(graph, id, "activation_backward", slopeLayer, {gradient, pooled},
                                  slopeAttributes, graph.value(result).category);
  const ValueId spreadAgain = addBefore(graph, id, "max_pool2d_backward", poolLayer, {small, index},
                                        poolAttributes, graph.value(result).category);
  graph.edit().replaceAllUses(result, spreadAgain);
  graph.edit().removeNode(id);
  graph.edit().removeNode(backwardId);
  return true;
}

/// Handles a reduce_sum over all axes except the channels that reads the result of a
/// max_pool2d_backward. Makes it read the pooled gradient instead. Returns whether this was
/// possible.
bool moveSum(Graph& graph, NodeId id, PassReport& report) {
  const Node& sum = graph.node(id);
  if (!hasRole(&sum, OpRole::ReduceSum)) return false;
  const Node* backward = producer(graph, sum.inputs[0]);
  if (!hasRole(backward, OpRole::MaxPoolBackward) || !poolOf(graph, *backward)) return false;
  std::vector<int64_t> axes;
  for (int64_t axis : sum.attributes.get<std::vector<int64_t>>("axes"))
    axes.push_back(axis < 0 ? axis + 4 : axis);
  std::sort(axes.begin(), axes.end());
  if (axes != std::vector<int64_t>{0, 1, 2}) return false;
  report.details.push_back(sum.layer + ": bias gradient summed over " +
                           graph.shape(backward->inputs[0]).toString() + " instead of " +
                           graph.shape(sum.inputs[0]).toString());
  graph.edit().setInput(id, 0, backward->inputs[0]);
  return true;
}

}  // namespace

void poolGradientsFirst(Graph& graph, PassReport& report) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order)
    if (graph.isAlive(id) && moveSlope(graph, id, report)) ++report.rewrites;
  for (NodeId id : std::vector<NodeId>(graph.order()))
    if (graph.isAlive(id) && moveSum(graph, id, report)) ++report.rewrites;
}

}  // namespace strata::cpu

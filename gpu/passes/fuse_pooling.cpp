// SPDX-License-Identifier: Apache-2.0
// Applies activations while max pooling writes its result. The result is smaller than the input, so
// this takes less time.
//
//   before:  x -> max_pool2d -> activation -> y
//   or:      x -> activation relu -> max_pool2d -> y
//   after:   x -> max_pool2d {activation="relu"} -> y
//
// The pass applies only if nothing else uses the value in between. The second form also requires
// that fuse_pointwise cannot fuse relu with the operation before it, and that the gradient of relu
// is applied to the gradient of the pooled tensor. If relu makes all elements of a window 0, the
// index of the maximum may change. That is harmless, because the gradient of this window is 0. The
// sign of a zero may change, too. The pass applies to the activations that the device fuses
// (DeviceTraits::poolingActivations).
#include <algorithm>

#include "gpu/ops/fused_pointwise.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

bool isLinearPool(const Node& node) {
  return node.op->role == OpRole::MaxPool &&
         node.attributes.get<std::string>("activation") == "linear";
}

/// Creates a pooling of `x` like the node `pool`, but with this activation. Replaces `result` and
/// the index output of `pool` by its outputs.
void replacePool(Graph& graph, NodeId pool, ValueId x, const Attributes& activation, ValueId result,
                 PassReport& report, const std::string& what) {
  const Node original = graph.node(pool);
  Attributes attributes = original.attributes;
  attributes.set("activation", activation.get<std::string>("kind"));
  attributes.set("alpha", activation.get<double>("alpha"));
  NodeId fused;
  {
    const ReplacementScope scope(graph, pool);
    fused = graph.addNode(*original.op, {x}, std::move(attributes));
  }
  note(report, original, what);
  const std::vector<ValueId> outputs = graph.node(fused).outputs;
  graph.edit().setCategory(outputs[1], graph.value(original.outputs[1]).category);
  graph.edit().replaceAllUses(original.outputs[1], outputs[1]);
  replaceValue(graph, result, outputs[0]);
}

void fuseAfter(Graph& graph, NodeId id, const DeviceTraits& device, PassReport& report) {
  const Node& pool = graph.node(id);
  if (!hasSingleUse(graph, pool.outputs[0])) return;
  const Node activation = graph.node(graph.value(pool.outputs[0]).uses[0].node);
  if (activation.op->role != OpRole::Activation ||
      !isFused(device.poolingActivations, activation.attributes.get<std::string>("kind")))
    return;
  replacePool(graph, id, pool.inputs[0], activation.attributes, activation.outputs[0], report,
              "fused " + activation.attributes.get<std::string>("kind") + " into max_pool2d");
}

/// Returns whether the pool's index is used only by gradients of the pool, and only after the
/// gradient of relu has been applied.
bool isMasked(const Graph& graph, const Node& pool) {
  const Value& index = graph.value(pool.outputs[1]);
  return index.names == 0 && std::all_of(index.uses.begin(), index.uses.end(), [&](const Use& use) {
           const Node& backward = graph.node(use.node);
           if (backward.op->role != OpRole::MaxPoolBackward) return false;
           const Node& slope = producerOf(graph, backward.inputs[0]);
           return slope.op->role == OpRole::ActivationBackward &&
                  slope.attributes.get<std::string>("kind") == "relu" &&
                  slope.inputs[1] == pool.outputs[0];
         });
}

void fuseBefore(Graph& graph, NodeId id, const DeviceTraits& device, PassReport& report) {
  const Node& pool = graph.node(id);
  const Node relu = producerOf(graph, pool.inputs[0]);
  if (relu.op->role != OpRole::Activation || relu.attributes.get<std::string>("kind") != "relu" ||
      !hasSingleUse(graph, pool.inputs[0]))
    return;
  // If fuse_pointwise can fuse relu with the elementwise operation before it, relu costs no time,
  // so moving it saves none
  if (device.maxPointwiseSteps >= 2 && hasSingleUse(graph, relu.inputs[0]) &&
      canBePointwiseStep(graph, producerOf(graph, relu.inputs[0])))
    return;
  if (!isMasked(graph, pool)) return;
  replacePool(graph, id, relu.inputs[0], relu.attributes, pool.outputs[0], report,
              "moved relu after max_pool2d");
}

}  // namespace

void fusePooling(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (device.poolingActivations == FusedActivations::None) return;
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order)
    if (graph.isAlive(id) && isLinearPool(graph.node(id))) fuseBefore(graph, id, device, report);
  for (NodeId id : std::vector<NodeId>(graph.order()))
    if (graph.isAlive(id) && isLinearPool(graph.node(id))) fuseAfter(graph, id, device, report);
}

}  // namespace strata

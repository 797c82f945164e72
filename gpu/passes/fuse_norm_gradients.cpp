// SPDX-License-Identifier: Apache-2.0
// Adds the gradient of a residual connection while the gradient of layer normalization is computed.
//
//   before:  dy, x, .. -> layer_norm_backward -> dx
//            dx, other -> add
//   after:   dy, x, .., other -> layer_norm_backward {adds=true} -> dx
//
// The sum must be the only use of dx, and `other` must be computed before dx. The CPU declines
// this, because its kernels are fast without it.
#include <map>

#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

/// The positions of nodes in the order before the pass. A new node has the position of the node
/// that it replaces.
using Positions = std::map<NodeId, size_t>;

void addToGradient(Graph& graph, NodeId id, Positions& positions, PassReport& report) {
  const Node original = graph.node(id);
  const ValueId dx = original.outputs[0];
  const NodeId user = onlyUser(graph, dx);
  if (original.attributes.get<bool>("adds") || !user.isValid()) return;
  const Node sum = graph.node(user);
  if (sum.op->role != OpRole::Add) return;
  const ValueId other = sum.inputs[0] == dx ? sum.inputs[1] : sum.inputs[0];
  if (graph.type(other) != graph.type(dx) ||
      positions.at(graph.value(other).producer) >= positions.at(id))
    return;
  std::vector<ValueId> inputs = original.inputs;
  inputs.push_back(other);
  Attributes attributes = original.attributes;
  attributes.set("adds", true);
  NodeId fused;
  {
    const ReplacementScope scope(graph, id);
    fused = graph.addNode(*original.op, std::move(inputs), std::move(attributes));
  }
  positions[fused] = positions.at(id);
  const std::vector<ValueId> outputs = graph.node(fused).outputs;
  for (size_t i = 1; i < outputs.size(); ++i)
    replaceValue(graph, original.outputs[i], outputs[i]);
  replaceValue(graph, sum.outputs[0], outputs[0]);
  note(report, graph.node(fused), "fused a sum into the gradient of layer normalization");
}

}  // namespace

void fuseNormGradients(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (!device.addsToNormGradients) return;
  const std::vector<NodeId> order = graph.order();
  Positions positions;
  for (size_t i = 0; i < order.size(); ++i)
    positions[order[i]] = i;
  for (const NodeId id : order)
    if (graph.isAlive(id) && graph.node(id).op->role == OpRole::LayerNormBackward)
      addToGradient(graph, id, positions, report);
}

}  // namespace strata

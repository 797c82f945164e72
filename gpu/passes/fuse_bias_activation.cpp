// SPDX-License-Identifier: Apache-2.0
// Adds the bias and applies the activation inside the kernel of the product, while its elements are
// still in registers.
//
//   before:  x, w -> matmul -> add <- bias
//                               |
//                          activation -> y
//   after:   x, w, bias -> matmul {activation="relu"} -> y
//
// The pass applies to matmul, conv2d and depthwise_conv2d (OpDef::takesBiasAndActivation) with one
// bias per output channel. It also fuses a bias or an activation alone, as the device's traits
// allow. Nothing else may use the values in between. The gradient of some activations (gelu, silu,
// ...) reads their input, so in a training step they are not fused.
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

/// Returns the bias if `user` adds one to `product`, otherwise an invalid id.
ValueId biasOf(const Graph& graph, const Node& user, ValueId product) {
  if (user.op->role != OpRole::Add || graph.shape(user.outputs[0]) != graph.shape(product))
    return {};
  const ValueId other = user.inputs[0] == product ? user.inputs[1] : user.inputs[0];
  return other != product && graph.shape(other) == Shape{graph.shape(product).dim(-1)} ? other
                                                                                       : ValueId{};
}

/// Replaces the node at `position` by a copy of `node` with other operands and attributes. The copy
/// keeps the layer of the product, which does nearly all of the work.
NodeId replaceBy(Graph& graph, const Node& node, std::vector<ValueId> inputs, Attributes attributes,
                 NodeId position) {
  NodeId fused;
  {
    const ReplacementScope scope(graph, position);
    graph.context.layer = node.layer;
    fused = graph.addNode(*node.op, std::move(inputs), std::move(attributes));
  }
  replaceValue(graph, graph.node(position).outputs[0], graph.node(fused).outputs[0]);
  return fused;
}

}  // namespace

void fuseBiasActivation(Graph& graph, const DeviceTraits& device, PassReport& report) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    if (!graph.isAlive(id) || !graph.node(id).op->takesBiasAndActivation ||
        !keepsType(graph, graph.node(id)) ||
        graph.node(id).attributes.get<std::string>("activation") != "linear")
      continue;
    const Node original = graph.node(id);
    NodeId product = id;
    std::string what;
    if (device.addsBias && original.inputs.size() == 2) {
      const NodeId user = onlyUser(graph, original.outputs[0]);
      const ValueId bias =
          user.isValid() ? biasOf(graph, graph.node(user), original.outputs[0]) : ValueId{};
      if (bias.isValid()) {
        product = replaceBy(graph, original, {original.inputs[0], original.inputs[1], bias},
                            original.attributes, user);
        what = "bias";
      }
    }
    const NodeId user = onlyUser(graph, graph.node(product).outputs[0]);
    if (user.isValid() && graph.node(user).op->role == OpRole::Activation &&
        isFused(device.productActivations, graph.node(user).attributes.get<std::string>("kind"))) {
      const Node activation = graph.node(user);
      const std::string& kind = activation.attributes.get<std::string>("kind");
      Attributes attributes = original.attributes;
      attributes.set("activation", kind);
      attributes.set("alpha", activation.attributes.get<double>("alpha"));
      product = replaceBy(graph, original, graph.node(product).inputs, attributes, user);
      what += (what.empty() ? "" : " and ") + kind;
    }
    if (!what.empty())
      note(report, graph.node(product), "fused " + what + " into " + original.op->name);
  }
}

}  // namespace strata

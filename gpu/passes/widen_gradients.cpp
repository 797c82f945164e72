// SPDX-License-Identifier: Apache-2.0
// Lets products of 16-bit operands write f32 results, where only an f32 version of the result is
// used. These are mostly gradients of weights.
//
//   before:  x, dy -> matmul -> dw bf16 -> cast -> dw f32
//   after:   x, dy -> matmul {result="f32"} -> dw f32
//
// The sums are computed in f32 in any case, so one rounding less is made. Only casts that read the
// product itself are replaced. Gradients of convolutions keep 16 bits, because cuDNN has no fast
// engine with f32 results for them; join_updates lets updates read them.
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

/// Returns whether the result of a node may have f32 although its operands have 16 bits.
bool canWiden(const Node& node) {
  if (node.op->role != OpRole::Matmul || !node.attributes.get<std::string>("result").empty())
    return false;
  return node.inputs.size() == 2 &&
         node.attributes.getOr<std::string>("activation", "linear") == "linear";
}

}  // namespace

void widenGradients(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (!device.widensProducts) return;
  const std::vector<NodeId> order = graph.order();
  for (const NodeId id : order) {
    if (!graph.isAlive(id)) continue;
    const Node cast = graph.node(id);
    if (cast.op->role != OpRole::Cast || graph.type(cast.outputs[0]).dtype != DType::F32 ||
        !isLowPrecision(graph.type(cast.inputs[0]).dtype) || !hasSingleUse(graph, cast.inputs[0]))
      continue;
    const NodeId source = graph.value(cast.inputs[0]).producer;
    const Node product = graph.node(source);
    if (!canWiden(product)) continue;
    Attributes attributes = product.attributes;
    attributes.set("result", std::string("f32"));
    NodeId widened;
    {
      const ReplacementScope scope(graph, source);
      graph.context.category = graph.value(cast.outputs[0]).category;
      widened = graph.addNode(*product.op, product.inputs, std::move(attributes));
    }
    note(report, product, product.op->name + " gives f32");
    replaceValue(graph, cast.outputs[0], graph.node(widened).outputs[0]);
  }
}

}  // namespace strata

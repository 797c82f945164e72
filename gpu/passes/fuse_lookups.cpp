// SPDX-License-Identifier: Apache-2.0
// Sums the squares of the gradients of lookups without storing the squares. Optimizers such as Adam
// need these sums for the weights of an embedding.
//
//   before:  dy (bf16) -> cast -> square -> gather_backward -> sums
//   after:   dy -> gather_backward {squares=true} -> sums
//
// The squares are the same numbers. Nothing else may use them.
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {

void fuseLookups(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (!device.sumsSquaresOfLookups) return;
  const std::vector<NodeId> order = graph.order();
  for (const NodeId id : order) {
    const Node sums = graph.node(id);
    if (!sums.op->sumsLookups || sums.attributes.get<bool>("squares")) continue;
    const Node& squares = producerOf(graph, sums.inputs[0]);
    if (squares.op->role != OpRole::Square || !hasSingleUse(graph, sums.inputs[0])) continue;
    ValueId gradient = squares.inputs[0];
    if (const Node& source = producerOf(graph, gradient);
        source.op->role == OpRole::Cast && isLowPrecision(graph.type(source.inputs[0]).dtype) &&
        graph.type(gradient).dtype == DType::F32)
      gradient = source.inputs[0];
    Attributes attributes = sums.attributes;
    attributes.set("squares", true);
    const NodeId fused =
        replacementOf(graph, id, {gradient, sums.inputs[1]}, std::move(attributes));
    note(report, graph.node(fused), "sums squares of lookups");
    replaceValue(graph, sums.outputs[0], graph.node(fused).outputs[0]);
  }
}

}  // namespace strata

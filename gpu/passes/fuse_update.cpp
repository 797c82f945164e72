// SPDX-License-Identifier: Apache-2.0
// Updates the weights of a dense layer while their gradient is computed, so that the gradient is
// never written to memory.
//
//   before:  x, dy -> matmul {transpose_a} -> dw
//            w, dw, .. -> adam_update -> w', ..
//   after:   w, x, dy, .. -> matmul_adam_update -> w', ..
//
// The pass applies to updates with OpDef::updateWithProduct if nothing else uses dw, such as
// clipping by norm or gradient accumulation. The product is computed at the update, so x and dy
// stay live until then. The pass therefore requires that they need no more memory than dw, or at
// most DeviceTraits::maxBytesUntilUpdate.
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {

void fuseUpdate(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (!device.updatesWithProducts) return;
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node update = graph.node(id);
    if (update.op->updateWithProduct.empty()) continue;
    const ValueId gradient = update.inputs[1];
    const Node& product = producerOf(graph, gradient);
    if (product.op->role != OpRole::Matmul || !hasSingleUse(graph, gradient) ||
        product.inputs.size() != 2 || graph.shape(gradient).rank() != 2 ||
        !product.attributes.get<bool>("transpose_a") ||
        product.attributes.get<bool>("transpose_b") ||
        product.attributes.get<std::string>("activation") != "linear")
      continue;
    const ValueId x = product.inputs[0], dy = product.inputs[1];
    const size_t kept = graph.type(x).bytes() + graph.type(dy).bytes();
    // A product of variables must not move past other updates, which may overwrite its operands
    if (isState(graph, x) || isState(graph, dy) ||
        kept > std::max(graph.type(gradient).bytes(), device.maxBytesUntilUpdate))
      continue;
    std::vector<ValueId> inputs = update.inputs;
    inputs[1] = x;
    inputs.insert(inputs.begin() + 2, dy);
    NodeId fused;
    {
      const ReplacementScope scope(graph, id);
      fused = graph.addNode(opNamed(update.op->updateWithProduct), std::move(inputs),
                            update.attributes);
    }
    for (size_t i = 0; i < update.outputs.size(); ++i) {
      const ValueId output = graph.node(fused).outputs[i];
      graph.edit().setCategory(output, graph.value(update.outputs[i]).category);
      graph.edit().replaceAllUses(update.outputs[i], output);
    }
    graph.edit().removeNode(id);
    removeIfUnused(graph, graph.value(gradient).producer);
    note(report, graph.node(fused),
         "fused " + update.op->name + " with the product that computes its gradient");
  }
}

}  // namespace strata

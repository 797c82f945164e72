// SPDX-License-Identifier: Apache-2.0
// Updates the weights of a dense layer while their gradient is computed, so that the gradient is
// never written to memory.
//
//   before:  x, dy -> matmul {transpose_a} -> dw
//            w, dw, .. -> adam_update -> w', ..
//   after:   w, x, dy, .. -> matmul_adam_update -> w', ..
//
// The pass applies to updates with OpDef::updateWithProduct if nothing else uses dw, such as
// clipping by norm or gradient accumulation, except one all_finite, which then checks the pair x,
// dy instead. The product is computed at the update, so x and dy stay live until then. The pass
// therefore requires that they need no more memory than dw, or at most
// DeviceTraits::maxBytesUntilUpdate.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {

namespace {

/// Returns the node all_finite if it and `update` are the only users of `gradient`, and an invalid
/// id if `update` is the only one. Returns nullopt if there are other users.
std::optional<NodeId> guardOf(const Graph& graph, ValueId gradient, NodeId update) {
  NodeId guard;
  if (graph.value(gradient).names > 0) return std::nullopt;
  for (const Use& use : graph.value(gradient).uses) {
    if (use.node == update) continue;
    if (graph.node(use.node).op->role != OpRole::AllFinite || guard.isValid()) return std::nullopt;
    guard = use.node;
  }
  return guard;
}

struct CheckedPair {
  ValueId gradient, x, dy;
};

/// Replaces operands of the node all_finite by pairs.
void checkPairs(Graph& graph, NodeId guard, const std::vector<CheckedPair>& pairs) {
  const Node node = graph.node(guard);
  std::set<ValueId> gradients;
  for (const CheckedPair& pair : pairs)
    gradients.insert(pair.gradient);
  std::vector<ValueId> inputs = node.inputs;
  std::erase_if(inputs, [&](ValueId input) { return gradients.contains(input); });
  for (const CheckedPair& pair : pairs)
    inputs.insert(inputs.end(), {pair.x, pair.dy});
  Attributes attributes = node.attributes;
  attributes.set("pairs", attributes.get<int64_t>("pairs") + static_cast<int64_t>(pairs.size()));
  const ReplacementScope scope(graph, guard);
  const ValueId flag = graph.add(*node.op, std::move(inputs), std::move(attributes));
  graph.edit().replaceAllUses(node.outputs[0], flag);
  graph.edit().removeNode(guard);
}

}  // namespace

void fuseUpdate(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (!device.updatesWithProducts) return;
  // The guards change at the end, because they may have many operands and users
  std::map<NodeId, std::vector<CheckedPair>> pairs;
  std::vector<ValueId> gradients;
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node update = graph.node(id);
    if (update.op->updateWithProduct.empty()) continue;
    const ValueId gradient = update.inputs[1];
    const Node& product = producerOf(graph, gradient);
    const std::optional<NodeId> guard = guardOf(graph, gradient, id);
    if (product.op->role != OpRole::Matmul || !guard || product.inputs.size() != 2 ||
        graph.shape(gradient).rank() != 2 || !product.attributes.get<bool>("transpose_a") ||
        product.attributes.get<bool>("transpose_b") || !keepsType(graph, product) ||
        product.attributes.get<std::string>("activation") != "linear")
      continue;
    const ValueId x = product.inputs[0], dy = product.inputs[1];
    const size_t kept = graph.type(x).bytes() + graph.type(dy).bytes();
    // A product of variables must not move past other updates, which may overwrite its operands
    if (isState(graph, x) || isState(graph, dy) ||
        kept > std::max(graph.type(gradient).bytes(), device.maxBytesUntilUpdate))
      continue;
    if (guard->isValid()) pairs[*guard].push_back({gradient, x, dy});
    gradients.push_back(gradient);
    std::vector<ValueId> inputs = graph.node(id).inputs;
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
    note(report, graph.node(fused),
         "fused " + update.op->name + " with the product that computes its gradient");
  }
  for (const auto& [guard, ofGuard] : pairs)
    checkPairs(graph, guard, ofGuard);
  for (const ValueId gradient : gradients)
    removeIfUnused(graph, graph.value(gradient).producer);
}

}  // namespace strata

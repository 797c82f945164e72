// SPDX-License-Identifier: Apache-2.0
// Updates the weights of a dense layer while their gradient is computed, so that the gradient is
// never written to memory.
//
//   before:  x, dy -> matmul {transpose_a} -> dw
//            w, dw, .. -> adam_update -> w', ..
//   after:   w, x, dy, .. -> matmul_adam_update -> w', ..
//
// The pass applies to updates with OpDef::updateWithProduct if nothing else uses dw, such as
// clipping by norm or gradient accumulation, except one all_finite and one gradient_norm, which
// then read the pair x, dy instead. The product is computed at the update, so x and dy stay live
// until then. The pass therefore requires that they need no more memory than dw, or at most
// DeviceTraits::maxBytesUntilUpdate.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {

namespace {

/// Returns the nodes all_finite and gradient_norm that read `gradient`, if they and `update` are
/// its only users. Returns nullopt if there are other users.
std::optional<std::vector<NodeId>> observersOf(const Graph& graph, ValueId gradient,
                                               NodeId update) {
  std::vector<NodeId> observers;
  std::set<OpRole> roles;
  if (graph.value(gradient).names > 0) return std::nullopt;
  for (const Use& use : graph.value(gradient).uses) {
    if (use.node == update) continue;
    const Node& node = graph.node(use.node);
    if (!observesGradients(node) || !roles.insert(node.op->role).second) return std::nullopt;
    observers.push_back(use.node);
  }
  return observers;
}

struct CheckedPair {
  ValueId gradient, x, dy;
};

/// Replaces operands of a node all_finite or gradient_norm by pairs.
void observePairs(Graph& graph, NodeId observer, const std::vector<CheckedPair>& pairs) {
  const Node node = graph.node(observer);
  std::set<ValueId> gradients;
  for (const CheckedPair& pair : pairs)
    gradients.insert(pair.gradient);
  std::vector<ValueId> inputs = node.inputs;
  std::erase_if(inputs, [&](ValueId input) { return gradients.contains(input); });
  for (const CheckedPair& pair : pairs)
    inputs.insert(inputs.end(), {pair.x, pair.dy});
  Attributes attributes = node.attributes;
  attributes.set("pairs", attributes.get<int64_t>("pairs") + static_cast<int64_t>(pairs.size()));
  const ReplacementScope scope(graph, observer);
  const ValueId result = graph.add(*node.op, std::move(inputs), std::move(attributes));
  graph.edit().replaceAllUses(node.outputs[0], result);
  graph.edit().removeNode(observer);
}

}  // namespace

void fuseUpdate(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (!device.updatesWithProducts) return;
  // The observers change at the end, because they may have many operands and users
  std::map<NodeId, std::vector<CheckedPair>> pairs;
  std::vector<ValueId> gradients;
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    const Node update = graph.node(id);
    if (update.op->updateWithProduct.empty()) continue;
    const ValueId gradient = update.inputs[1];
    const Node& product = producerOf(graph, gradient);
    const auto observers = observersOf(graph, gradient, id);
    if (product.op->role != OpRole::Matmul || !observers || product.inputs.size() != 2 ||
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
    for (const NodeId observer : *observers)
      pairs[observer].push_back({gradient, x, dy});
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
  for (const auto& [observer, ofObserver] : pairs)
    observePairs(graph, observer, ofObserver);
  for (const ValueId gradient : gradients)
    removeIfUnused(graph, graph.value(gradient).producer);
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Fuses small matrix products of the same input with different weights. A small product does not
// use the whole device, but the products of a fused op run in parallel.
//
//   before:  x, w1, b1 -> matmul -> y1
//            x, w2, b2 -> matmul -> y2
//   after:   x, w1, b1, w2, b2 -> matmul_siblings -> y1, y2
//
// The weights stay separate in memory, because concatenating them and splitting the result was
// slower. The weights are variables, inputs, constants or views of these. The pass moves their
// nodes before the first product. Products with more multiply-adds than
// DeviceTraits::maxSiblingMultiplyAdds are not fused, because each of them uses the whole device.
// The time of the fused op counts for the layer of the first product.
#include <algorithm>
#include <map>
#include <tuple>

#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

bool isSmallProduct(const Graph& graph, const Node& node, const DeviceTraits& device) {
  if (node.op == nullptr || node.op->role != OpRole::Matmul ||
      node.attributes.get<bool>("transpose_a") || !keepsType(graph, node))
    return false;
  const Shape& x = graph.shape(node.inputs[0]);
  if (x.rank() != 2 || node.attributes.get<double>("alpha") != 0) return false;
  for (size_t i = 1; i < node.inputs.size(); ++i)
    if (producerOf(graph, viewedBy(graph, node.inputs[i])).op->kind != OpKind::Source) return false;
  return x[0] * x[1] * graph.shape(node.outputs[0])[1] <= device.maxSiblingMultiplyAdds;
}

/// Groups of products that can be fused. The products of a group have the same first operand,
/// number of operands, transposition of the weights, and phase.
using Families = std::map<std::tuple<ValueId, size_t, bool, Phase>, std::vector<NodeId>>;

/// Moves the weights and biases of the products before the first product.
void putWeightsFirst(Graph& graph, const Families& families) {
  enum class Part : char { Other, Weight, Product };
  std::vector<Part> parts(static_cast<size_t>(graph.numNodes()));
  const auto partOf = [&](NodeId id) -> Part& {
    return parts[static_cast<size_t>(id.index)];
  };
  for (const auto& [shared, products] : families)
    for (const NodeId product : products) {
      partOf(product) = Part::Product;
      const std::vector<ValueId>& inputs = graph.node(product).inputs;
      for (size_t i = 1; i < inputs.size(); ++i) {
        NodeId id = graph.value(inputs[i]).producer;
        for (; graph.node(id).op->kind == OpKind::View;
             id = graph.value(graph.node(id).inputs[0]).producer)
          partOf(id) = Part::Weight;
        partOf(id) = Part::Weight;
      }
    }
  std::vector<NodeId> order = graph.order();
  const auto first = std::ranges::find(order, Part::Product, partOf);
  std::stable_partition(first, order.end(), [&](NodeId id) { return partOf(id) == Part::Weight; });
  graph.edit().setOrder(std::move(order));
}

}  // namespace

void fuseSiblings(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (device.maxSiblingMultiplyAdds <= 0) return;
  Families families;
  for (const NodeId id : graph.order())
    if (const Node& node = graph.node(id); isSmallProduct(graph, node, device))
      families[{node.inputs[0], node.inputs.size(), node.attributes.get<bool>("transpose_b"),
                node.phase}]
          .push_back(id);
  std::erase_if(families, [](const auto& family) { return family.second.size() < 2; });
  if (families.empty()) return;
  putWeightsFirst(graph, families);
  for (const auto& [shared, joined] : families) {
    graph.checkStop();
    const NodeId first = joined.front();
    const bool hasBias = graph.node(first).inputs.size() == 3;
    // Read the input from the node. The id in `shared` may be out of date, because an output of
    // another fused op may have replaced it.
    std::vector<ValueId> inputs{graph.node(first).inputs[0]};
    std::string activations;
    for (const NodeId id : joined) {
      const Node& node = graph.node(id);
      inputs.insert(inputs.end(), node.inputs.begin() + 1, node.inputs.end());
      activations +=
          (activations.empty() ? "" : ",") + node.attributes.get<std::string>("activation");
    }
    NodeId fused;
    {
      const ReplacementScope scope(graph, first);
      fused = graph.addNode(opNamed("matmul_siblings"), std::move(inputs),
                            {{"transpose_b", std::get<bool>(shared)},
                             {"has_bias", hasBias},
                             {"activations", activations}});
    }
    note(report, graph.node(fused),
         "joined " + std::to_string(joined.size()) + " products of one input");
    for (size_t i = 0; i < joined.size(); ++i) {
      const ValueId before = graph.node(joined[i]).outputs[0], after = graph.node(fused).outputs[i];
      graph.edit().setCategory(after, graph.value(before).category);
      replaceValue(graph, before, after);
    }
  }
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Joins small products of one input with several weights, so that the workers make them side by side; one such product keeps one worker busy alone.
//
//   before:  x, w1, b1 -> matmul -> y1        after:  x, w1, b1, w2, b2 -> matmul_siblings -> y1, y2
//            x, w2, b2 -> matmul -> y2
//
// Weights stay where they are and results too: joined weights with copies of parts were measured slower. Only of weights that are there when the first of the
// products runs, and not where another product's result is needed to make them. Larger products use all workers as they are and need no meeting between them.
#include <algorithm>
#include <map>
#include <tuple>

#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

/// Multiply-adds of a product that one worker makes alone.
constexpr int64_t kSmall = 65536;

bool isSmallProduct(const Graph& graph, const Node& node) {
  if (node.op == nullptr || node.op->name != "matmul" || node.attributes.get<bool>("transpose_a")) return false;
  const Shape& x = graph.shape(node.inputs[0]);
  if (x.rank() != 2 || node.attributes.get<double>("alpha") != 0) return false;
  for (size_t i = 1; i < node.inputs.size(); ++i)
    if (producerOf(graph, node.inputs[i]).op->kind != OpKind::Source) return false;
  return x[0] * x[1] * graph.shape(node.outputs[0])[1] <= kSmall;
}

}  // namespace

void fuseSiblings(Graph& graph, PassReport& report) {
  // By what they must share: operand, its number of operands, transposition.
  std::map<std::tuple<ValueId, size_t, bool>, std::vector<NodeId>> families;
  std::vector<int> positions(static_cast<size_t>(graph.numNodes()), -1);
  const std::vector<NodeId> order = graph.order();
  for (size_t i = 0; i < order.size(); ++i) {
    positions[static_cast<size_t>(order[i].index)] = static_cast<int>(i);
    const Node& node = graph.node(order[i]);
    if (isSmallProduct(graph, node))
      families[{node.inputs[0], node.inputs.size(), node.attributes.get<bool>("transpose_b")}].push_back(order[i]);
  }
  for (const auto& [shared, products] : families) {
    graph.checkStop();
    const NodeId first = products.front();
    const auto isThere = [&](ValueId value) {
      return positions[static_cast<size_t>(graph.value(value).producer.index)] < positions[static_cast<size_t>(first.index)];
    };
    std::vector<NodeId> joined;
    for (const NodeId id : products) {
      const std::vector<ValueId>& inputs = graph.node(id).inputs;
      if (std::all_of(inputs.begin() + 1, inputs.end(), isThere)) joined.push_back(id);
    }
    if (joined.size() < 2) continue;
    const bool hasBias = graph.node(first).inputs.size() == 3;
    std::vector<ValueId> inputs{std::get<ValueId>(shared)};
    std::string activations;
    for (const NodeId id : joined) {
      const Node& node = graph.node(id);
      inputs.insert(inputs.end(), node.inputs.begin() + 1, node.inputs.end());
      activations += (activations.empty() ? "" : ",") + node.attributes.get<std::string>("activation");
    }
    NodeId fused;
    {
      const ReplacementScope scope(graph, first);
      fused = graph.addNode(opNamed("matmul_siblings"), std::move(inputs),
                            {{"transpose_b", std::get<bool>(shared)}, {"has_bias", hasBias}, {"activations", activations}});
    }
    note(report, graph.node(fused), std::to_string(joined.size()) + " products of one input");
    for (size_t i = 0; i < joined.size(); ++i) {
      const ValueId before = graph.node(joined[i]).outputs[0], after = graph.node(fused).outputs[i];
      graph.setCategory(after, graph.value(before).category);
      replaceValue(graph, before, after);
    }
  }
}

}  // namespace strata

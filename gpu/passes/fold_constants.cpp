// SPDX-License-Identifier: Apache-2.0
// Computes constant expressions once, with the evaluator of the pipeline's options.
//
//   before:  2, 3 -> add -> x        after:  5 -> x
//
// Results larger than kMaxFoldedBytes are not folded, because computing them in each step is
// cheaper than keeping them in memory.
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

constexpr size_t kMaxFoldedBytes = 64 << 10;

bool isFoldable(const Graph& graph, const Node& node) {
  if (node.op->kind == OpKind::Source || node.op->kind == OpKind::Update || node.inputs.empty())
    return false;
  for (ValueId input : node.inputs)
    if (!producerOf(graph, input).payload) return false;
  for (ValueId output : node.outputs)
    if (graph.type(output).bytes() > kMaxFoldedBytes) return false;
  return true;
}

}  // namespace

void foldConstants(Graph& graph, PassReport& report, const OpEvaluator& evaluate) {
  if (!evaluate) return;
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    if (!graph.isAlive(id) || !isFoldable(graph, graph.node(id))) continue;
    const Node node = graph.node(id);
    std::vector<Tensor> operands;
    for (ValueId input : node.inputs)
      operands.push_back(*producerOf(graph, input).payload);
    std::vector<Tensor> results = evaluate(*node.op, node.attributes, operands);
    std::vector<ValueId> folded;
    {
      const ReplacementScope scope(graph, id);
      for (size_t i = 0; i < results.size(); ++i)
        folded.push_back(graph.value(node.outputs[i]).isUsed()
                             ? graph.addConstant(std::move(results[i]))
                             : ValueId{});
    }
    note(report, node, "folded " + node.op->name + " of constants");
    for (size_t i = 0; i < folded.size(); ++i)
      if (folded[i].isValid()) graph.edit().replaceAllUses(node.outputs[i], folded[i]);
    removeIfUnused(graph, id);
  }
}

}  // namespace strata

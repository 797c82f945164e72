// SPDX-License-Identifier: Apache-2.0
// Removes nodes whose results are not used.
//
//   before:  x -> exp -> y -> output        after:  x -> exp -> y -> output
//            x -> log -> z   (not used)
//
// Inputs, variables and updates are kept.
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {

void removeDead(Graph& graph, PassReport& report) {
  // Go through the nodes in reverse order, so that users are removed before their operands are
  // checked
  const std::vector<NodeId> order = graph.order();
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const Node node = graph.node(*id);
    if (node.op->kind == OpKind::Update || node.op->infer == nullptr) continue;
    bool isUsed = false;
    for (ValueId output : node.outputs)
      isUsed = isUsed || graph.value(output).isUsed();
    if (isUsed) continue;
    graph.edit().removeNode(*id);
    note(report, node, "removed " + node.op->name + ", which is not used");
  }
}

}  // namespace strata

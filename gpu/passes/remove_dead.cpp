// SPDX-License-Identifier: Apache-2.0
// Removes nodes whose results nothing reads.
//
//   before:  x -> exp -> y -> output        after:  x -> exp -> y -> output
//            x -> log -> z   (nobody)
//
// Inputs, variables and updates of state stay.
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {

void removeDead(Graph& graph, PassReport& report) {
  // Backwards, so that a reader is gone before what it read is looked at.
  const std::vector<NodeId> order = graph.order();
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const Node node = graph.node(*id);
    if (node.op->kind == OpKind::Update || node.op->infer == nullptr) continue;
    bool isUsed = false;
    for (ValueId output : node.outputs)
      isUsed = isUsed || graph.isUsed(output);
    if (isUsed) continue;
    graph.removeNode(*id);
    note(report, node, "removed " + node.op->name + ", which is not used");
  }
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Computes repeated expressions only once.
//
//   before:  a, b -> add -> x        after:  a, b -> add -> x
//            b, a -> add -> y                (nodes that read y now read x)
//
// Two nodes are equal if they have the same op, attributes and operands (in any order if the op is
// commutative). Constants must have the same bits. Inputs, variables and updates are never merged.
// The result of every op, even a random one, depends only on its operands and attributes. Merging
// therefore does not change any bit of the results.
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {

void mergeCommon(Graph& graph, PassReport& report) {
  ComputedNodes seen(graph);
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    graph.checkStop();
    const NodeId first = seen.findOrRemember(id);
    if (!first.isValid()) continue;
    const std::vector<ValueId> outputs = graph.node(id).outputs, kept = graph.node(first).outputs;
    bool isSafe = true;
    for (size_t i = 0; i < outputs.size(); ++i)
      isSafe = isSafe && canStandIn(graph, kept[i], outputs[i]);
    if (!isSafe) continue;
    note(report, graph.node(id),
         "merged a repeated " + graph.node(id).op->name + " with the same operands");
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (graph.value(outputs[i]).category == Category::Gradient &&
          graph.value(kept[i]).category == Category::Temporary)
        graph.edit().setCategory(kept[i], Category::Gradient);
      graph.edit().replaceAllUses(outputs[i], kept[i]);
    }
    graph.edit().removeNode(id);
  }
}

}  // namespace strata

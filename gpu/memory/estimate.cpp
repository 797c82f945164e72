// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/estimate.h"

#include "gpu/graph/op.h"
#include "gpu/memory/step_model.h"

namespace strata {

StepEstimate estimateStep(const Graph& graph, bool inPlace, const NodeSeconds& seconds,
                          size_t alignment) {
  RecomputeOptions options;
  options.inPlace = inPlace;
  options.alignment = alignment;
  StepModel model(graph, options);
  StepEstimate result;
  result.peakBytes =
      model.weigh(std::vector<char>(static_cast<size_t>(model.size())), false, options.limitBytes)
          .boundBytes;
  if (!seconds) result.seconds = model.stepSeconds();
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View) continue;
    result.movedBytes += costOf(graph, node).bytes;
    if (seconds) result.seconds += seconds(graph, id);
  }
  return result;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "gpu/cost/roofline.h"

#include <algorithm>
#include <array>

#include "gpu/graph/op.h"

namespace strata {

std::string_view limitName(Limit limit) {
  static constexpr std::string_view kNames[] = {"compute", "memory", "launch"};
  return kNames[static_cast<size_t>(limit)];
}

double NodeBound::seconds() const {
  return std::max({computeSeconds, memorySeconds, launchSeconds});
}

Limit NodeBound::limit() const {
  if (launchSeconds >= computeSeconds && launchSeconds >= memorySeconds) return Limit::Launch;
  return computeSeconds >= memorySeconds ? Limit::Compute : Limit::Memory;
}

std::vector<NodeBound> boundStep(const Graph& graph, const DeviceLimits& limits) {
  std::vector<NodeBound> nodes;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View) continue;
    const Cost cost = costOf(graph, node);
    const double products = 2 * cost.multiplyAdds;
    NodeBound bound;
    bound.node = id;
    bound.computeSeconds = products / limits.productFlopsPerSecond +
                           std::max(0.0, cost.flops - products) / limits.otherFlopsPerSecond;
    bound.memorySeconds = cost.bytes * limits.bytesFactor / limits.bytesPerSecond;
    bound.launchSeconds = limits.launchSeconds;
    nodes.push_back(bound);
  }
  return nodes;
}

Limit bindingLimit(const std::vector<NodeBound>& nodes) {
  std::array<double, 3> seconds{};
  for (const NodeBound& node : nodes)
    seconds[static_cast<size_t>(node.limit())] += node.seconds();
  return static_cast<Limit>(std::max_element(seconds.begin(), seconds.end()) - seconds.begin());
}

}  // namespace strata

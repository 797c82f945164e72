// SPDX-License-Identifier: Apache-2.0
// Begins sums over processes as soon as their operands are there, so that processes communicate
// while they compute the rest of the backward pass.
//
//   before:  gb = matmul_backward(..)          after:  gb = matmul_backward(..)
//            ga = matmul_backward(..)                  b = all_reduce_start(gb)
//            b = all_reduce_start(gb)                  ga = matmul_backward(..)
//            a = all_reduce_start(ga)                  a = all_reduce_start(ga)
//            gb' = all_reduce_done(b)                  gb' = all_reduce_done(b)
#include <algorithm>
#include <vector>

#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

bool isStart(const Graph& graph, NodeId id) { return graph.node(id).op->role == OpRole::SumStart; }

/// Returns the nodes that are moved: those that begin sums, and what only prepares their operands
/// after the backward pass.
std::vector<char> movedNodes(const Graph& graph) {
  std::vector<char> isMoved(static_cast<size_t>(graph.numNodes()));
  const std::vector<NodeId>& order = graph.order();
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    const auto at = static_cast<size_t>(id->index);
    if (isStart(graph, *id)) isMoved[at] = true;
    if (!isMoved[at]) continue;
    for (const ValueId input : graph.node(*id).inputs) {
      const Node& source = producerOf(graph, input);
      if (source.phase != Phase::Update || source.op->kind == OpKind::Source ||
          source.op->kind == OpKind::Update)
        continue;
      isMoved[static_cast<size_t>(graph.value(input).producer.index)] = true;
    }
  }
  return isMoved;
}

}  // namespace

void startSums(Graph& graph, PassReport& report) {
  const std::vector<NodeId> before = graph.order();
  // Sums in the forward and backward pass keep their place among all sums
  if (std::ranges::any_of(before,
                          [&](NodeId id) { return graph.node(id).op->role == OpRole::SyncSum; }))
    return;
  const std::vector<char> isMoved = movedNodes(graph);
  std::vector<NodeId> waiting, order;
  for (const NodeId id : before)
    if (isMoved[static_cast<size_t>(id.index)]) waiting.push_back(id);
  if (waiting.empty()) return;
  std::vector<char> isDone(static_cast<size_t>(graph.numNodes()));
  const auto place = [&](NodeId id) {
    order.push_back(id);
    isDone[static_cast<size_t>(id.index)] = true;
  };
  const auto isReady = [&](NodeId id) {
    for (const ValueId input : graph.node(id).inputs)
      if (!isDone[static_cast<size_t>(graph.value(input).producer.index)]) return false;
    return true;
  };
  // The sums keep their order, because all replicas have the same one
  const auto placeReady = [&] {
    bool isBlocked = false;
    for (size_t i = 0; i < waiting.size();) {
      const bool isSum = isStart(graph, waiting[i]);
      if (!isReady(waiting[i]) || (isSum && isBlocked)) {
        isBlocked = isBlocked || isSum;
        ++i;
        continue;
      }
      place(waiting[i]);
      graph.edit().mutableNode(waiting[i]).phase = Phase::Backward;
      waiting.erase(waiting.begin() + static_cast<std::ptrdiff_t>(i));
    }
  };
  // Sources are there from the start
  for (const NodeId id : before)
    if (graph.node(id).op->kind == OpKind::Source) place(id);
  for (const NodeId id : before) {
    const auto at = static_cast<size_t>(id.index);
    if (isMoved[at] || isDone[at]) continue;
    place(id);
    placeReady();
  }
  graph.edit().setOrder(order);
  report.rewrites += static_cast<int>(before != order);
  report.details.push_back("begins sums over processes as soon as their operands are there");
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Places updates last, so that a step can be stopped and discarded until the first update. Moves a
// node right before its first use if that saves memory: if its outputs are larger than the operands
// that must then be kept longer.
//
//   before:  big = broadcast_to(x)        after:  y = exp(x)
//            y = exp(x)                           big = broadcast_to(x)
//            z = add(y, big)                      z = add(y, big)
//            w' = sgd_update(w, ..)               m = multiply(z, z)
//            m = multiply(z, z)                   w' = sgd_update(w, ..)
//
// Nodes stay within their phase, so that the times of forward, backward and update keep their
// meaning.
#include <algorithm>
#include <list>
#include <unordered_set>

#include "gpu/base/error.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

class Sinker {
 public:
  explicit Sinker(Graph& graph)
      : m_graph(graph), m_position(static_cast<size_t>(graph.numNodes())) {
    // Positions are fractions, so that a moved node gets a position between two others
    const std::vector<NodeId>& order = graph.order();
    for (size_t i = 0; i < order.size(); ++i)
      at(order[i]) = static_cast<double>(i);
    for (const NamedValue& output : graph.outputs())
      m_kept.insert(output.value);
  }

  int run() {
    std::vector<NodeId> order = m_graph.order();
    int moved = 0;
    // Go through the nodes in reverse order, so that users are in their final place before their
    // operands are moved
    std::list<NodeId> result(order.begin(), order.end());
    std::vector<std::list<NodeId>::iterator> where(m_position.size());
    for (auto it = result.begin(); it != result.end(); ++it)
      where[static_cast<size_t>(it->index)] = it;
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      const NodeId reader = placeFor(*id);
      if (!reader.isValid()) continue;
      const auto before = where[static_cast<size_t>(reader.index)];
      const auto self = where[static_cast<size_t>(id->index)];
      if (std::next(self) == before) continue;
      const double low = at(*std::prev(before)), high = at(reader);
      const double middle = low + (high - low) / 2;
      if (!(middle > low && middle < high)) continue;
      result.splice(before, result, self);
      at(*id) = middle;
      ++moved;
    }
    if (moved > 0) m_graph.edit().setOrder({result.begin(), result.end()});
    return moved;
  }

 private:
  double& at(NodeId id) { return m_position[static_cast<size_t>(id.index)]; }

  bool isTransient(ValueId value) const {
    return producerOf(m_graph, value).op->kind != OpKind::Source &&
           producerOf(m_graph, value).op->kind != OpKind::Update;
  }

  /// Returns the first user if the node should be moved right before it, otherwise an invalid id.
  NodeId placeFor(NodeId id) {
    const Node& node = m_graph.node(id);
    if (node.op->kind == OpKind::Source || node.op->kind == OpKind::Update ||
        node.op->kind == OpKind::View)
      return {};
    NodeId reader;
    double gained = 0, lost = 0;
    for (ValueId output : node.outputs) {
      gained += static_cast<double>(m_graph.type(output).bytes());
      if (m_kept.contains(output)) return {};
      for (const Use& use : m_graph.value(output).uses)
        if (!reader.isValid() || at(use.node) < at(reader)) reader = use.node;
    }
    if (!reader.isValid() || m_graph.node(reader).phase != node.phase) return {};
    for (ValueId input : node.inputs) {
      const OpDef& source = *producerOf(m_graph, input).op;
      // A node must not move past an update of a variable that it reads. A view or the result of an
      // update may share its bytes with a variable, so nodes that read one are not moved.
      if (source.role == OpRole::Variable && isWrittenBefore(input, at(reader))) return {};
      if (source.kind == OpKind::View || source.kind == OpKind::Update) return {};
      if (!isTransient(input) || m_kept.contains(input)) continue;
      double last = 0;
      for (const Use& use : m_graph.value(input).uses)
        if (use.node != id) last = std::max(last, at(use.node));
      if (last < at(reader)) lost += static_cast<double>(m_graph.type(input).bytes());
    }
    return gained > lost ? reader : NodeId{};
  }

  bool isWrittenBefore(ValueId state, double position) {
    for (const Use& use : m_graph.value(state).uses)
      if (m_graph.node(use.node).op->kind == OpKind::Update && at(use.node) < position) return true;
    return false;
  }

  Graph& m_graph;
  std::vector<double> m_position;
  std::unordered_set<ValueId> m_kept;
};

}  // namespace

void updatesLast(Graph& graph, PassReport& report) {
  const int moved = putUpdatesLast(graph);
  if (moved == 0) return;
  report.rewrites += moved;
  report.details.push_back("moved " + std::to_string(moved) + " nodes before the first update");
}

void orderNodes(Graph& graph, PassReport& report) {
  updatesLast(graph, report);
  if (const int moved = Sinker(graph).run(); moved > 0) {
    report.rewrites += moved;
    report.details.push_back("moved " + std::to_string(moved) +
                             " nodes right before their first use");
  }
}

}  // namespace strata

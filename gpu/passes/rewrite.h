// SPDX-License-Identifier: Apache-2.0
// What rewrites ask of a graph and do to it. Thread: edit the given graph only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu/graph/op.h"
#include "gpu/passes/pass.h"

namespace strata {

const Node& producerOf(const Graph& graph, ValueId value);
/// Exactly one node reads it, once, and it is neither an output nor a variable's next.
bool hasSingleUse(const Graph& graph, ValueId value);
/// That node; invalid where hasSingleUse() is false.
NodeId onlyUser(const Graph& graph, ValueId value);
/// What `value` is a view of, through all views; itself where it is none.
ValueId viewedBy(const Graph& graph, ValueId value);
/// Is it a variable, the result of an update, or a view of one? Its bytes are overwritten by the
/// next update.
bool isState(const Graph& graph, ValueId value);
/// The number of a constant whose elements are all equal.
std::optional<double> splatOf(const Graph& graph, ValueId value);
/// Would every reader of `from` see the same bytes in `to`? False where `to` is state (or a view of
/// it) that is overwritten before the last of them.
bool canStandIn(const Graph& graph, ValueId to, ValueId from);
/// Readers of `from` read `to`; a gradient stays counted as one. Then removes what nothing reads
/// any more.
void replaceValue(Graph& graph, ValueId from, ValueId to);
/// Removes `node` if nothing reads it, then its operands likewise. Never inputs, variables or
/// updates.
void removeIfUnused(Graph& graph, NodeId node);
/// Updates, and what reads their results, go behind everything else, so that a step can be given
/// up, unchanged, as late as possible; both parts keep their order. Returns how many nodes now
/// stand before an update that they followed.
int putUpdatesLast(Graph& graph);
/// Context for a node that takes the place of `node`.
Graph::Context contextOf(const Graph& graph, NodeId node);
/// "layer: text", a line of a report.
void note(PassReport& report, const Node& node, const std::string& text);

/// New nodes go right before `position`, in its layer, phase and category, for a block of code.
class ReplacementScope {
 public:
  ReplacementScope(Graph& graph, NodeId position) : m_graph(graph), m_saved(graph.context) {
    graph.context = contextOf(graph, position);
    graph.setInsertionPoint(position);
  }
  ~ReplacementScope() {
    m_graph.context = std::move(m_saved);
    m_graph.clearInsertionPoint();
  }
  ReplacementScope(const ReplacementScope&) = delete;
  ReplacementScope& operator=(const ReplacementScope&) = delete;

 private:
  Graph& m_graph;
  Graph::Context m_saved;
};

/// Nodes by what they compute: op, attributes, operands (sorted where their order does not matter),
/// elements of constants.
class ComputedNodes {
 public:
  explicit ComputedNodes(const Graph& graph) : m_graph(graph) {}
  /// An equal node seen before; else remembers this one. Invalid for what may not be merged:
  /// inputs, variables, updates.
  NodeId findOrRemember(NodeId node);
  /// An equal node for this op on these operands.
  NodeId find(const Node& node, std::vector<ValueId> inputs) const;

 private:
  size_t hashOf(const Node& node, const std::vector<ValueId>& inputs) const;
  const Graph& m_graph;
  std::multimap<size_t, std::pair<NodeId, std::vector<ValueId>>> m_nodes;
};

}  // namespace strata

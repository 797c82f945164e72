// SPDX-License-Identifier: Apache-2.0
// Helpers of passes: questions about a graph, and edits. Thread: edit the given graph only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu/graph/op.h"
#include "gpu/passes/pass.h"

namespace strata {

const Node& producerOf(const Graph& graph, ValueId value);
/// Is the value used exactly once, by a node, and neither an output nor a variable's next?
bool hasSingleUse(const Graph& graph, ValueId value);
/// The node that uses the value; invalid if hasSingleUse() is false.
NodeId onlyUser(const Graph& graph, ValueId value);
/// The value that `value` is a view of, through all views; `value` itself if it is not a view.
ValueId viewedBy(const Graph& graph, ValueId value);
/// Is it a variable, the result of an update, or a view of one? Its bytes are overwritten by the
/// next update.
bool isState(const Graph& graph, ValueId value);
/// The number of a constant whose elements are all equal.
std::optional<double> splatOf(const Graph& graph, ValueId value);
/// Can `to` replace `from` for all its users? False if `to` is a variable (or a view of one) that
/// is overwritten before the last use.
bool canStandIn(const Graph& graph, ValueId to, ValueId from);
/// Replaces `from` by `to` in all users; a gradient keeps its category. Then removes nodes that are
/// no longer used.
void replaceValue(Graph& graph, ValueId from, ValueId to);
/// Removes `node` if it is not used, then its operands in the same way. Inputs, variables and
/// updates are never removed.
void removeIfUnused(Graph& graph, NodeId node);
/// Moves updates, and nodes that use their results, after all other nodes, so that a step can be
/// abandoned without changes as late as possible. Both parts keep their order. Returns how many
/// nodes now precede an update that they followed.
int putUpdatesLast(Graph& graph);
/// The context for a node that replaces `node`.
Graph::Context contextOf(const Graph& graph, NodeId node);
/// Adds the line "layer: text" to a report and counts a rewrite.
void note(PassReport& report, const Node& node, const std::string& text);

/// Within a block of code, new nodes go right before `position` and get its layer, phase and
/// category.
class ReplacementScope {
 public:
  ReplacementScope(Graph& graph, NodeId position) : m_graph(graph), m_saved(graph.context) {
    graph.context = contextOf(graph, position);
    graph.edit().setInsertionPoint(position);
  }
  ~ReplacementScope() {
    m_graph.context = std::move(m_saved);
    m_graph.edit().setInsertionPoint();
  }
  ReplacementScope(const ReplacementScope&) = delete;
  ReplacementScope& operator=(const ReplacementScope&) = delete;

 private:
  Graph& m_graph;
  Graph::Context m_saved;
};

/// Finds nodes by what they compute: op, attributes, operands (sorted if their order does not
/// matter) and elements of constants.
class ComputedNodes {
 public:
  explicit ComputedNodes(const Graph& graph) : m_graph(graph) {}
  /// Returns an equal node seen before, otherwise remembers this one. Invalid for nodes that must
  /// not be merged: inputs, variables, updates.
  NodeId findOrRemember(NodeId node);
  /// Returns a remembered node with this op and these operands.
  NodeId find(const Node& node, std::vector<ValueId> inputs) const;

 private:
  size_t hashOf(const Node& node, const std::vector<ValueId>& inputs) const;
  const Graph& m_graph;
  std::multimap<size_t, std::pair<NodeId, std::vector<ValueId>>> m_nodes;
};

}  // namespace strata

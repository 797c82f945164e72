// SPDX-License-Identifier: Apache-2.0
// Functions for passes that inspect and edit a graph.
// Thread: any, while no other thread edits the graph.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/graph/op.h"
#include "gpu/passes/pass.h"

namespace strata {

const Node& producerOf(const Graph& graph, ValueId value);
/// Returns whether the op that produces a value has this role.
inline bool isMadeBy(const Graph& graph, ValueId value, OpRole role) {
  return producerOf(graph, value).op->role == role;
}
/// Returns whether a value is used exactly once, as an operand of a node. Outputs and next values
/// of variables count as other uses.
bool hasSingleUse(const Graph& graph, ValueId value);
/// Returns the only node that uses a value, or an invalid id if hasSingleUse() is false.
NodeId onlyUser(const Graph& graph, ValueId value);
/// Returns the value of which `value` is a view, directly or through other views. Returns `value`
/// if it is not a view.
ValueId viewedBy(const Graph& graph, ValueId value);
/// Returns whether the value is a variable, the result of an update, or a view of one of these. An
/// update that runs later may overwrite its bytes.
bool isState(const Graph& graph, ValueId value);
/// Returns the number that all elements of a constant have, or nullopt if the value is not a
/// constant or has different elements.
std::optional<double> splatOf(const Graph& graph, ValueId value);
/// Returns whether all users of `from` can use `to` instead. They cannot if `to` shares memory with
/// a variable and an update overwrites this memory before the last user runs.
bool canStandIn(const Graph& graph, ValueId to, ValueId from);
/// Replaces `from` by `to` everywhere and removes the nodes that are then unused. If `from` has the
/// category Gradient and `to` is temporary, `to` becomes a Gradient.
void replaceValue(Graph& graph, ValueId from, ValueId to);
/// Removes a node if it is unused, and then the nodes of its operands if they are unused. It never
/// removes inputs, variables and updates.
void removeIfUnused(Graph& graph, NodeId node);
/// Moves updates, and nodes that use their results, after all other nodes. Until the first update
/// runs, a step can be stopped without changing any variable. The order within both groups does not
/// change. Returns the number of nodes that were moved before an update.
int putUpdatesLast(Graph& graph);
/// Returns whether a device that fuses these activations fuses `kind`.
bool isFused(FusedActivations activations, std::string_view kind);
/// Returns whether the result of a product has the type of its operands. Other products cannot be
/// fused.
bool keepsType(const Graph& graph, const Node& product);
/// Returns the layer, phase and category for a node that replaces `node`.
Graph::Context contextOf(const Graph& graph, NodeId node);
/// Adds a node right before `node`, with its op, layer, phase and categories. The caller replaces
/// the uses of the results, and removes `node`.
NodeId replacementOf(Graph& graph, NodeId node, std::vector<ValueId> inputs, Attributes attributes);
/// Counts a rewrite in a report and adds the line "layer: text".
void note(PassReport& report, const Node& node, const std::string& text);

/// While an object of this class exists, new nodes are inserted right before the node `position`.
/// They get the layer, phase and category of that node.
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

/// Finds nodes that compute the same result. They have the same op, attributes and operands, and
/// constants have the same elements. The order of the operands of commutative ops does not matter.
class ComputedNodes {
 public:
  explicit ComputedNodes(const Graph& graph) : m_graph(graph) {}
  /// Returns an equal node if one was remembered. Otherwise remembers `node` and returns an invalid
  /// id. Inputs, variables and updates are not remembered, because they must not be merged.
  NodeId findOrRemember(NodeId node);
  /// Returns a remembered node that equals `node` if its operands were `inputs`, or an invalid id.
  NodeId find(const Node& node, std::vector<ValueId> inputs) const;

 private:
  size_t hashOf(const Node& node, const std::vector<ValueId>& inputs) const;
  const Graph& m_graph;
  std::multimap<size_t, std::pair<NodeId, std::vector<ValueId>>> m_nodes;
};

}  // namespace strata

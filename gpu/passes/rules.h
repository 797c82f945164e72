// SPDX-License-Identifier: Apache-2.0
// Applies a table of small rules to a graph, for passes that consist of such rules. Each rule
// examines one node and returns the value that replaces its output.
// Thread: any, while no other thread uses the graph.
#pragma once

#include <span>

#include "gpu/passes/rewrite.h"

namespace strata {

/// The node that a rule examines.
struct Candidate {
  Graph& graph;
  NodeId id;
  // A copy, because references to nodes become invalid when a rule adds nodes
  const Node node;
  ValueId input(size_t i) const { return node.inputs[i]; }
  ValueId output() const { return node.outputs[0]; }
  const TensorType& type() const { return graph.type(output()); }
  bool is(ValueId value, OpRole role) const { return isMadeBy(graph, value, role); }
  const Attributes& attributesOf(ValueId value) const {
    return producerOf(graph, value).attributes;
  }
  /// Returns the value if it has the type of the output, otherwise an invalid id.
  ValueId ifSameType(ValueId value) const {
    return graph.type(value) == type() ? value : ValueId{};
  }
};

struct Rule {
  // The role of the ops that the rule examines
  OpRole role;
  // Returns an invalid id if the rule does not apply
  ValueId (*apply)(const Candidate&);
};

/// Applies the rules to all nodes, and repeats this until no rule applies or a maximum number of
/// rounds is reached. The report says `done`, such as "simplified", before the op of each changed
/// node.
void applyRules(Graph& graph, std::span<const Rule> rules, std::string_view done,
                PassReport& report);

}  // namespace strata

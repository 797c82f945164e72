// SPDX-License-Identifier: Apache-2.0
// Passes that are tables of small rules. Each rule looks at one node and returns the value that
// replaces its output. Thread: edit the given graph only.
#pragma once

#include <span>

#include "gpu/passes/rewrite.h"

namespace strata {

/// The node that a rule looks at.
struct Candidate {
  Graph& graph;
  NodeId id;
  // A copy: rules add nodes
  const Node node;
  ValueId input(size_t i) const { return node.inputs[i]; }
  ValueId output() const { return node.outputs[0]; }
  const TensorType& type() const { return graph.type(output()); }
  bool is(ValueId value, std::string_view op) const {
    return producerOf(graph, value).op->name == op;
  }
  const Attributes& attributesOf(ValueId value) const {
    return producerOf(graph, value).attributes;
  }
  /// The value if it has the output's type, otherwise an invalid id.
  ValueId ifSameType(ValueId value) const {
    return graph.type(value) == type() ? value : ValueId{};
  }
};

struct Rule {
  const char* op;
  // Returns an invalid id if the rule does not apply
  ValueId (*apply)(const Candidate&);
};

/// Walks over the graph until no rule applies. `done`: the word for a changed node in the report.
void applyRules(Graph& graph, std::span<const Rule> rules, std::string_view done,
                PassReport& report);

}  // namespace strata

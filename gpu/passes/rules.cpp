// SPDX-License-Identifier: Apache-2.0
#include "gpu/passes/rules.h"

namespace strata {
namespace {

/// Applies the first rule that matches this node. Returns whether a rule replaced its output.
bool applyTo(Graph& graph, NodeId id, std::span<const Rule> rules, std::string_view done,
             PassReport& report) {
  for (const Rule& rule : rules) {
    if (graph.node(id).op->role != rule.role) continue;
    const Candidate candidate{graph, id, graph.node(id)};
    const int before = graph.numNodes();
    ValueId result;
    {
      const ReplacementScope scope(graph, id);
      result = rule.apply(candidate);
    }
    if (!result.isValid()) continue;
    if (!canStandIn(graph, result, candidate.output())) {
      for (int made = graph.numNodes(); made-- > before;)
        removeIfUnused(graph, NodeId{made});
      continue;
    }
    note(report, candidate.node, std::string(done) + " " + candidate.node.op->name);
    replaceValue(graph, candidate.output(), result);
    return true;
  }
  return false;
}

}  // namespace

void applyRules(Graph& graph, std::span<const Rule> rules, std::string_view done,
                PassReport& report) {
  // Each round visits all nodes in execution order. A rule can therefore use what the rules made of
  // the operands of a node in the same round, so two rounds usually suffice.
  constexpr int kMaxRounds = 16;
  for (int round = 0; round < kMaxRounds; ++round) {
    bool isChanged = false;
    const std::vector<NodeId> order = graph.order();
    for (NodeId id : order) {
      graph.checkStop();
      if (graph.isAlive(id)) isChanged = applyTo(graph, id, rules, done, report) || isChanged;
    }
    if (!isChanged) return;
  }
}

}  // namespace strata

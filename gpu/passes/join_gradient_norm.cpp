// SPDX-License-Identifier: Apache-2.0
// Computes the norm of the gradients in the op that checks whether they are finite, so that they
// are read once.
//
//   before:  step, d1, d2 -> gradient_norm -> norm
//            d1, d2, loss -> all_finite -> flag
//   after:   d1, d2, loss -> all_finite_and_norm {measured=2} -> flag, norm
//
// Every step then computes the norm, because it hardly takes time. A norm that is unknown, as after
// split_guard, stays.
#include <algorithm>
#include <set>

#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

/// Returns the all_finite that checks all gradients of a norm, or an invalid id.
NodeId checkOf(const Graph& graph, const std::vector<ValueId>& gradients) {
  const std::set<ValueId> wanted(gradients.begin(), gradients.end());
  for (const Use& use : graph.value(gradients.front()).uses) {
    const Node& check = graph.node(use.node);
    if (check.op->role != OpRole::AllFinite || check.attributes.get<int64_t>("pairs") > 0 ||
        check.attributes.get<bool>("chained"))
      continue;
    const std::set<ValueId> checked(check.inputs.begin(), check.inputs.end());
    if (std::ranges::includes(checked, wanted)) return use.node;
  }
  return {};
}

}  // namespace

void joinGradientNorm(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (!device.joinsGradientNorm) return;
  const auto found = std::ranges::find_if(
      graph.order(), [&](NodeId id) { return graph.node(id).op->role == OpRole::GradientNorm; });
  if (found == graph.order().end()) return;
  const NodeId normId = *found;
  const Node norm = graph.node(normId);
  std::vector<ValueId> inputs(norm.inputs.begin() + 1, norm.inputs.end());
  // A node that reads the norm could come before the check
  if (inputs.empty() || norm.attributes.get<int64_t>("pairs") > 0 ||
      !graph.value(norm.outputs[0]).uses.empty())
    return;
  const NodeId checkId = checkOf(graph, inputs);
  if (!checkId.isValid()) return;
  const Node check = graph.node(checkId);
  Attributes attributes{{"measured", static_cast<int64_t>(inputs.size())}};
  for (const ValueId input : check.inputs)
    if (std::ranges::find(inputs, input) == inputs.end()) inputs.push_back(input);
  NodeId joined;
  {
    const ReplacementScope scope(graph, checkId);
    joined =
        graph.addNode(opNamed("all_finite_and_norm"), std::move(inputs), std::move(attributes));
  }
  graph.edit().replaceAllUses(check.outputs[0], graph.node(joined).outputs[0]);
  graph.edit().replaceAllUses(norm.outputs[0], graph.node(joined).outputs[1]);
  graph.edit().removeNode(normId);
  graph.edit().removeNode(checkId);
  note(report, graph.node(joined), "computes the norm of the gradients with their check");
}

}  // namespace strata

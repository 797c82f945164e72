// SPDX-License-Identifier: Apache-2.0
// Makes a step fit a memory limit. The pass runs updates as soon as their gradients are ready and
// chooses kernels with less workspace. It recomputes forward values in the backward pass instead of
// keeping them. chooseRecompute() decides where. A repeated node has the same op and operands, so
// results have the same bits. Only the first run of a node updates moving averages.
//
//   before:  a = conv2d(x, w)              after:  a = conv2d(x, w)
//            b = activation(a)                     b = activation(a)
//            ...                                   ...
//            dw = conv2d_backward_weights(b, d)    b' = activation(a)
//            ...                                   dw = conv2d_backward_weights(b', d)
//            w' = sgd_update(w, dw, ..)            w' = sgd_update(w, dw, ..)
//                                                  ...
#include <algorithm>
#include <map>

#include "gpu/memory/liveness.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

/// Maps each new node to the node that it repeats.
using Originals = std::map<NodeId, NodeId>;

Originals apply(Graph& graph, const RecomputeChoice& choice) {
  Originals originals;
  std::map<ValueId, ValueId> again;
  // The operands of nodes that read repeated values, before that. A view in the backward pass can
  // read a repeated value and be repeated itself
  std::map<NodeId, std::vector<ValueId>> before;
  std::vector<NodeId> order;
  for (const StepEntry& entry : orderOfChoice(graph, choice)) {
    const auto changed = before.find(entry.node);
    std::vector<ValueId> inputs =
        changed == before.end() ? graph.node(entry.node).inputs : changed->second;
    if (!entry.isRepeat && std::ranges::find(entry.readsRepeat, true) != entry.readsRepeat.end())
      before.emplace(entry.node, inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (entry.readsRepeat[i]) inputs[i] = again.at(inputs[i]);
    if (!entry.isRepeat) {
      for (size_t i = 0; i < inputs.size(); ++i)
        if (entry.readsRepeat[i]) graph.edit().setInput(entry.node, static_cast<int>(i), inputs[i]);
      if (entry.slices != 1) graph.edit().mutableNode(entry.node).slices = entry.slices;
      order.push_back(entry.node);
      continue;
    }
    const Node node = graph.node(entry.node);
    const Scope scope(graph, node.layer, Phase::Backward, Category::Activation);
    const NodeId id = graph.addNode(*node.op, std::move(inputs), node.attributes);
    graph.edit().mutableNode(id).slices = entry.slices;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      graph.edit().setCategory(graph.node(id).outputs[i], graph.value(node.outputs[i]).category);
      again.emplace(node.outputs[i], graph.node(id).outputs[i]);
    }
    originals.emplace(id, entry.node);
    order.push_back(id);
  }
  graph.edit().setOrder(std::move(order));
  return originals;
}

/// Returns the size of the memory plan of the graph. Unlike RecomputeChoice::lowerBoundBytes, it
/// includes the gaps between the packed values.
size_t packedBytes(const Graph& graph, const Originals& originals,
                   const RecomputeOptions& options) {
  std::vector<size_t> workspaces;
  if (options.workspaces)
    for (const NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      workspaces.push_back(0);
      if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View) continue;
      const auto original = originals.find(id);
      for (const WorkspaceChoice& choice :
           options.workspaces(graph, original == originals.end() ? id : original->second))
        if (choice.slices == node.slices) workspaces.back() = choice.bytes;
    }
  return planMemory(graph, workspaces, options.inPlace, options.alignment).peakBytes();
}

/// Returns the total size of a step's values, as if no two values shared memory.
size_t bytesOfAll(const Graph& graph) {
  size_t bytes = 0;
  for (const NodeId id : graph.order())
    for (const ValueId value : graph.node(id).outputs)
      bytes += graph.type(value).bytes();
  return bytes;
}

}  // namespace

void applyRecompute(Graph& graph, const RecomputeChoice& choice) { apply(graph, choice); }

namespace {

/// Does the same as recomputeToFit(), but keeps the guard.
RecomputeChoice fit(Graph& graph, const RecomputeOptions& options) {
  constexpr int kAttempts = 7;
  RecomputeOptions target = options;
  // The bytes reserved for gaps; they are at least doubled after each attempt
  size_t reserve = options.limitBytes / 1000;
  for (int attempt = 1;; ++attempt) {
    const RecomputeChoice choice = chooseRecompute(graph, target);
    Graph changed = graph;
    const Originals originals = choice.changesSomething() ? apply(changed, choice) : Originals();
    const size_t bytes = packedBytes(changed, originals, options);
    const bool isDone = options.how == Recompute::All || bytes <= options.limitBytes ||
                        choice.lowerBoundBytes > target.limitBytes;
    if (isDone || attempt == kAttempts) {
      graph = std::move(changed);
      return choice;
    }
    reserve = std::max(2 * reserve, bytes - options.limitBytes);
    target.limitBytes = options.limitBytes - std::min(options.limitBytes, reserve);
  }
}

}  // namespace

RecomputeChoice recomputeToFit(Graph& graph, const RecomputeOptions& options) {
  Graph split = graph;
  if (options.how == Recompute::None || !splitGuard(split)) return fit(graph, options);
  // With one flag for all updates, none can run early. They get flags of their own only if the
  // limit requires it.
  RecomputeOptions guarded = options;
  guarded.mayUpdateEarly = false;
  if (options.how == Recompute::Auto) guarded.how = Recompute::None;
  Graph kept = graph;
  const RecomputeChoice late = fit(kept, guarded);
  const auto needed = [&] {
    return options.how == Recompute::All ? late.lowerBoundBytes : packedBytes(graph, {}, options);
  };
  if (needed() <= options.limitBytes) {
    graph = std::move(kept);
    return late;
  }
  const RecomputeChoice early = fit(split, options);
  graph = std::move(early.changesSomething() ? split : kept);
  return early.changesSomething() ? early : late;
}

void recompute(Graph& graph, PassReport& report, const RecomputeOptions& options) {
  if (options.how == Recompute::None) return;
  if (options.how == Recompute::Auto && options.skipsSmallSteps &&
      bytesOfAll(graph) < options.limitBytes / 2)
    return;
  const Graph before = graph;
  const RecomputeChoice choice = recomputeToFit(graph, options);
  if (!choice.changesSomething()) return;
  for (const NodeId id : choice.repeated)
    note(report, before.node(id), before.node(id).op->name + " runs again in the backward pass");
  for (const ShrunkWorkspace& shrunk : choice.shrunk)
    note(report, before.node(shrunk.node),
         before.node(shrunk.node).op->name + (shrunk.isRepeat ? " (when it runs again)" : "") +
             " runs in slices with " + std::to_string(shrunk.choice.bytes) +
             " bytes of workspace instead of " + std::to_string(shrunk.usualBytes));
  if (choice.updatesEarly) {
    ++report.rewrites;
    report.details.emplace_back("updates run as soon as their gradients are ready");
  }
  const size_t bytes = choice.lowerBoundBytes;
  const bool isAbove = options.how == Recompute::Auto && bytes > options.limitBytes;
  std::string summary = "peak " + std::to_string(bytes) + " bytes without gaps, ";
  if (isAbove) summary += std::to_string(bytes - options.limitBytes) + " above the limit, ";
  summary += std::to_string(
      static_cast<int>(100 * choice.extraSeconds / std::max(choice.stepSeconds, 1e-12) + 0.5));
  report.details.push_back(summary + "% more time, estimated from the ops' costs");
}

}  // namespace strata

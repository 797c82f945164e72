// SPDX-License-Identifier: Apache-2.0
// Chooses how a step can fit a memory limit, and estimates the extra time. The choice first moves
// updates right after their gradients, and then uses kernels with a smaller workspace. Finally, it
// recomputes forward values in the backward pass instead of keeping them. A node is repeated at
// most once, right before its first use in the backward pass. Sources, updates and nodes with only
// small outputs are never repeated.
// Not here: the rewrite of the graph, which is the pass `recompute` (gpu/passes).
// Thread: any, while no other thread changes the graph.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "gpu/graph/graph.h"
#include "gpu/memory/plan.h"

namespace strata {

enum class Recompute : uint8_t {
  // Change nothing
  None,
  // Recompute as little as the limit requires
  Auto,
  // Use as little memory as possible, regardless of the limit and the extra time
  All,
};

/// A variant of a node's kernel. Variants with less workspace take more time, but give the same
/// bits.
struct WorkspaceChoice {
  size_t bytes = 0;
  // The value of Node::slices; 1 is the fastest variant
  int64_t slices = 1;
  // The time of this variant divided by the time of the fastest one
  double slowdown = 1;
};

struct RecomputeOptions {
  Recompute how = Recompute::None;
  // The limit of the whole plan: variables, inputs and arena
  size_t limitBytes = std::numeric_limits<size_t>::max();
  // Whether the pass `recompute` does nothing, with `how` = Auto, if all values of a step together
  // need less than half of the limit. The memory of the step is then not examined.
  bool skipsSmallSteps = false;
  // Whether updates may run before all gradients are known
  bool mayUpdateEarly = true;
  // Have the same meaning as for planMemory()
  bool inPlace = true;
  size_t alignment = kHostAlignment;
  /// Returns the variants of a node's kernel, at least one: first the fastest, then the others by
  /// decreasing workspace. If the function is empty, no kernel has a workspace.
  std::function<std::vector<WorkspaceChoice>(const Graph&, NodeId)> workspaces = {};
};

/// One execution of a node in a step in which some nodes run twice.
struct StepEntry {
  NodeId node;
  bool isRepeat = false;
  int64_t slices = 1;
  // For each operand, whether the node reads the recomputed value
  std::vector<char> readsRepeat;
};

/// A node, or its repetition, that runs with a smaller workspace.
struct ShrunkWorkspace {
  NodeId node;
  bool isRepeat = false;
  WorkspaceChoice choice;
  // The workspace of the fastest variant
  size_t usualBytes = 0;
};

/// A choice of how to run a step.
struct RecomputeChoice {
  // The repeated nodes in the graph's order. Views of them are repeated if necessary.
  std::vector<NodeId> repeated;
  std::vector<ShrunkWorkspace> shrunk;
  // Whether each update runs as soon as its gradient is ready. Gradients are then not kept until
  // the end of the step.
  bool updatesEarly = false;
  // MemoryPlan::lowerBoundBytes of the resulting step
  size_t lowerBoundBytes = 0;
  // The extra time for repeated nodes and smaller workspaces, by the ops' cost rules
  double extraSeconds = 0;
  // The time of all nodes without this choice, by the same rules
  double stepSeconds = 0;
  bool changesSomething() const { return !repeated.empty() || updatesEarly || !shrunk.empty(); }
};

/// Returns the time of a node in seconds.
using NodeSeconds = std::function<double(const Graph&, NodeId)>;

/// Returns the time of a node by its op's cost rule, for a machine with about two cores. The time
/// is meant for comparing nodes, not for display.
double costSeconds(const Graph& graph, NodeId node);

/// Searches for a fast choice that needs at most options.limitBytes. If none fits, or if
/// options.how is All, returns the choice with the least memory that was found. The result is
/// deterministic.
RecomputeChoice chooseRecompute(const Graph& graph, const RecomputeOptions& options);
/// Returns the execution order of a step that follows `choice`.
std::vector<StepEntry> orderOfChoice(const Graph& graph, const RecomputeChoice& choice);
/// Returns MemoryPlan::lowerBoundBytes of a step that follows `choice`. Only tests use it.
size_t boundOfChoice(const Graph& graph, const RecomputeOptions& options,
                     const RecomputeChoice& choice);
}  // namespace strata

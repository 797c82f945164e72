// SPDX-License-Identifier: Apache-2.0
// Chooses how a step can fit a memory limit, and what that costs: first updates right after their
// gradients, then kernels with a smaller workspace, then forward values that are recomputed in the
// backward pass instead of kept. A node is repeated at most once, right before its first use in the
// backward pass. Sources, updates and small values are never repeated.
// Not here: the rewrite, which is the pass `recompute` (gpu/passes). Nothing is measured or
// allocated.
// Thread: pure.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

enum class Recompute : uint8_t {
  // Change nothing
  None,
  // Recompute as little as the limit requires
  Auto,
  // Recompute whatever saves memory, regardless of the limit
  All,
};

/// A variant of a node's kernel with less workspace and more time. The results have the same bits.
struct WorkspaceChoice {
  size_t bytes = 0;
  // The node's attribute `slices`; 1 is the fastest variant
  int64_t slices = 1;
  // Its time divided by that of the fastest variant
  double slowdown = 1;
};

struct RecomputeOptions {
  Recompute how = Recompute::None;
  // Limit of the whole plan: variables, inputs and arena
  size_t limitBytes = std::numeric_limits<size_t>::max();
  // As for planMemory()
  bool inPlace = true;
  /// The variants of a node's kernel, at least one: the fastest first, then by decreasing
  /// workspace. Empty: no kernel has a workspace.
  std::function<std::vector<WorkspaceChoice>(const Graph&, NodeId)> workspaces = {};
};

/// An entry in the order of a step in which some nodes run twice.
struct StepEntry {
  NodeId node;
  bool isRepeat = false;
  int64_t slices = 1;
  // By operand: whether it reads the recomputed value
  std::vector<char> readsRepeat;
};

/// A node, or its repetition, that runs with a smaller workspace.
struct ShrunkWorkspace {
  NodeId node;
  bool isRepeat = false;
  WorkspaceChoice choice;
  size_t usualBytes = 0;
};

/// A choice of how to run a step.
struct RecomputeChoice {
  // In the graph's order; views of these nodes are repeated as needed
  std::vector<NodeId> repeated;
  std::vector<ShrunkWorkspace> shrunk;
  // Each update runs as soon as its gradient is ready, so that gradients are not kept until the end
  // of the step
  bool updatesEarly = false;
  // MemoryPlan::lowerBoundBytes of the resulting plan
  size_t lowerBoundBytes = 0;
  // Extra time for repeated nodes and smaller workspaces, by the ops' cost rules
  double extraSeconds = 0;
  // The time of all nodes by the same rules: extraSeconds / stepSeconds is the relative cost
  double stepSeconds = 0;
  bool changesSomething() const { return !repeated.empty() || updatesEarly || !shrunk.empty(); }
};

/// The time of a node in seconds.
using NodeSeconds = std::function<double(const Graph&, NodeId)>;

/// The time of a node by its op's cost rule, for a machine with about two cores. For comparing
/// nodes, not for display.
double costSeconds(const Graph& graph, NodeId node);

/// The cheapest choice found with at most options.limitBytes; if there is none, the smallest one,
/// whose bound is above the limit. The same graph and options always give the same choice.
RecomputeChoice chooseRecompute(const Graph& graph, const RecomputeOptions& options);
/// The order of a step that follows `choice`.
std::vector<StepEntry> orderOfChoice(const Graph& graph, const RecomputeChoice& choice);
/// MemoryPlan::lowerBoundBytes of a step that follows `choice`. For tests and for comparing
/// choices.
size_t boundOfChoice(const Graph& graph, const RecomputeOptions& options,
                     const RecomputeChoice& choice);
}  // namespace strata

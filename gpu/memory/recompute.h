// SPDX-License-Identifier: Apache-2.0
// Which values of the forward part are made again in the backward part instead of being kept, and
// which kernels run in less workspace, so that a step fits a memory limit, and what that costs.
// Updates right behind their gradients come first, then smaller workspaces, then repetitions. Pure:
// it looks at a graph and answers; the rewrite itself is the pass `recompute` (gpu/passes). Nothing
// is measured or allocated here. A node is repeated at most once, right before its first reader in
// the backward part; sources, updates and small values never are.
// Thread: pure.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

enum class Recompute : uint8_t {
  // Everything stays as it is
  None,
  // As little as the limit asks for
  Auto,
  // As far as it saves memory, whatever the limit
  All,
};

/// A way to run a node: fewer bytes of workspace for more time. The bits of its results are the
/// same.
struct WorkspaceChoice {
  size_t bytes = 0;
  // The node's attribute; 1: as fast as it goes
  int64_t slices = 1;
  // Its time over that of the fastest
  double longer = 1;
};

struct RecomputeOptions {
  Recompute how = Recompute::None;
  // Of the whole plan: variables, inputs and arena
  size_t limitBytes = std::numeric_limits<size_t>::max();
  // As planMemory
  bool inPlace = true;
  /// Of a node's kernel, the fastest first, then by falling bytes; one at least. Empty: none has a
  /// workspace.
  std::function<std::vector<WorkspaceChoice>(const Graph&, NodeId)> workspaces = {};
};

/// The order of a step in which some nodes run twice.
struct StepEntry {
  NodeId node;
  bool isRepeat = false;
  int64_t slices = 1;
  // By operand: it reads what was made again
  std::vector<char> readsRepeat;
};

/// A node, or its repetition, that runs in less workspace.
struct ShrunkWorkspace {
  NodeId node;
  bool isRepeat = false;
  WorkspaceChoice choice;
  size_t usualBytes = 0;
};

/// One way to run a step.
struct RecomputeChoice {
  // In the graph's order; views of them are repeated as needed
  std::vector<NodeId> repeated;
  std::vector<ShrunkWorkspace> shrunk;
  // Each update runs as soon as its gradient is there, so that gradients need not wait for the
  // step's end
  bool updatesEarly = false;
  // Of the plan this gives, as MemoryPlan::lowerBoundBytes
  size_t lowerBoundBytes = 0;
  // Of the repeated nodes and the smaller workspaces, by the cost rules of their ops
  double extraSeconds = 0;
  // Of all nodes, likewise: extraSeconds / stepSeconds is the share that is lost
  double stepSeconds = 0;
  bool changesSomething() const { return !repeated.empty() || updatesEarly || !shrunk.empty(); }
};

/// What a node takes, in seconds.
using NodeSeconds = std::function<double(const Graph&, NodeId)>;

/// Time of a node from its op's cost rule on a machine of about two cores: for comparing nodes with
/// one another, not for people.
double costSeconds(const Graph& graph, NodeId node);

/// The cheapest way found to stay at or below options.limitBytes; where none is found, the smallest
/// (its bound is then above the limit). The same graph and options always give the same choice.
RecomputeChoice chooseRecompute(const Graph& graph, const RecomputeOptions& options);
/// The order of a step that runs by `choice`.
std::vector<StepEntry> orderOfChoice(const Graph& graph, const RecomputeChoice& choice);
/// What MemoryPlan::lowerBoundBytes will be for a choice. For tests, and for trying choices.
size_t boundOfChoice(const Graph& graph, const RecomputeOptions& options,
                     const RecomputeChoice& choice);
}  // namespace strata

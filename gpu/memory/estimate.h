// SPDX-License-Identifier: Apache-2.0
// Estimates the memory, the bytes moved and the time of a step from its graph. It uses the ops'
// cost rules and the live ranges of values. It does not place values in memory, measure times or
// include the workspaces of kernels. Its running time is linear in the size of the graph.
// Thread: any, while no other thread changes the graph.
#pragma once

#include <cstddef>

#include "gpu/memory/recompute.h"

namespace strata {

struct StepEstimate {
  // The maximum number of bytes of variables, constants, inputs and intermediate values that are
  // live at once. It equals MemoryPlan::lowerBoundBytes without workspaces.
  size_t peakBytes = 0;
  // Bytes read and written by all nodes
  double movedBytes = 0;
  // The sum of the times of all nodes
  double seconds = 0;
};

/// Estimates a step. `inPlace` and `alignment` have the same meaning as for planMemory(). `seconds`
/// returns the time of a node. If it is empty, costSeconds() is used, which only suffices for
/// comparing graphs.
StepEstimate estimateStep(const Graph& graph, bool inPlace, const NodeSeconds& seconds = {},
                          size_t alignment = kHostAlignment);

}  // namespace strata

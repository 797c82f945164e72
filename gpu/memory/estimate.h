// SPDX-License-Identifier: Apache-2.0
// Estimates the memory, bytes moved and time of a step from its graph alone: from the ops' cost
// rules and the live ranges of values. Nothing is packed, measured or allocated, and workspaces of
// kernels are not included. The time is linear in the size of the graph. Thread: pure.
#pragma once

#include <cstddef>

#include "gpu/memory/recompute.h"

namespace strata {

struct StepEstimate {
  // The most bytes live at once (variables, inputs and values): MemoryPlan::lowerBoundBytes without
  // workspaces
  size_t peakBytes = 0;
  // Bytes read and written by all nodes
  double movedBytes = 0;
  // Sum over all nodes
  double seconds = 0;
};

/// inPlace: as for planMemory(). seconds: the time of a node; empty: costSeconds(), which is meant
/// for comparing graphs.
StepEstimate estimateStep(const Graph& graph, bool inPlace, const NodeSeconds& seconds = {});

}  // namespace strata

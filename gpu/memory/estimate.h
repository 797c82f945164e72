// SPDX-License-Identifier: Apache-2.0
// What a step will need, from its graph alone: memory, bytes moved, time. By the cost rules of its
// ops and the live ranges of its values; nothing is packed, measured or allocated, and workspaces
// of kernels are not known here. Linear in the size of the graph. Thread: pure.
#pragma once

#include <cstddef>

#include "gpu/memory/recompute.h"

namespace strata {

struct StepEstimate {
  // Most bytes live at once: variables, inputs and values; MemoryPlan::lowerBoundBytes without
  // workspaces
  size_t peakBytes = 0;
  // Read and written by all nodes
  double movedBytes = 0;
  // Of all nodes
  double seconds = 0;
};

/// inPlace: as planMemory(). seconds: empty: costSeconds(), which is for comparing one graph with
/// another.
StepEstimate estimateStep(const Graph& graph, bool inPlace, const NodeSeconds& seconds = {});

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Divides the graph of a step into parts, one for each device, which run at the same time. A part
// sends values to others where they need them. All nodes keep their operands and kernels, so that
// the parts compute the bits of the whole step.
// Thread: the functions are pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/compile/placement.h"
#include "gpu/graph/graph.h"

namespace strata {

/// A value that a device sends to another one in each step.
struct StepTransfer {
  int from = 0, to = 0;
  // The layer that computes it, or "" for values of the whole step
  std::string layer;
  Phase phase = Phase::Forward;
  size_t bytes = 0;
};

struct CutStep {
  // By device. The first part has all outputs of the step.
  std::vector<Graph> parts;
  // By number
  std::vector<StepTransfer> transfers;
};

/// Divides a step after the passes. Requires: no update changes variables of several layers.
CutStep cutStep(const Graph& step, const Placement& placement);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Predicts the time of a step on this processor, node by node, from its graph, its memory plan and
// a calibration; nothing runs. The time of a node is the work of its kernel at measured prices,
// plus the extra time for operands that are no longer in a near cache. The order and the plan's
// addresses tell when each byte was last accessed.
// Not here: GPUs (roofline.h). Thread: pure, apart from the temporary kernels it creates.
#pragma once

#include <vector>

#include "gpu/cost/calibration.h"
#include "gpu/memory/liveness.h"
#include "gpu/memory/recompute.h"

namespace strata {

struct NodePrediction {
  NodeId node;
  double seconds = 0;
  // The part of `seconds` for operands that are no longer in a near cache
  double memorySeconds = 0;
  // workName() of present_speed.h
  std::string work;
};

struct StepPrediction {
  // The nodes and the start of the step
  double seconds = 0;
  // The nodes that run, in order
  std::vector<NodePrediction> nodes;
};

/// The time of one kernel with operands in the cache. Families without a price use the limits of
/// processor and memory.
double secondsOf(const NodeWork& work, const Calibration& calibration);

/// The same time, with the data for the extra cost of distant operands.
struct PricedWork {
  double seconds = 0;
  // The distance at which the price was measured
  double warmBytes = 0;
  // The share of the time for distant operands that is not hidden
  double exposed = 0;
};
PricedWork priceOf(const NodeWork& work, const Calibration& calibration);

/// The time of single nodes with operands in the cache, to show what a pass saves. Requires:
/// `backend` as for predictStep().
NodeSeconds calibratedSeconds(Backend& backend, const Calibration& calibration);

struct PresentSpeed;
/// `speed`: factors for the calibrated times. Requires: a plan of this graph; `backend` is the CPU
/// backend with the calibration's number of workers. Fails: UnsupportedOp naming the layer.
StepPrediction predictStep(const Graph& graph, const MemoryPlan& plan, Backend& backend,
                           const Calibration& calibration, const PresentSpeed* speed = nullptr);

}  // namespace strata

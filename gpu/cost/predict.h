// SPDX-License-Identifier: Apache-2.0
// How long a step will take on this processor, node by node, from its graph, its memory plan and a
// calibration; nothing runs. A node costs the work of its kernel at measured prices, plus what its
// operands cost beyond the caches they were measured in: how far back each byte was last touched
// follows from the order and the plan's addresses. Not here: GPUs (roofline.h). Thread: pure but
// for the kernels it makes and drops.
#pragma once

#include <vector>

#include "gpu/cost/calibration.h"
#include "gpu/memory/liveness.h"
#include "gpu/memory/recompute.h"

namespace strata {

struct NodePrediction {
  NodeId node;
  double seconds = 0;
  // Of these: for operands that are not in a near cache any more
  double memorySeconds = 0;
  // workName() of present_speed.h
  std::string work;
};

struct StepPrediction {
  // Nodes and the start of the step
  double seconds = 0;
  // In order; those that run
  std::vector<NodePrediction> nodes;
};

/// What one kernel takes with warm operands. Families without a price count by the limits of
/// processor and memory.
double secondsOf(const NodeWork& work, const Calibration& calibration);

/// The same with what says how far operands weigh.
struct PricedWork {
  double seconds = 0;
  // The distance its price was measured at
  double warmBytes = 0;
  // Share of what far operands take
  double exposed = 0;
};
PricedWork priceOf(const NodeWork& work, const Calibration& calibration);

/// What nodes take one by one, their operands touched a moment ago: for telling what a pass saves.
/// Requires: `backend` as predictStep.
NodeSeconds calibratedSeconds(Backend& backend, const Calibration& calibration);

struct PresentSpeed;
/// `speed`: factors on what the calibration says. Requires: a plan of this graph, `backend` the CPU
/// backend with the calibration's number of workers. Fails: UnsupportedOp naming the layer.
StepPrediction predictStep(const Graph& graph, const MemoryPlan& plan, Backend& backend,
                           const Calibration& calibration, const PresentSpeed* speed = nullptr);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Predicts the time of each node of a step on this processor, from the graph, its memory plan and a
// calibration. No kernel runs. The time of a node is the work of its kernel at measured prices. If
// operands are no longer in a near cache, extra time is added. The order of the nodes and the
// addresses in the plan say when each byte was last accessed.
// Not here: GPUs (roofline.h). Thread: only the thread that may use the device.
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
  // The result of workName() (present_speed.h)
  std::string work;
};

struct StepPrediction {
  // The time of all nodes and of the start of the step, or of inputs and results
  double seconds = 0;
  // The parts of `seconds` for inputs and results, and for waiting for the exchange with other
  // cards; on a simulated card
  double transferSeconds = 0, communicationSeconds = 0;
  // The nodes that have a kernel, in execution order
  std::vector<NodePrediction> nodes;
};

/// Returns the time of one kernel with operands in the cache. If its family has no price, the time
/// is estimated from the limits of processor and memory.
double secondsOf(const NodeWork& work, const Calibration& calibration);

/// The time of a kernel with operands in the cache, and what determines the extra time for operands
/// that are not in the cache (farSeconds()).
struct PricedWork {
  // The result of secondsOf()
  double seconds = 0;
  // The typical operand size of the kernels that determined the price
  double warmBytes = 0;
  // The part of farSeconds() that arithmetic does not hide
  double exposed = 0;
};
PricedWork priceOf(const NodeWork& work, const Calibration& calibration);

/// Returns a function that predicts the time of a node, to show what a pass saves. The function
/// needs no memory plan. It assumes that since the last access to an operand, as many bytes were
/// accessed as the operands of the node have in total.
/// Requires: the same as predictStep().
NodeSeconds calibratedSeconds(Device& device, const Calibration& calibration);

struct PresentSpeed;
/// Predicts a step. If `speed` is not null, its factors are applied to the calibrated times.
/// Requires: `plan` is a plan of this graph. `device` is the CPU device and has as many workers
/// as the calibration.
/// Fails: UnsupportedOp with the layer as subject.
StepPrediction predictStep(const Graph& graph, const MemoryPlan& plan, Device& device,
                           const Calibration& calibration, const PresentSpeed* speed = nullptr);

}  // namespace strata

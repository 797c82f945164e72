// SPDX-License-Identifier: Apache-2.0
// Predicts the time of a step on a simulated card by the clock of the card (gpu/cost/card_clock.h),
// without running it. A run on the card has exactly these times. They contain all nodes of the
// step, the launches that fill its inputs and gather its results, and the time for which it waits
// for the exchange with equal cards of the process; but not the copies between host and card, which
// overlap with other steps.
// Not here: the processor (gpu/cost/predict.h), cards that cannot be simulated
// (gpu/cost/roofline.h).
// Thread: only the thread that may use the device.
#pragma once

#include <chrono>

#include "gpu/cost/predict.h"

namespace strata {

/// Returns the times of a step and its nodes in whole nanoseconds. Creates the kernels of the graph
/// if they do not exist yet.
/// Requires: device.isSimulated(), and `memory` is a plan of this graph. Fails: as
/// Device::createKernel().
StepPrediction predictSimulatedStep(const Graph& graph, const MemoryPlan& memory, Device& device);

/// Returns a function that predicts the time of a node in any stage of a graph, with the default
/// kernel if a user has chosen an algorithm. Nodes for which the card has no kernel get
/// costSeconds(); passes replace them.
/// Requires: device.isSimulated(). The device must outlive the function.
NodeSeconds simulatedSeconds(Device& device);

/// Returns the time that a step takes to fill its inputs and gather its results.
/// Requires: as predictSimulatedStep().
std::chrono::nanoseconds transferTime(const Graph& graph, const MemoryPlan& memory, Device& device);

}  // namespace strata

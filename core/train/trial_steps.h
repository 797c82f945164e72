// SPDX-License-Identifier: Apache-2.0
// Times a training step by running it on zeros. Not here: predicting times (gpu/cost). Thread: only
// the thread of the network may call these functions.
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "core/runs/layer_times.h"
#include "core/train/network.h"

namespace strata {

/// The time of a step and of its parts, in microseconds.
struct StepTiming {
  double microseconds = 0;
  // Times by NodeId.index, scaled to a step without profiling
  std::map<int, double> byNode;
  LayerTimes layers;
};

/// Prepares and initializes the network, then times it. Fails with the errors of Network::prepare,
/// or with Stopped.
StepTiming timeSteps(Network& network, const std::stop_token& stop);

}  // namespace strata

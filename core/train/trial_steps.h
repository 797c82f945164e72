// SPDX-License-Identifier: Apache-2.0
// Times a training step by running it on zeros. Not here: predicting times (gpu/cost). Thread: the
// thread of the network.
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "core/train/network.h"

namespace strata {

/// In microseconds.
struct StepTiming {
  double microseconds = 0;
  // By NodeId.index, scaled to a step without profiling
  std::map<int, double> byNode;
  // By layer; a Block counts with all its layers, which are also listed
  std::map<std::string, double> byLayer;
};

/// Prepares and initializes the network, then times it. Fails like Network::prepare; Stopped.
StepTiming timeSteps(Network& network, const std::stop_token& stop);

}  // namespace strata

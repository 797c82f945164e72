// SPDX-License-Identifier: Apache-2.0
// What a training step takes, by trying it on data of zeros. Thread: as Network.
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "core/train/network.h"

namespace strata {

/// In microseconds.
struct StepTiming {
  double microseconds = 0;
  // By NodeId.index, as shares of a step that is not measured node by node
  std::map<int, double> byNode;
  // Of a Block with all in it, and of each layer in it
  std::map<std::string, double> byLayer;
};

/// Prepares and initializes the network. Fails: as Network::prepare; Stopped.
StepTiming timeSteps(Network& network, const std::stop_token& stop);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// The time of one training step by layer. Predictions, trial steps and profiles of runs all use it,
// so that the command line and every view of the window show the same figure.
// Not here: predicting and measuring (core/train), kernels (kernel_profile.h).
// Thread: plain values.
#pragma once

#include <map>
#include <string>

#include "gpu/graph/graph.h"

namespace strata {

struct ProfileSnapshot;

/// Times in microseconds. `step` is about the sum of all layers outside Blocks, `update`, `other`,
/// `transfers`, `communication` and, in a run, the wait for data.
struct LayerTimes {
  // Time of the forward and backward passes by layer. A Block includes its layers, and a layer of a
  // Block has a row for each repetition ("block/3/conv") and one for all of them ("block/conv").
  std::map<std::string, double> byLayer;
  // Updates of the weights of all layers
  double update = 0;
  // Nodes that belong to no layer: loss, metrics, inputs
  double other = 0;
  // Filling the inputs and gathering the results, and waiting for the exchange with other cards; on
  // a simulated card
  double transfers = 0, communication = 0;
  // The whole step
  double step = 0;

  /// Adds the time of a node. `layer` is the layer in the graph, such as "block/3/conv".
  void add(const std::string& layer, Phase phase, double microseconds);
  /// Returns the time of a layer; 0 if it is not timed separately.
  double of(const std::string& layer) const;
};

/// Returns the times of a step in a profile. They are empty if no step was measured node by node.
LayerTimes layerTimesOf(const ProfileSnapshot& profile);

}  // namespace strata

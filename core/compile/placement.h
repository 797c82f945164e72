// SPDX-License-Identifier: Apache-2.0
// Which device computes which layer, if several devices compute a network together (model
// parallelism).
// Not here: how a step is divided (cut_step.h).
// Thread: plain values.
#pragma once

#include <map>
#include <string>

#include "core/model/model.h"
#include "gpu/graph/graph.h"

namespace strata {

struct Placement {
  int numDevices = 1;
  // The device of each layer by its path, such as "block/layer", and of each Block
  std::map<std::string, int, std::less<>> devices;
  /// Returns the device of a layer of the graph, such as "block/3/layer", or 0 for "".
  int deviceOf(const std::string& graphLayer) const;
};

/// Returns whether a layer names another device than the first one.
bool placesLayers(const Model& model);

/// Reads the field `device` of the layers. A layer without it is on the device of its first input,
/// and a layer of a Block on that of the Block.
/// Fails: InvalidProject with the layer if there is no such device.
Placement placementOf(const Model& model, int numDevices, const std::string& deviceName);

/// Divides the layers, in the order of the network, so that the device that needs the most memory
/// needs as little as possible. `step` is a training step before the passes.
Placement proposedPlacement(const Model& model, const Graph& step, int numDevices);

}  // namespace strata

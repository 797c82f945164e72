// SPDX-License-Identifier: Apache-2.0
#include "core/train/planned_parts.h"

#include <set>

#include "core/train/planned_step.h"
#include "gpu/devices/device_name.h"

namespace strata {

PlannedParts planDevices(StepBuilder& steps) {
  PlannedParts result;
  if (!steps.placement()) return result;
  const MicroBatch piece = steps.microBatchesOf(steps.batchSize()).back();
  const StepGraph step = steps.stepGraph(StepMode::Train, piece.samples, piece.step);
  CutStep cut = cutStep(step.graph, *steps.placement());
  const std::vector<std::string> names = DeviceName(steps.deviceName()).each();
  for (size_t rank = 0; rank < cut.parts.size(); ++rank) {
    PlannedDevice device;
    device.name = names[rank];
    device.peakBytes = planGraph(steps, cut.parts[rank]).peakBytes();
    std::set<std::string> seen;
    for (const NodeId id : cut.parts[rank].order()) {
      const std::string layer = cut.parts[rank].node(id).layer;
      if (!layer.empty() && steps.placement()->deviceOf(layer) == static_cast<int>(rank) &&
          seen.insert(layer).second)
        device.layers.push_back(layer);
    }
    result.devices.push_back(std::move(device));
  }
  result.transfers = std::move(cut.transfers);
  return result;
}

}  // namespace strata

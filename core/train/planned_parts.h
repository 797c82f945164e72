// SPDX-License-Identifier: Apache-2.0
// What each device does in a step whose layers are on several devices: its layers and memory, and
// what devices send each other.
// Thread: the functions use the given step builder, so the caller's rules apply.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/compile/cut_step.h"
#include "core/train/step_builder.h"

namespace strata {

struct PlannedDevice {
  // Such as "cpu:1"
  std::string name;
  // The paths of its layers, in the order of the network
  std::vector<std::string> layers;
  size_t peakBytes = 0;
};

struct PlannedParts {
  std::vector<PlannedDevice> devices;
  // In the order of the step
  std::vector<StepTransfer> transfers;
};

/// Returns nothing if each device computes all layers.
PlannedParts planDevices(StepBuilder& steps);

}  // namespace strata

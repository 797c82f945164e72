// SPDX-License-Identifier: Apache-2.0
#include "core/runs/energy.h"

#include <algorithm>

namespace strata {

RunEnergy energyOf(const RunStart& start, std::span<const DeviceSummary> devices,
                   int64_t trainedSamples) {
  RunEnergy energy;
  if (start.firstStep > 0) {
    energy.problem = {STRATA_TEXT("energy", "the run was continued, and earlier parts are missing"),
                      {}};
    return energy;
  }
  if (start.processes.size() > 1) {
    energy.problem = {STRATA_TEXT("energy", "the devices of other processes are missing"), {}};
    return energy;
  }
  if (devices.empty()) {
    energy.problem = {STRATA_TEXT("energy", "the run has no states of its devices"), {}};
    return energy;
  }
  for (const DeviceSummary& device : devices) {
    if (device.isSimulated) {
      energy.problem = {STRATA_TEXT("energy", "%1 is simulated"), {device.device}};
      return energy;
    }
    if (!device.energy.isKnown()) {
      energy.problem = {STRATA_TEXT("energy", "%1 does not report its power"), {device.device}};
      return energy;
    }
    energy.joules += device.energy.joules;
    energy.seconds = std::max(energy.seconds, device.energy.seconds);
  }
  if (trainedSamples > 0)
    energy.joulesPerSample = energy.joules / static_cast<double>(trainedSamples);
  return energy;
}

}  // namespace strata

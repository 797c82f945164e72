// SPDX-License-Identifier: Apache-2.0
#include "core/cost/speed_limits.h"

#include "core/cost/calibration_file.h"
#include "core/cost/catalogue.h"
#include "gpu/base/error.h"
#include "gpu/devices/device_name.h"
#include "gpu/exec/device.h"

namespace strata {

double SpeedLimits::flopsOf(const std::string& precision) const {
  for (const auto& [name, rate] : flopsPerSecond)
    if (name == precision) return rate;
  return flopsPerSecond.empty() ? 0 : flopsPerSecond.front().second;
}

static SpeedLimits limitsOfCard(const std::string& name) {
  SpeedLimits limits;
  const CatalogueMatch match = findInCatalogue(deviceCatalogue(), name);
  if (match.devices.size() != 1) {
    limits.source = "the catalogue of cards has no data sheet of " + name;
    return limits;
  }
  const CatalogueDevice& card = *match.devices.front();
  for (size_t i = 0; i < kPrecisions.size(); ++i)
    if (card.flopsPerSecond[i])
      limits.flopsPerSecond.emplace_back(kPrecisions[i], *card.flopsPerSecond[i]);
  limits.bytesPerSecond = card.bytesPerSecond;
  limits.source = "data sheet of " + card.name;
  return limits;
}

SpeedLimits limitsOf(Device& device) {
  if (!device.readsHostMemory()) {
    for (const auto& [what, text] : device.versions())
      if (what == "card") {
        const DeviceName name(text);
        return limitsOfCard(name.isSimulated() ? name.card : text);
      }
    return limitsOfCard(device.name());
  }
  SpeedLimits limits;
  const std::optional<Calibration> calibration = keptCalibration(device.numWorkers());
  if (!calibration || calibration->memory.empty()) {
    limits.source = "this machine is not calibrated for " + std::to_string(device.numWorkers()) +
                    " threads (strata plan and the window calibrate it)";
    return limits;
  }
  limits.flopsPerSecond.emplace_back(kPrecisions.front(), calibration->flopsPerSecond);
  limits.bytesPerSecond = calibration->memory.back().bytesPerSecond;
  limits.source =
      "calibration of this machine with " + std::to_string(device.numWorkers()) + " threads";
  if (calibration->isDisturbed()) limits.source += ", made while it was busy";
  return limits;
}

}  // namespace strata

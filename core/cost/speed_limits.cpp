// SPDX-License-Identifier: Apache-2.0
#include "core/cost/speed_limits.h"

#include "core/cost/calibration_file.h"
#include "core/cost/catalogue.h"
#include "gpu/base/error.h"
#include "gpu/devices/device_name.h"
#include "gpu/exec/device.h"

namespace strata {

// Each has one argument. A text with more words after the argument comes before the same text
// without them.
static constexpr Text kNotInCatalogue =
                          STRATA_TEXT("limits", "the catalogue of cards has no data sheet of %1"),
                      kDataSheet = STRATA_TEXT("limits", "data sheet of %1"),
                      kNotCalibrated = STRATA_TEXT(
                          "limits",
                          "this machine is not calibrated for %1 threads (strata plan and the "
                          "window calibrate it)"),
                      kBusyCalibration = STRATA_TEXT(
                          "limits",
                          "calibration of this machine with %1 threads, made while it was busy"),
                      kCalibration =
                          STRATA_TEXT("limits", "calibration of this machine with %1 threads");

std::optional<std::pair<Text, Arguments>> translatableSource(const std::string& source) {
  for (const Text& text :
       {kNotInCatalogue, kDataSheet, kNotCalibrated, kBusyCalibration, kCalibration}) {
    const std::string_view whole = text.source;
    const size_t place = whole.find("%1");
    const std::string_view before = whole.substr(0, place), after = whole.substr(place + 2);
    if (source.size() > before.size() + after.size() && source.starts_with(before) &&
        source.ends_with(after))
      return std::pair{text, Arguments{source.substr(place, source.size() + 2 - whole.size())}};
  }
  return std::nullopt;
}

double SpeedLimits::flopsOf(const std::string& precision) const {
  for (const auto& [name, rate] : flopsPerSecond)
    if (name == precision) return rate;
  return flopsPerSecond.empty() ? 0 : flopsPerSecond.front().second;
}

static SpeedLimits limitsOfCard(const std::string& name) {
  SpeedLimits limits;
  const CatalogueMatch match = findInCatalogue(deviceCatalogue(), name);
  if (match.devices.size() != 1) {
    limits.source = formatText(kNotInCatalogue, {name});
    return limits;
  }
  const CatalogueDevice& card = *match.devices.front();
  for (size_t i = 0; i < kPrecisions.size(); ++i)
    if (card.flopsPerSecond[i])
      limits.flopsPerSecond.emplace_back(kPrecisions[i], *card.flopsPerSecond[i]);
  limits.bytesPerSecond = card.bytesPerSecond;
  limits.source = formatText(kDataSheet, {card.name});
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
  const std::string threads = std::to_string(device.numWorkers());
  const std::optional<Calibration> calibration = keptCalibration(device.numWorkers());
  if (!calibration || calibration->memory.empty()) {
    limits.source = formatText(kNotCalibrated, {threads});
    return limits;
  }
  limits.flopsPerSecond.emplace_back(kPrecisions.front(), calibration->flopsPerSecond);
  limits.bytesPerSecond = calibration->memory.back().bytesPerSecond;
  limits.source =
      formatText(calibration->isDisturbed() ? kBusyCalibration : kCalibration, {threads});
  return limits;
}

}  // namespace strata

// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/plan_parts.h"

#include <iostream>
#include <map>
#include <tuple>

#include "core/project/text.h"
#include "gpu/base/bytes.h"

namespace strata::cli {
namespace {

const char* nameOf(Phase phase) {
  if (phase == Phase::Forward) return "forward";
  return phase == Phase::Backward ? "backward" : "update";
}

}  // namespace

Json devicesToJson(const PlannedParts& parts) {
  Json devices = Json::array();
  for (const PlannedDevice& device : parts.devices)
    devices.push_back(
        {{"device", device.name}, {"layers", device.layers}, {"peak_bytes", device.peakBytes}});
  return devices;
}

Json transfersToJson(const PlannedParts& parts) {
  Json transfers = Json::array();
  for (const StepTransfer& each : parts.transfers)
    transfers.push_back({{"from", parts.devices[static_cast<size_t>(each.from)].name},
                         {"to", parts.devices[static_cast<size_t>(each.to)].name},
                         {"layer", each.layer},
                         {"phase", nameOf(each.phase)},
                         {"bytes", each.bytes}});
  return transfers;
}

void print(const PlannedParts& parts) {
  if (parts.devices.empty()) return;
  std::cout << "\n";
  for (const PlannedDevice& device : parts.devices) {
    std::cout << device.name << ": " << bytesText(static_cast<double>(device.peakBytes))
              << " at the predicted peak; computes ";
    for (size_t i = 0; i < device.layers.size(); ++i)
      std::cout << (i > 0 ? ", " : "") << device.layers[i];
    std::cout << (device.layers.empty() ? "no layer\n" : "\n");
  }
  // Values of one layer that go the same way together
  std::map<std::tuple<Phase, int, int, std::string>, size_t> bytes;
  for (const StepTransfer& each : parts.transfers)
    bytes[{each.phase, each.from, each.to, each.layer}] += each.bytes;
  for (const auto& [way, sum] : bytes) {
    const auto& [phase, from, to, layer] = way;
    std::cout << parts.devices[static_cast<size_t>(from)].name << " sends "
              << parts.devices[static_cast<size_t>(to)].name << " "
              << bytesText(static_cast<double>(sum)) << " in each step: " << nameOf(phase)
              << (layer.empty() ? "" : ", " + layer) << "\n";
  }
}

}  // namespace strata::cli

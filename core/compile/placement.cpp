// SPDX-License-Identifier: Apache-2.0
#include "core/compile/placement.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "gpu/base/error.h"

namespace strata {
namespace {

/// Returns the device that a layer names, or -1.
int ownDevice(const Layer& layer) {
  const auto device = layer.fields->find("device");
  return device == layer.fields->end() || device->is_null() ? -1 : device->get<int>();
}

void place(const Model& model, int inherited, const std::string& deviceName,
           Placement& placement) {
  std::map<std::string, int, std::less<>> byName;
  for (const Layer& layer : model.layers) {
    int device = ownDevice(layer);
    if (device >= placement.numDevices)
      throw Error(ErrorCode::InvalidProject, layer.path,
                  "device is " + std::to_string(device) + ", but the devices are " + deviceName +
                      " (expected " +
                      (placement.numDevices == 1
                           ? std::string("0")
                           : "0 to " + std::to_string(placement.numDevices - 1)) +
                      "). Choose another device, or more devices.");
    if (device < 0)
      device = layer.inputs.empty() ? inherited : byName[layer.inputs.front()];
    byName[layer.name] = device;
    placement.devices[layer.path] = device;
    if (layer.inner) place(*layer.inner, device, deviceName, placement);
  }
}

}  // namespace

int Placement::deviceOf(const std::string& graphLayer) const {
  for (std::string path = pathOfLayer(graphLayer); !path.empty();) {
    if (const auto found = devices.find(path); found != devices.end()) return found->second;
    const size_t slash = path.rfind('/');
    path.resize(slash == std::string::npos ? 0 : slash);
  }
  return 0;
}

bool placesLayers(const Model& model) {
  return std::ranges::any_of(model.layers, [](const Layer& layer) {
    return ownDevice(layer) > 0 || (layer.inner && placesLayers(*layer.inner));
  });
}

Placement placementOf(const Model& model, int numDevices, const std::string& deviceName) {
  Placement placement;
  placement.numDevices = numDevices;
  place(model, 0, deviceName, placement);
  return placement;
}

}  // namespace strata

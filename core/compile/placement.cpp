// SPDX-License-Identifier: Apache-2.0
#include "core/compile/placement.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

/// Returns the device that a layer names, or -1.
int ownDevice(const Layer& layer) {
  const auto device = layer.fields->find("device");
  return device == layer.fields->end() || device->is_null() ? -1 : device->get<int>();
}

void place(const Model& model, int inherited, const std::string& deviceName, Placement& placement) {
  std::map<std::string, int, std::less<>> byName;
  for (const Layer& layer : model.layers) {
    int device = ownDevice(layer);
    if (device >= placement.numDevices)
      throw Error(
          ErrorCode::InvalidProject, layer.path,
          "device is " + std::to_string(device) + ", but the devices are " + deviceName +
              " (expected " +
              (placement.numDevices == 1 ? std::string("0")
                                         : "0 to " + std::to_string(placement.numDevices - 1)) +
              "). Choose another device, or more devices.");
    if (device < 0) device = layer.inputs.empty() ? inherited : byName[layer.inputs.front()];
    byName[layer.name] = device;
    placement.devices[layer.path] = device;
    if (layer.inner) place(*layer.inner, device, deviceName, placement);
  }
}

/// Returns the bytes that each layer of the network keeps: variables, and results of the forward
/// pass.
std::map<std::string, size_t> keptBytes(const Graph& step) {
  std::map<std::string, size_t> result;
  for (const NodeId id : step.order()) {
    const Node& node = step.node(id);
    const bool isVariable = node.op->role == OpRole::Variable;
    if (node.layer.empty() || node.op->kind == OpKind::View ||
        (!isVariable && node.phase != Phase::Forward))
      continue;
    for (const ValueId value : node.outputs)
      result[rowOfLayer(node.layer)] += step.type(value).bytes();
  }
  return result;
}

/// Returns the device of each layer if none keeps more than `most` bytes; an empty list if that
/// needs more devices. Each device gets a layer.
std::vector<int> divided(const std::vector<size_t>& bytes, size_t most, int numDevices) {
  std::vector<int> result;
  size_t own = 0;
  int device = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const bool isLate = bytes.size() - i < static_cast<size_t>(numDevices - device);
    if (i > 0 && (own + bytes[i] > most || isLate)) {
      ++device;
      own = 0;
    }
    if (device == numDevices || bytes[i] > most) return {};
    own += bytes[i];
    result.push_back(device);
  }
  return result;
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

Placement proposedPlacement(const Model& model, const Graph& step, int numDevices) {
  const std::map<std::string, size_t> kept = keptBytes(step);
  std::vector<size_t> bytes;
  for (const Layer& layer : model.layers) {
    const auto found = kept.find(layer.name);
    bytes.push_back(found == kept.end() ? 0 : found->second);
  }
  // The smallest limit under which the layers fit
  size_t tooFew = 0, enough = std::accumulate(bytes.begin(), bytes.end(), size_t{0});
  while (enough - tooFew > 1) {
    const size_t middle = tooFew + (enough - tooFew) / 2;
    (divided(bytes, middle, numDevices).empty() ? tooFew : enough) = middle;
  }
  const std::vector<int> devices = divided(bytes, enough, numDevices);
  Placement placement;
  placement.numDevices = numDevices;
  for (size_t i = 0; i < model.layers.size(); ++i)
    placement.devices[model.layers[i].path] = devices[i];
  return placement;
}

Placement placementOf(const Model& model, int numDevices, const std::string& deviceName) {
  Placement placement;
  placement.numDevices = numDevices;
  place(model, 0, deviceName, placement);
  return placement;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "core/cost/open_device.h"

#include <charconv>

#include "core/cost/catalogue.h"
#include "core/cost/cudnn_properties.h"
#include "gpu/cuda/cuda_device.h"

namespace strata {
namespace {

CardData cardDataOf(const CatalogueDevice& device) {
  CardData card;
  card.name = device.name;
  const std::string& capability = device.computeCapability;
  const char* const end = capability.data() + capability.size();
  const auto [point, error] = std::from_chars(capability.data(), end, card.major);
  if (error == std::errc() && point != end) std::from_chars(point + 1, end, card.minor);
  card.cores = device.cores;
  card.megahertz = device.boostMegahertz;
  card.memoryBytes = device.memoryBytes;
  card.bytesPerSecond = device.bytesPerSecond;
  for (size_t i = 0; i < card.flopsPerSecond.size(); ++i)
    card.flopsPerSecond[i] = device.flopsPerSecond[i].value_or(0);
  card.cudnnProperties = cudnnPropertiesOf(device);
  return card;
}

}  // namespace

std::unique_ptr<Device> openNamedDevice(const std::string& name, DeviceOptions options) {
  if (name.starts_with(kSimulatedPrefix)) {
    const std::string card = name.substr(std::string(kSimulatedPrefix).size());
    options.card = std::make_shared<CardData>(cardDataOf(catalogueDevice(deviceCatalogue(), card)));
  }
  return openDevice(name, options);
}

}  // namespace strata

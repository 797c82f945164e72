// SPDX-License-Identifier: Apache-2.0
#include "core/cost/open_device.h"

#include "core/cost/simulated_card.h"
#include "gpu/devices/device_name.h"

namespace strata {

std::unique_ptr<Device> openNamedDevice(const std::string& name, DeviceOptions options) {
  if (!DeviceName(name).isSimulated()) return openDevice(name, options);
  const std::string own = ownDeviceName(name);
  const std::string card = DeviceName(own).card;
  options.card = std::make_shared<CardData>(cardDataOf(catalogueDevice(deviceCatalogue(), card)));
  return openDevice(own, options);
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Opens a device by the name that users write. A name "simulated:..." means a card of the catalogue
// (catalogue.h), which gpu/devices does not know.
// Thread: any.
#pragma once

#include <memory>
#include <string>

#include "gpu/devices/devices.h"

namespace strata {

/// Like openDevice(), and finds the card of a simulated device.
/// Fails: as openDevice() and ownDeviceName() (simulated_card.h).
std::unique_ptr<Device> openNamedDevice(const std::string& name, DeviceOptions options);

}  // namespace strata

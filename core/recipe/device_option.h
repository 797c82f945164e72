// SPDX-License-Identifier: Apache-2.0
// Reads the options of /execution that name devices.
// Not here: opening devices (core/cost/open_device.h).
// Thread: the functions have no side effects, so any thread may call them.
#pragma once

#include "core/recipe/option_reader.h"
#include "core/recipe/options.h"

namespace strata {

/// Replaces a list of devices in the fields of `execution` by one name, or reports why there is
/// none.
void readDeviceList(OptionReader& reader, Json& known);
/// Checks ExecutionOptions::device, and replaces the name of a simulated card by the device's own
/// name.
void readDevice(OptionReader& reader, ExecutionOptions& options);

/// Reads memory limits by device: {"cpu": bytes, ...}. Checks but does not store limits for devices
/// that only later versions support.
void readMemoryLimits(OptionReader& reader, const Json& limits, ExecutionOptions& options,
                      Diagnostics& diagnostics);

}  // namespace strata

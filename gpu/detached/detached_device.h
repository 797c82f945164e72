// SPDX-License-Identifier: Apache-2.0
// A device for tests. It computes with the kernels of the CPU, but behaves like a GPU: host code
// that reads its memory ends the program by a fault, inputs must be copied to it, and steps are
// done only when several others were submitted or somebody waits. Results have the bits of the CPU.
// Thread: see Device.
#pragma once

#include <memory>

#include "gpu/exec/device.h"

namespace strata {

inline constexpr const char* kDetachedDevice = "detached";

std::unique_ptr<Device> makeDetachedDevice(const DeviceOptions& options);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Lists the NVIDIA GPUs of this machine, and why they are not usable.
// Not here: what the machine lacks, and how to get it (machine_report.h).
// Thread: any.
#pragma once

#include <vector>

#include "gpu/cuda/interface.h"
#include "gpu/devices/devices.h"

namespace strata {

/// Returns the GPUs that the driver lists. If there are none, the only entry is "cuda:0" with the
/// reason. The first call asks the driver.
const std::vector<DeviceInfo>& listGpus();
/// Returns the entry of listGpus() with this name, or null.
const DeviceInfo* findGpu(std::string_view name);
/// Returns whether "cuda:0" is usable. It is quick where no driver is installed.
bool firstGpuIsUsable();
/// Returns whether kernels for these architectures, such as "75 80", run on a GPU with compute
/// capability `capability`, such as 86: machine code on the same major number, and the PTX of the
/// last architecture on later GPUs.
bool hasKernelsFor(std::string_view architectures, int capability);
/// Returns the GPUs that these functions of a driver list; empty if a function fails.
std::vector<DeviceInfo> listGpus(const StrataDriverTable& driver);

}  // namespace strata

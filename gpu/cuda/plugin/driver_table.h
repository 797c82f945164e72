// SPDX-License-Identifier: Apache-2.0
// NVIDIA's driver: opens libcuda.so.1 and fills the table of its functions. Says what is missing if
// there is no usable driver.
// Thread: any; the driver is opened once and stays open.
#pragma once

#include <string>

#include "gpu/cuda/interface.h"

namespace strata::plugin {

/// Returns the functions of the driver, or null and a reason if no card can be used.
const StrataDriverTable* driverTable(std::string& reason);

}  // namespace strata::plugin

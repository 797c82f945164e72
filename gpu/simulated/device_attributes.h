// SPDX-License-Identifier: Apache-2.0
// The attributes of a simulated card, as the driver of a real one reports them.
// Thread: any.
#pragma once

#include "gpu/cuda/interface.h"

namespace strata::simulated {

/// Writes an attribute of the card to `value`. Returns a result of the driver.
int deviceAttribute(const StrataSimulatedCard& card, int attribute, int& value);

}  // namespace strata::simulated

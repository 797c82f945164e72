// SPDX-License-Identifier: Apache-2.0
// What cards of several processes do together, for simulated cards: values travel through sockets
// of this machine. Sums are in the order of the processes.
// Thread: as the table.
#pragma once

#include "gpu/cuda/interface.h"

namespace strata::simulated {

StrataCollectives simulatedCollectives();

}  // namespace strata::simulated

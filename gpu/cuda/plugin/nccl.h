// SPDX-License-Identifier: Apache-2.0
// Sums over the cards of several processes by NCCL.
// Thread: as the table.
#pragma once

#include "gpu/cuda/interface.h"

namespace strata::plugin {

/// Returns functions that fail with STRATA_STATUS_MISSING_LIBRARY where NCCL is not installed.
StrataCollectives ncclCollectives();

}  // namespace strata::plugin

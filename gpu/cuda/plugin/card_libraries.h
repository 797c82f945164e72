// SPDX-License-Identifier: Apache-2.0
// Real cards: the driver, and cuDNN, cuBLASLt and NVRTC for one card.
// Not here: simulated cards (gpu/simulated).
// Thread: any.
#pragma once

#include <string>

#include "gpu/cuda/interface.h"

namespace strata::plugin {

/// Fills the tables for the card with this ordinal. Returns a status, and a problem if it is not 0.
int openRealCard(int32_t ordinal, StrataCardTables& tables, std::string& problem);

}  // namespace strata::plugin

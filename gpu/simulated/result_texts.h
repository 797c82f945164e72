// SPDX-License-Identifier: Apache-2.0
// The names and texts of results, as the driver has them.
// Thread: pure functions.
#pragma once

namespace strata::simulated {

/// Returns the name of a result, such as "CUDA_ERROR_INVALID_VALUE".
const char* resultName(int result);
const char* resultText(int result);

}  // namespace strata::simulated

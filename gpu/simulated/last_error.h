// SPDX-License-Identifier: Apache-2.0
// Why the last function of the driver on this thread failed.
// Thread: any; each has its own text.
#pragma once

#include <string>

namespace strata::simulated {

/// Sets the text. An empty one means that nothing is known.
void setLastError(const std::string& text);
/// Returns the text. It is valid until the next setLastError() on this thread.
const char* lastError();

}  // namespace strata::simulated

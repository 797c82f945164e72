// SPDX-License-Identifier: Apache-2.0
// The version of the program. Thread: any.
#pragma once

namespace strata {

constexpr const char* kStrataVersion = "strata 0.1.0";

}  // namespace strata

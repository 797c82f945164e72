// SPDX-License-Identifier: Apache-2.0
// Durations as texts for people. Thread: any.
#pragma once

#include <string>

namespace strata {

/// Formats a duration as a clock, such as "0:07" or "1:02:03".
std::string durationText(double seconds);

}  // namespace strata

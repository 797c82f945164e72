// SPDX-License-Identifier: Apache-2.0
// The clock that durations are measured with: steady, never set back. Not the time of day. Thread:
// any.
#pragma once

#include <chrono>

namespace strata {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace strata

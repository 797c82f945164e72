// SPDX-License-Identifier: Apache-2.0
// The monotonic clock for measuring durations. It does not provide the time of day.
// Thread: any.
#pragma once

#include <chrono>

namespace strata {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace strata

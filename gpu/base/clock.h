// SPDX-License-Identifier: Apache-2.0
// The monotonic clock for measuring durations. It does not provide the time of day.
// Thread: any.
#pragma once

#include <chrono>
#include <ctime>

namespace strata {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Returns the processor time that the calling thread has used.
inline std::chrono::nanoseconds threadProcessorTime() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace strata

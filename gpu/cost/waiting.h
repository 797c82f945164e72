// SPDX-License-Identifier: Apache-2.0
// How long this process waited for a processor. Thread: any.
#pragma once

namespace strata {

/// The total seconds that the living threads of this process were ready to run but waited for a
/// core; 0 if the system does not report it. On Linux this is the second number in
/// /proc/self/task/*/schedstat, in nanoseconds (Documentation/scheduler/sched-stats.rst).
double secondsWaitedForCores();

}  // namespace strata

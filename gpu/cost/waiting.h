// SPDX-License-Identifier: Apache-2.0
// Tells how long the threads of this process waited for a processor core. Thread: any.
#pragma once

namespace strata {

/// Returns the total seconds during which the existing threads of this process were ready to run
/// but waited for a core. Returns 0 if the system does not report it.
/// Source: the second number, in nanoseconds, in /proc/self/task/*/schedstat
/// (Documentation/scheduler/sched-stats.rst of Linux).
double secondsWaitedForCores();

}  // namespace strata

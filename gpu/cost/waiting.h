// SPDX-License-Identifier: Apache-2.0
// How long this process stood in line for a processor. Thread: any.
#pragma once

namespace strata {

/// Seconds that the living threads of this process, all together, were ready to run while others
/// had the cores. 0 where the system does not tell (Linux does: /proc/self/task/*/schedstat, whose
/// second number are nanoseconds on a run queue, see Documentation/scheduler/sched-stats.rst).
double secondsWaitedForCores();

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Tells how long the threads of this process waited for a processor core. Thread: any.
#pragma once

#include "gpu/base/clock.h"

namespace strata {

/// Returns the total seconds during which the existing threads of this process were ready to run
/// but waited for a core. Returns 0 if the system does not report it.
/// Source: the second number, in nanoseconds, in /proc/self/task/*/schedstat
/// (Documentation/scheduler/sched-stats.rst of Linux).
double secondsWaitedForCores();

/// Finds out whether other programs were busy while something was measured.
class WaitingWatch {
 public:
  WaitingWatch() : m_waited(secondsWaitedForCores()) {}
  /// Returns whether this many workers waited for a core during more than a tenth of the time since
  /// the object was created. Times that were measured meanwhile are too long.
  bool wasDisturbed(int workers) const;

 private:
  double m_waited;
  Clock::time_point m_start = Clock::now();
};

}  // namespace strata

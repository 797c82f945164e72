// SPDX-License-Identifier: Apache-2.0
// Where threads run: finds out whether a thread of this process gets a processor, and moves it to
// another one. The sets of processors that users or administrators allow are not changed.
// Thread: any.
#pragma once

#include <chrono>
#include <optional>

namespace strata {

/// Returns the system's number of the calling thread.
int threadNumber();
/// Returns for how long a thread of this process has had a processor since it started, or nullopt
/// if there is no such thread. While the thread runs, the time grows.
std::optional<std::chrono::nanoseconds> processorTime(int thread);
/// Moves a thread to the processor of the calling thread. It continues there when the calling
/// thread sleeps. Returns the processor, or -1 if the system does not allow it.
int moveHere(int thread);
/// Moves the calling thread to another processor, if it is on this one and may use another one.
void leaveProcessor(int processor);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/thread_place.h"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <mutex>

namespace strata {
namespace {

// Two threads that move a third one would read each other's temporary set of processors
std::mutex movingMutex;

/// Moves a thread by restricting it to some of its processors for a moment. 0 means the calling
/// thread. choose(set) removes the others from the set. Returns whether it was moved.
template <class Choose>
bool move(int thread, const Choose& choose) {
  const std::unique_lock lock(movingMutex, std::try_to_lock);
  cpu_set_t allowed;
  if (!lock || sched_getaffinity(thread, sizeof allowed, &allowed) != 0) return false;
  // A set of one processor may be that of another move, for example by the pool of the plug-in
  if (CPU_COUNT(&allowed) < 2) return false;
  cpu_set_t chosen = allowed;
  choose(chosen);
  if (CPU_COUNT(&chosen) == 0 || sched_setaffinity(thread, sizeof chosen, &chosen) != 0)
    return false;
  sched_setaffinity(thread, sizeof allowed, &allowed);
  return true;
}

}  // namespace

int threadNumber() {
  thread_local const int number = static_cast<int>(syscall(SYS_gettid));
  return number;
}

std::optional<std::chrono::nanoseconds> processorTime(int thread) {
  // The clock of a thread, as pthread_getcpuclockid() computes it. Unlike that function, the system
  // checks whether the thread still exists and belongs to this process
  constexpr unsigned kThreadClock = 6;
  const auto clock = static_cast<clockid_t>(~static_cast<unsigned>(thread) << 3 | kThreadClock);
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return std::nullopt;
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

int moveHere(int thread) {
  const int here = sched_getcpu();
  if (here < 0) return -1;
  const bool isMoved = move(thread, [here](cpu_set_t& set) {
    const bool isAllowed = CPU_ISSET(here, &set);
    CPU_ZERO(&set);
    if (isAllowed) CPU_SET(here, &set);
  });
  return isMoved ? here : -1;
}

void leaveProcessor(int processor) {
  if (processor < 0 || sched_getcpu() != processor) return;
  move(0, [processor](cpu_set_t& set) { CPU_CLR(processor, &set); });
}

}  // namespace strata

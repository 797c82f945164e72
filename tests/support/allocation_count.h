// SPDX-License-Identifier: Apache-2.0
// Counts the calls of malloc and related functions, which operator new also uses, and can make one
// call fail. The calls of all threads count, but only one thread may start and stop counting.
// Sanitizer builds have their own allocator, so nothing is counted there.
#pragma once

#include <cstdint>
#include <string>

namespace strata::test {

/// Returns why allocations cannot be counted, or "".
std::string whyNoAllocationCount();
void startCountingAllocations();
/// Stops counting. Returns the number of calls since counting started.
int64_t stopCountingAllocations();
/// Starts counting and makes the `number`-th call from now on fail. The first call has number 1.
void startWithFailure(int64_t number);
/// Returns the number of memory blocks that are currently allocated.
int64_t liveAllocations();
/// While an object of this class exists, allocations of its thread never fail and are counted
/// separately. Tests use this class around calls of another library.
class CountApart {
 public:
  CountApart();
  ~CountApart();
  CountApart(const CountApart&) = delete;
  CountApart& operator=(const CountApart&) = delete;
};
/// Returns the number of separately counted allocations since counting started.
int64_t allocationsApart();

}  // namespace strata::test

// SPDX-License-Identifier: Apache-2.0
// Counts the process's calls of malloc and related functions on request, and can make one of them
// fail; operator new calls them. Counts nothing in sanitizer builds, which have their own
// allocator. Thread: counts all threads; start and stop from one.
#pragma once

#include <cstdint>

namespace strata::test {

bool canCountAllocations();
void startCountingAllocations();
/// Calls since the start.
int64_t stopCountingAllocations();
/// As startCountingAllocations; the `number`-th call from now on, counted from 1, fails.
void startWithFailure(int64_t number);
/// Memory blocks that the process holds.
int64_t liveAllocations();
/// While an object exists, its thread's allocations count as another library's: they never fail and
/// are counted separately.
class CountApart {
 public:
  CountApart();
  ~CountApart();
  CountApart(const CountApart&) = delete;
  CountApart& operator=(const CountApart&) = delete;
};
// Since counting started.
int64_t allocationsApart();

}  // namespace strata::test

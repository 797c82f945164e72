// SPDX-License-Identifier: Apache-2.0
// Counts the process's calls of malloc and related functions on request, and can make one of them
// fail; operator new calls them. Counts nothing in sanitizer builds, which have their own
// allocator. Thread: counts all threads; start and stop from one.
#pragma once

#include <cstdint>

namespace strata::test {

bool canCountAllocations();
void startCountingAllocations();
/// Number since the start.
int64_t stopCountingAllocations();
/// As startCountingAllocations; the `number`-th from here on, counted from 1, finds no memory.
void startWithFailure(int64_t number);
/// Blocks of memory the process holds.
int64_t liveAllocations();
/// While one stands, what its thread allocates is another library's: it never fails, and is counted
/// apart.
class CountApart {
 public:
  CountApart();
  ~CountApart();
  CountApart(const CountApart&) = delete;
  CountApart& operator=(const CountApart&) = delete;
};
// Since the counting started
int64_t allocationsApart();

}  // namespace strata::test

// SPDX-License-Identifier: Apache-2.0
// Measures how much heap memory the process uses at most. It counts malloc and related functions,
// in sanitizer builds through the sanitizer's hooks. It does not count stacks and mapped files. Any
// thread may call these functions.
#pragma once

#include <cstddef>

namespace strata::fuzz {

bool canMeasureHeap();
/// Starts a measurement: resets the peak to the current heap size.
void startHeapPeak();
/// Returns how many bytes the peak lies above the heap size at the start.
size_t heapPeakBytes();

}  // namespace strata::fuzz

// SPDX-License-Identifier: Apache-2.0
// Bytes of memory that the process holds, and their peak since the last question. Counts malloc and
// related calls, and the sanitizer's. Not here: stacks and mapped files. Thread: any.
#pragma once

#include <cstddef>

namespace strata::fuzz {

bool canMeasureHeap();
/// Resets the peak.
void startHeapPeak();
/// Bytes above the number at the start.
size_t heapPeakBytes();

}  // namespace strata::fuzz

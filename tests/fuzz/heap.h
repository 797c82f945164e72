// SPDX-License-Identifier: Apache-2.0
// Measures the peak of the heap memory of the process. Calls of malloc and related functions count;
// sanitizer builds use the hooks of the sanitizer. Stacks and mapped files do not count. Any thread
// may call these functions.
#pragma once

#include <cstddef>

namespace strata::fuzz {

bool canMeasureHeap();
/// Starts a measurement by setting the peak to the current heap size.
void startHeapPeak();
/// Returns the difference in bytes between the peak and the heap size at the start of the
/// measurement.
size_t heapPeakBytes();

}  // namespace strata::fuzz

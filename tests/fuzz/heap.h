// SPDX-License-Identifier: Apache-2.0
// How many bytes of memory the process has asked for and not given back, and the most of it since
// it was asked last. Counts what malloc and its kin give, the sanitizer's ones, too. Not here:
// memory of stacks and mapped files. Thread: any.
#pragma once

#include <cstddef>

namespace strata::fuzz {

bool canMeasureHeap();
/// The peak begins anew.
void startHeapPeak();
/// Bytes beyond what there were at the start.
size_t heapPeakBytes();

}  // namespace strata::fuzz

// SPDX-License-Identifier: Apache-2.0
// What this processor can do at most with the threads of a pool, measured by micro-kernels:
// multiply-adds in registers, and reading and writing arrays.
// Not here: prices of kernels (calibration.h). Thread: the pool's caller.
#pragma once

#include <cstddef>

#include "gpu/base/thread_pool.h"

namespace strata {

/// Reading two arrays and writing one of them, over and over, in a working set of so many bytes in
/// all workers together.
struct MemorySpeed {
  double bytes = 0, bytesPerSecond = 0;
};

struct MachineLimits {
  // A multiply-add counts twice
  double flopsPerSecond = 0;
  // Of a working set that is larger than caches usually are
  MemorySpeed memory;
};

/// Some 10 milliseconds.
double measurePeakFlops(ThreadPool& pool);
/// Requires: `room` of `bytes` bytes, aligned as vectors are. Some 12 milliseconds.
MemorySpeed measureMemory(ThreadPool& pool, std::byte* room, size_t bytes);
/// Both, in a room of its own of up to 512 MiB: an eighth of the available memory where that is
/// less. Fails: OutOfMemory.
MachineLimits measureMachineLimits(ThreadPool& pool);

}  // namespace strata

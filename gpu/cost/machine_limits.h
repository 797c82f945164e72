// SPDX-License-Identifier: Apache-2.0
// Measures the limits of this processor with the threads of a pool, by micro-kernels: multiply-adds
// in registers, and reading and writing arrays.
// Not here: prices of kernels (calibration.h). Thread: the pool's caller.
#pragma once

#include <cstddef>

#include "gpu/base/thread_pool.h"

namespace strata {

/// The speed of repeatedly reading two arrays and writing one of them, with a working set of
/// `bytes` over all workers.
struct MemorySpeed {
  double bytes = 0, bytesPerSecond = 0;
};

struct MachineLimits {
  // A multiply-add counts twice
  double flopsPerSecond = 0;
  // For a working set larger than usual caches
  MemorySpeed memory;
};

/// Takes about 10 milliseconds.
double measurePeakFlops(ThreadPool& pool);
/// Requires: `room` has `bytes` bytes and is aligned for vectors. Takes about 12 milliseconds.
MemorySpeed measureMemory(ThreadPool& pool, std::byte* room, size_t bytes);
/// Measures both with temporary memory: 512 MiB, or an eighth of the available memory if that is
/// less. Fails: OutOfMemory.
MachineLimits measureMachineLimits(ThreadPool& pool);

}  // namespace strata

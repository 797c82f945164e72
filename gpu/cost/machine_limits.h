// SPDX-License-Identifier: Apache-2.0
// Measures the limits of this processor with small loops on the threads of a pool. One loop
// computes multiply-adds in registers, another one reads and writes arrays.
// Not here: prices of kernels (calibration.h). Thread: only the thread that may use the pool.
#pragma once

#include <cstddef>

#include "gpu/base/thread_pool.h"

namespace strata {

/// The rate at which all workers together read two arrays and write one of them repeatedly. The
/// arrays have `bytes` bytes in total.
struct MemorySpeed {
  double bytes = 0, bytesPerSecond = 0;
};

struct MachineLimits {
  // A multiply-add counts twice
  double flopsPerSecond = 0;
  // Measured with arrays that are larger than usual caches
  MemorySpeed memory;
};

/// Returns MachineLimits::flopsPerSecond, the peak rate of all workers together. Takes about 10
/// milliseconds.
double measurePeakFlops(ThreadPool& pool);
/// Measures the speed of memory with arrays that fill the `bytes` bytes at `room`. Takes about 12
/// milliseconds.
/// Requires: `room` has `bytes` bytes and is aligned to 64 bytes.
MemorySpeed measureMemory(ThreadPool& pool, std::byte* room, size_t bytes);
/// Measures both limits. It allocates 512 MiB temporarily, or an eighth of the available memory if
/// that is less. Fails: OutOfMemory.
MachineLimits measureMachineLimits(ThreadPool& pool);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// How many warps of a kernel a multiprocessor holds at once.
// Not here: measuring it; the figures follow from launches alone.
// Thread: plain values.
#pragma once

#include "gpu/cuda/driver_types.h"
#include "gpu/exec/kernel_record.h"

namespace strata::cuda {

/// Parts of a multiprocessor's warps, from 0 to 1; 0 if unknown.
struct Occupancy {
  // What registers, shared memory and block size allow
  double theoretical = 0;
  // What the grid fills on average if all blocks take equally long
  double average = 0;
};

/// What a multiprocessor has, as the driver reports it.
struct MultiprocessorLimits {
  int multiprocessors = 0;
  int threads = 0, blocks = 0, registers = 0;
  int64_t sharedBytes = 0, reservedSharedBytes = 0;
  /// Asks the driver. Limits that it does not report stay 0.
  static MultiprocessorLimits of(const StrataDriverTable& driver, CUdevice device);
  /// Computes the occupancy from block, grid, registers and shared memory of the record.
  Occupancy occupancy(const KernelRecord& kernel) const;
};

}  // namespace strata::cuda

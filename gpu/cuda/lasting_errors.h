// SPDX-License-Identifier: Apache-2.0
// The results of the driver after which a context answers nothing else: cuda.h says of them that
// the process must be started again. CUDA_ERROR_UNKNOWN counts as well, because most drivers that
// answer so have lost the GPU.
// Thread: pure functions.
#pragma once

#include "gpu/cuda/driver_types.h"

namespace strata::cuda {

// The names in cuda.h are those with CUDA_ERROR_ before them, such as
// CUDA_ERROR_NVLINK_UNCORRECTABLE; the plug-in compares the numbers.
inline constexpr int kEccUncorrectable = 214, kNvlinkUncorrectable = 220, kContained = 226,
                     kLaunchTimeout = 702, kContextIsDestroyed = 709, kAssert = 710,
                     kHardwareStackError = 714, kTensorMemoryLeak = 721, kExternalDevice = 911;

inline bool isLasting(int result) {
  switch (result) {
    case kEccUncorrectable:
    case kNvlinkUncorrectable:
    case kContained:
    case STRATA_CUDA_ILLEGAL_ADDRESS:
    case kLaunchTimeout:
    case kContextIsDestroyed:
    case kAssert:
    case kTensorMemoryLeak:
    case kExternalDevice:
    case STRATA_CUDA_UNKNOWN: return true;
    // Errors of the code that runs: illegal instructions, misaligned addresses, and others
    default: return result >= kHardwareStackError && result <= STRATA_CUDA_LAUNCH_FAILED;
  }
}

}  // namespace strata::cuda

// SPDX-License-Identifier: Apache-2.0
// The results of the driver after which a context answers nothing else.
// Thread: pure functions.
#pragma once

#include "gpu/cuda/driver_types.h"

namespace strata::cuda {

inline constexpr int kEccUncorrectable = 214, kLaunchTimeout = 702, kContextDestroyed = 709,
                     kAssert = 710, kHardwareStack = 714;

inline bool isLasting(int result) {
  return result == kEccUncorrectable || result == STRATA_CUDA_ILLEGAL_ADDRESS ||
         result == kLaunchTimeout || result == kContextDestroyed || result == kAssert ||
         result == STRATA_CUDA_UNKNOWN ||
         (result >= kHardwareStack && result <= STRATA_CUDA_LAUNCH_FAILED);
}

}  // namespace strata::cuda

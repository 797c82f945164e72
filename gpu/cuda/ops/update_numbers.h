// SPDX-License-Identifier: Apache-2.0
// The numbers of updates, from the attributes of their ops.
// Thread: the functions are pure.
#pragma once

#include "gpu/cuda/cuda_kernel.h"
#include "gpu/cuda/kernels/update.h"

namespace strata::cuda {

/// Returns what all updates have, without addresses.
UpdateScalars updateScalarsOf(const CudaSetup& setup, size_t rateInput);
SgdNumbers sgdNumbers(const CudaSetup& setup);
AdamNumbers adamNumbers(const CudaSetup& setup);
RmspropNumbers rmspropNumbers(const CudaSetup& setup);

}  // namespace strata::cuda

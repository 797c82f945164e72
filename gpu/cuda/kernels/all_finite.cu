// SPDX-License-Identifier: Apache-2.0
// Whether all elements of several tensors are finite. Each tensor clears a flag.
#include "gpu/cuda/kernels/device.cuh"

/// Writes 1, or the value of an earlier flag.
STRATA_GLOBAL all_finite_begin(float* flag, const float* earlier) {
  *flag = !earlier || *earlier != 0 ? 1.0f : 0.0f;
}
STRATA_KERNEL(all_finite_begin)

/// Writes 0 into the flag if an element is not finite. Several threads may write the same value.
STRATA_GLOBAL all_finite_f32(const float* x, int64_t count, float* flag) {
  for (int64_t i = strata::cuda::globalThread(); i < count; i += strata::cuda::numThreads())
    if (!isfinite(x[i])) *flag = 0.0f;
}
STRATA_KERNEL(all_finite_f32)

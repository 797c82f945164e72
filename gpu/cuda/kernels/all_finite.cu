// SPDX-License-Identifier: Apache-2.0
// Whether all elements of several tensors are finite.
#include "gpu/cuda/kernels/numbers.cuh"
#include "gpu/cuda/kernels/tensor_list.h"

namespace strata::cuda {

template <class T>
__device__ bool isFiniteFrom(const T* STRATA_RESTRICT x, int64_t first, int64_t count,
                             int64_t step) {
  // Without an early exit, so that loads overlap
  int32_t numBad = 0;
#pragma unroll 8
  for (int64_t i = first; i < count; i += step)
    numBad += isfinite(toFloat(x[i])) ? 0 : 1;
  return numBad == 0;
}

}  // namespace strata::cuda

/// Writes 1 if all elements are finite, otherwise 0. The flag is also 0 if `earlier` or `running`
/// is not null and its value is 0. `progress` is 0 between kernels. Its low half counts the blocks
/// that are done, and its high half the threads that have found a number that is not finite. The
/// last block writes the flag, which does not depend on the order of the blocks.
STRATA_GLOBAL all_finite(strata::cuda::TensorList list, float* flag, const float* earlier,
                         const float* running, unsigned long long* progress) {
  using namespace strata::cuda;
  const auto block = static_cast<int32_t>(blockIdx.x);
  int32_t low = 0, high = list.count;
  while (high - low > 1) {
    const int32_t middle = (low + high) / 2;
    (list.firstBlocks[middle] <= block ? low : high) = middle;
  }
  const int32_t end =
      low + 1 < list.count ? list.firstBlocks[low + 1] : static_cast<int32_t>(gridDim.x);
  const int64_t first =
      static_cast<int64_t>(block - list.firstBlocks[low]) * blockDim.x + threadIdx.x;
  const int64_t step = static_cast<int64_t>(end - list.firstBlocks[low]) * blockDim.x;
  const AddressBits address = list.addresses[low];
  const int64_t count = list.elements[low];
  bool isFinite = true;
  if (list.types[low] == kBf16)
    isFinite = isFiniteFrom(pointerOf<const bf16>(address), first, count, step);
  else if (list.types[low] == kF16)
    isFinite = isFiniteFrom(pointerOf<const f16>(address), first, count, step);
  else
    isFinite = isFiniteFrom(pointerOf<const float>(address), first, count, step);
  constexpr unsigned long long kBad = 1ull << 32;
  if (!isFinite) atomicAdd(progress, kBad);
  // The threads of the block have counted before the block counts
  __syncthreads();
  if (threadIdx.x != 0) return;
  const unsigned long long before = atomicAdd(progress, 1ull);
  if (before % kBad + 1 != gridDim.x) return;
  const bool goesOn = (!earlier || *earlier != 0) && (!running || *running != 0);
  *flag = before < kBad && goesOn ? 1.0f : 0.0f;
  *progress = 0;
}
STRATA_COOPERATIVE_KERNEL(all_finite)

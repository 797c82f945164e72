// SPDX-License-Identifier: Apache-2.0
// Whether all elements of several tensors are finite. Each tensor clears a flag.
#include "gpu/cuda/kernels/numbers.cuh"
#include "gpu/cuda/kernels/tensor_list.h"

namespace strata::cuda {

template <class T>
__device__ bool isFiniteFrom(const T* STRATA_RESTRICT x, int64_t first, int64_t count,
                             int64_t step) {
  bool result = true;
  for (int64_t i = first; i < count; i += step)
    result = result && isfinite(toFloat(x[i]));
  return result;
}

}  // namespace strata::cuda

/// Writes 1, or the value of an earlier flag.
STRATA_GLOBAL all_finite_begin(float* flag, const float* earlier) {
  *flag = !earlier || *earlier != 0 ? 1.0f : 0.0f;
}
STRATA_KERNEL(all_finite_begin)

/// Writes 0 into the flag if an element is not finite. Several threads may write the same value.
STRATA_GLOBAL all_finite(strata::cuda::TensorList list, float* flag) {
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
  if (!isFinite) *flag = 0.0f;
}
STRATA_KERNEL(all_finite)

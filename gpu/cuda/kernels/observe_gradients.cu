// SPDX-License-Identifier: Apache-2.0
// Whether all elements of several tensors are finite, and the norm of these tensors.
#include "gpu/cuda/kernels/numbers.cuh"
#include "gpu/cuda/kernels/tensor_list.h"

namespace strata::cuda {

struct Observed {
  int32_t numBad = 0;
  float squares = 0;
};

template <class T>
__device__ Observed observe(const T* STRATA_RESTRICT x, int64_t first, int64_t count,
                            int64_t step) {
  // Without an early exit, so that loads overlap
  Observed all;
#pragma unroll 8
  for (int64_t i = first; i < count; i += step) {
    const float value = toFloat(x[i]);
    all.numBad += isfinite(value) ? 0 : 1;
    all.squares += value * value;
  }
  return all;
}

}  // namespace strata::cuda

/// Reads each tensor once. Without `flag`, `norm` or `partial`, it does not compute what they are
/// for.
///
/// The flag is 1 if all elements are finite, otherwise 0. It is also 0 if `earlier` or `running` is
/// not null and its value is 0. The norm is that of the first `measured` tensors. Block i writes
/// its sum of squares to partial[firstBlock + i], and the last launch, which has `norm`, adds all
/// of them in their order. If `update` is not null, the norm is NaN except in the updates 1,
/// 1 + interval and so on, or always if `interval` is 0, and nothing else is done.
///
/// `progress` is 0 between kernels. Its low half counts the blocks that are done, and its high half
/// the threads that have found a number that is not finite. The last block writes the results,
/// which do not depend on the order of the blocks.
STRATA_GLOBAL observe_gradients(strata::cuda::TensorList list, float* flag, const float* earlier,
                                const float* running, int32_t measured, const int64_t* update,
                                int64_t interval, float* partial, int32_t firstBlock, float* norm,
                                unsigned long long* progress) {
  using namespace strata::cuda;
  const auto block = static_cast<int32_t>(blockIdx.x);
  if (update && (interval == 0 || *update % interval != 1 % interval)) {
    if (norm && block == 0 && threadIdx.x == 0) *norm = NAN;
    return;
  }
  int32_t low = 0, high = list.count;
  while (high - low > 1) {
    const int32_t middle = (low + high) / 2;
    (list.firstBlocks[middle] <= block ? low : high) = middle;
  }
  const int32_t blocks = static_cast<int32_t>(gridDim.x),
                end = low + 1 < list.count ? list.firstBlocks[low + 1] : blocks;
  const int64_t first =
      static_cast<int64_t>(block - list.firstBlocks[low]) * blockDim.x + threadIdx.x;
  const int64_t step = static_cast<int64_t>(end - list.firstBlocks[low]) * blockDim.x;
  const AddressBits address = list.addresses[low];
  const int64_t count = list.elements[low];
  Observed all;
  if (list.types[low] == kBf16)
    all = observe(pointerOf<const bf16>(address), first, count, step);
  else if (list.types[low] == kF16)
    all = observe(pointerOf<const f16>(address), first, count, step);
  else
    all = observe(pointerOf<const float>(address), first, count, step);
  constexpr unsigned long long kBad = 1ull << 32;
  if (all.numBad > 0) atomicAdd(progress, kBad);
  if (partial) {
    const float squares = reduceBlock<Sum>(low < measured ? all.squares : 0.0f);
    if (threadIdx.x == 0) partial[firstBlock + block] = squares;
    __threadfence();
  }
  STRATA_SHARED(int32_t, isLast, 1);
  // The threads of the block have counted before the block counts
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned long long before = atomicAdd(progress, 1ull);
    isLast[0] = before % kBad + 1 == gridDim.x ? 1 : 0;
    if (isLast[0] && flag) {
      const bool goesOn = (!earlier || *earlier != 0) && (!running || *running != 0);
      *flag = before < kBad && goesOn ? 1.0f : 0.0f;
    }
    if (isLast[0]) *progress = 0;
  }
  if (!norm) return;
  __syncthreads();
  if (!isLast[0]) return;
  __threadfence();
  float sum = 0;
  for (int32_t i = static_cast<int32_t>(threadIdx.x); i < firstBlock + blocks;
       i += static_cast<int32_t>(blockDim.x))
    sum += partial[i];
  sum = reduceBlock<Sum>(sum);
  if (threadIdx.x == 0) *norm = sqrtf(sum);
}
STRATA_COOPERATIVE_KERNEL(observe_gradients)

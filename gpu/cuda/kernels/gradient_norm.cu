// SPDX-License-Identifier: Apache-2.0
// The norm of several tensors.
#include "gpu/cuda/kernels/numbers.cuh"
#include "gpu/cuda/kernels/tensor_list.h"

namespace strata::cuda {

template <class T>
__device__ float sumOfSquares(const T* STRATA_RESTRICT x, int64_t first, int64_t count,
                              int64_t step) {
  float sum = 0;
#pragma unroll 8
  for (int64_t i = first; i < count; i += step) {
    const float value = toFloat(x[i]);
    sum += value * value;
  }
  return sum;
}

/// Returns whether this block is the last one that comes here, and may read what the others have
/// written. `progress` is 0 between kernels.
__device__ inline bool isLastBlock(unsigned long long* progress) {
  STRATA_SHARED(int32_t, isLast, 1);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    isLast[0] = atomicAdd(progress, 1ull) + 1 == gridDim.x ? 1 : 0;
    if (isLast[0]) *progress = 0;
  }
  __syncthreads();
  __threadfence();
  return isLast[0] != 0;
}

}  // namespace strata::cuda

/// Block i writes its sum of squares to partial[firstBlock + i]. The last block of the last launch,
/// which has `norm`, adds all of them in their order. The norm is NaN except in the steps 1,
/// 1 + interval and so on, or always if `interval` is 0.
STRATA_GLOBAL gradient_norm(strata::cuda::TensorList list, const int64_t* update, int64_t interval,
                            float* partial, int32_t firstBlock, float* norm,
                            unsigned long long* progress) {
  using namespace strata::cuda;
  const auto block = static_cast<int32_t>(blockIdx.x);
  if (interval == 0 || *update % interval != 1 % interval) {
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
  float sum = 0;
  if (list.types[low] == kBf16)
    sum = sumOfSquares(pointerOf<const bf16>(address), first, count, step);
  else if (list.types[low] == kF16)
    sum = sumOfSquares(pointerOf<const f16>(address), first, count, step);
  else
    sum = sumOfSquares(pointerOf<const float>(address), first, count, step);
  sum = reduceBlock<Sum>(sum);
  if (threadIdx.x == 0) partial[firstBlock + block] = sum;
  if (!isLastBlock(progress) || !norm) return;
  sum = 0;
  for (int32_t i = static_cast<int32_t>(threadIdx.x); i < firstBlock + blocks;
       i += static_cast<int32_t>(blockDim.x))
    sum += partial[i];
  sum = reduceBlock<Sum>(sum);
  if (threadIdx.x == 0) *norm = sqrtf(sum);
}
STRATA_COOPERATIVE_KERNEL(gradient_norm)

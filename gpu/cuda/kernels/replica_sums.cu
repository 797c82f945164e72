// SPDX-License-Identifier: Apache-2.0
// Sums over replicas on cards: the operands are packed in one buffer, cards exchange its shards,
// each adds one, and the sums are unpacked (gpu/cuda/card_sum.cpp).
#include "gpu/cuda/kernels/device.cuh"
#include "gpu/cuda/kernels/replica_sums.h"

namespace strata::cuda {

/// Calls body(element of the tensor, place in the buffer) for the elements of this block, and
/// returns the number of the tensor.
template <class Body>
__device__ inline void forPacked(const PackedTensors& tensors, const PackedShards& shards,
                                 Body body) {
  const auto block = static_cast<int32_t>(blockIdx.x);
  int32_t low = 0, high = tensors.count;
  while (high - low > 1) {
    const int32_t middle = (low + high) / 2;
    (tensors.firstBlocks[middle] <= block ? low : high) = middle;
  }
  const int64_t first = static_cast<int64_t>(block - tensors.firstBlocks[low]) * kPackedByBlock,
                rest = tensors.elements[low] - first;
  const int64_t end = first + (rest < kPackedByBlock ? rest : kPackedByBlock);
  int64_t shard = (tensors.begins[low] + first) / shards.payload;
  int64_t shardEnd = (shard + 1) * shards.payload;
  const AddressBits address = tensors.addresses[low];
  for (int64_t i = first + threadIdx.x; i < end; i += blockDim.x) {
    const int64_t element = tensors.begins[low] + i;
    while (element >= shardEnd) {
      ++shard;
      shardEnd += shards.payload;
    }
    body(address, i, element + (shard + 1) * shards.header);
  }
}

}  // namespace strata::cuda

/// Copies elements of operands to their shards, and writes the headers: `running`, then zeros.
STRATA_GLOBAL pack_sums(STRATA_PARAMETER(strata::cuda::PackedTensors) tensors,
                        strata::cuda::PackedShards shards, const float* running) {
  using namespace strata::cuda;
  float* buffer = pointerOf<float>(shards.buffer);
  if (tensors.hasFlags && blockIdx.x == 0) {
    for (int64_t i = threadIdx.x; i < shards.count * shards.header; i += blockDim.x)
      buffer[i / shards.header * (shards.payload + shards.header) + i % shards.header] =
          i % shards.header == 0 ? *running : 0.0f;
  }
  forPacked(tensors, shards, [&](AddressBits address, int64_t i, int64_t place) {
    buffer[place] = pointerOf<const float>(address)[i];
  });
}
STRATA_KERNEL(pack_sums)

/// Adds shards of all replicas in the order of their ranks. `sum` may be one of the shards.
STRATA_GLOBAL add_shards(STRATA_PARAMETER(strata::cuda::SummedShards) shards, float* sum,
                         int64_t count) {
  using namespace strata::cuda;
  for (int64_t i = globalThread(); i < count; i += numThreads()) {
    float value = pointerOf<const float>(shards.shards[0])[i];
    for (int32_t replica = 1; replica < shards.count; ++replica)
      value = value + pointerOf<const float>(shards.shards[replica])[i];
    sum[i] = value;
  }
}
STRATA_KERNEL(add_shards)

/// Copies sums to the results, and stops the stream if a replica has stopped.
STRATA_GLOBAL unpack_sums(STRATA_PARAMETER(strata::cuda::PackedTensors) tensors,
                          strata::cuda::PackedShards shards, float* running) {
  using namespace strata::cuda;
  const float* buffer = pointerOf<const float>(shards.buffer);
  if (tensors.hasFlags && blockIdx.x == 0 && threadIdx.x == 0) {
    for (int64_t shard = 0; shard < shards.count; ++shard)
      if (buffer[shard * (shards.payload + shards.header)] != static_cast<float>(shards.count))
        *running = 0;
  }
  forPacked(tensors, shards, [&](AddressBits address, int64_t i, int64_t place) {
    pointerOf<float>(address)[i] = buffer[place];
  });
}
STRATA_KERNEL(unpack_sums)

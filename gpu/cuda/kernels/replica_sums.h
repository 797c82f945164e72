// SPDX-License-Identifier: Apache-2.0
// What the kernels of sums over replicas get (gpu/ops/sum_layout.h: PackedSums). C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

// Parameters of a kernel have at most 4096 bytes
constexpr int kMaxPackedTensors = 120;
constexpr int kMaxSummedShards = 64;
/// Elements that a block packs or unpacks
constexpr int64_t kPackedByBlock = 2048;

/// Some operands of a sum.
struct PackedTensors {
  int32_t count = 0;
  // Whether the kernel also handles the flags of the shards
  int32_t hasFlags = 0;
  AddressBits addresses[kMaxPackedTensors] = {};
  // Number of the first element among those of all operands
  int64_t begins[kMaxPackedTensors] = {};
  int64_t elements[kMaxPackedTensors] = {};
  // The first block that works on each tensor
  int32_t firstBlocks[kMaxPackedTensors] = {};
};

/// Where the elements of a sum are packed.
struct PackedShards {
  AddressBits buffer;
  // Elements of operands in a shard, and elements before them
  int64_t payload = 0, header = 0;
  int32_t count = 0;
};

/// The same shard of all replicas, in the order of their ranks.
struct SummedShards {
  int32_t count = 0;
  AddressBits shards[kMaxSummedShards] = {};
};

}  // namespace strata::cuda

// SPDX-License-Identifier: Apache-2.0
// A list of tensors that one launch reads. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

// Parameters of a kernel have at most 4096 bytes, and lists come with a few addresses
constexpr int kMaxTensors = 160;

struct TensorList {
  int32_t count = 0;
  AddressBits addresses[kMaxTensors] = {};
  int64_t elements[kMaxTensors] = {};
  // The first block that reads each tensor
  int32_t firstBlocks[kMaxTensors] = {};
  // ElementType
  int32_t types[kMaxTensors] = {};
};

}  // namespace strata::cuda

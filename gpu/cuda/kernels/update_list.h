// SPDX-License-Identifier: Apache-2.0
// The variables that one launch updates. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

constexpr int kMaxStates = 4;

/// A variable with its states, its gradient, and the 16-bit copy that it may have (null if not).
/// Gradient and copy may be columns of wider matrices: from a row of `width` elements to the next
/// one, there are so many elements.
struct UpdateMember {
  AddressBits states[kMaxStates];
  AddressBits gradient, copy;
  int64_t elements = 0;
  int32_t width = 0, gradientPitch = 0, copyPitch = 0;
  // The first block that updates the variable
  int32_t firstBlock = 0;
  // ElementType
  int16_t copyType = 0, gradientType = 0;
};

/// Parameters of a kernel have at most 4096 bytes on every GPU and driver, and 32764 from CUDA 12.1
/// on. Small lists are cheaper to launch.
constexpr int kFewMembers = 50, kManyMembers = 400;

template <int N>
struct UpdateList {
  int32_t count = 0, numStates = 0;
  UpdateMember members[N];
};

// The numbers of a rule need up to 80 bytes more
static_assert(sizeof(UpdateList<kFewMembers>) <= 4096 - 80 &&
              sizeof(UpdateList<kManyMembers>) <= 32764 - 80);

/// Elements that each thread updates.
constexpr int kUpdatedPerThread = 4;

}  // namespace strata::cuda

// SPDX-License-Identifier: Apache-2.0
// Rows of samples that stay in the memory of a device. A step gathers some of them into one of its
// inputs, so that only the indices travel.
// Thread: as Stream.
#pragma once

#include <cstdint>

#include "gpu/exec/device.h"

namespace strata {

/// A matrix of u8, i32 or f32 in the memory of a device.
struct KeptRows {
  DeviceMemory memory;
  DType dtype = DType::F32;
  int64_t rows = 0, elements = 0;
  // A gathered row is x * scale + offset, in f32
  float scale = 1, offset = 0;
  // If not empty, f32[2, elements]: the row becomes (x - first) * second afterwards
  DeviceMemory shiftAndScale;
};

/// A gather that a step makes before its first instruction: row i of `to` becomes row indices[i] of
/// `from`. Rows of `to` may be longer; the rest becomes 0. `indices` need only live until the step
/// was submitted.
struct RowGather {
  DeviceAddress to;
  // f32 or i32
  DType type = DType::F32;
  int64_t rows = 0, elements = 0;
  const KeptRows* from = nullptr;
  const int32_t* indices = nullptr;
};

}  // namespace strata

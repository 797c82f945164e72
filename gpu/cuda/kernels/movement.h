// SPDX-License-Identifier: Apache-2.0
// Structs of the kernels that move elements. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

/// A box inside a larger one.
struct PadBox {
  int32_t rank = 0;
  // Sizes of the result, and of the operand, with its first index in the result
  int64_t dims[kMaxAxes] = {};
  int64_t inside[kMaxAxes] = {};
  int64_t before[kMaxAxes] = {};
  int64_t strides[kMaxAxes] = {};
};

/// Many transposes of a matrix [rows, columns], whose columns are contiguous in the operand, to
/// [columns, rows], whose rows are contiguous in the result.
struct MatrixTransposes {
  int64_t rows = 0, columns = 0;
  // Elements from one row to the next in the operand, and from one column to the next in the result
  int64_t rowStride = 0, columnStride = 0;
  // The matrices, with their places in the operand (0) and in the result (1)
  Walk matrices;
};

constexpr int kTile = 32;

}  // namespace strata::cuda

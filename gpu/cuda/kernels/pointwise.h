// SPDX-License-Identifier: Apache-2.0
// The numbers of elementwise ops in kernels. C++17.
// Thread: plain values.
#pragma once

#include <cstdint>

namespace strata::cuda {

enum class BinaryOp : int32_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Maximum,
  Minimum,
  Power,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual
};

}  // namespace strata::cuda

// SPDX-License-Identifier: Apache-2.0
// One step of a recurrent op, as a parameter of kernels. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

/// The cells, with the numbers of RecurrentCell in gpu/ops/recurrent.h.
constexpr int32_t kSimpleCell = 0, kLstmCell = 1, kGruCell = 2, kGruResetBeforeCell = 3;

/// An activation of a cell.
struct CellFunction {
  int32_t kind = 0;
  // Whether the gates output has the result of the function, and not its operand
  int32_t savesOutput = 1;
  float alpha = 0;
};

/// The sequence is [samples, steps, units], and the gates are [samples, steps, width].
struct RecurrentStep {
  int64_t samples = 0, steps = 0, units = 0, width = 0;
  // Places of this step and of the one before it; -1 if there is none
  int64_t step = 0, earlier = -1;
  int32_t cell = kSimpleCell, isLast = 0;
  CellFunction act, gate;
};

}  // namespace strata::cuda

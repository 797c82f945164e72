// SPDX-License-Identifier: Apache-2.0
// What the kernels of recurrent cells have in common. A thread computes one unit of one sample.
#pragma once

#include "gpu/cuda/kernels/activation.cuh"
#include "gpu/cuda/kernels/recurrent.h"

namespace strata::cuda {

/// The unit of a thread, and its elements in operands.
struct UnitPlace {
  int64_t sample, unit;
  // Elements in [samples, units], [samples, steps, units] and [samples, steps, width]
  int64_t state, sequence, gates;
  bool isInside;

  __device__ explicit UnitPlace(const RecurrentStep& r) {
    state = globalThread();
    isInside = state < r.samples * r.units;
    sample = state / r.units;
    unit = state % r.units;
    const int64_t cell = sample * r.steps + r.step;
    sequence = cell * r.units + unit;
    gates = cell * r.width + unit;
  }
};

/// Returns an element of an optional operand, or a number if the operand is null.
template <class T>
__device__ inline float elementOr(const T* operand, int64_t i, float missing) {
  return operand ? toFloat(operand[i]) : missing;
}

/// Returns whether the mask leaves the state of a sample unchanged.
template <class T>
__device__ inline bool isMasked(const T* mask, const RecurrentStep& r, int64_t sample) {
  return mask && toFloat(mask[sample * r.steps + r.step]) == 0;
}

}  // namespace strata::cuda

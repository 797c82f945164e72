// SPDX-License-Identifier: Apache-2.0
// Activations by number, with the formulas of gpu/ops/activation_kinds.h in float.
#pragma once

#include "gpu/cuda/kernels/device.cuh"
#include "gpu/ops/activation_kinds.h"

namespace strata::cuda {

__device__ inline float activationValue(int32_t kind, float x, float alpha) {
  float result = x;
  strata::visitActivation(static_cast<int>(kind),
                          [&](auto formula) { result = decltype(formula)::forward(x, alpha); });
  return result;
}

__device__ inline float activationSlope(int32_t kind, float saved, float alpha) {
  float result = 1;
  strata::visitActivation(static_cast<int>(kind), [&](auto formula) {
    result = decltype(formula)::derivative(saved, alpha);
  });
  return result;
}

}  // namespace strata::cuda

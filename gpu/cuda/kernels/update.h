// SPDX-License-Identifier: Apache-2.0
// The numbers of updates, as parameters of kernels. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

/// Operands of all updates. `rate` is a scalar of the type rateType (ElementType). Where `apply` is
/// 0, an update writes nothing; null stands for 1.
struct UpdateScalars {
  AddressBits rate, apply;
  int32_t rateType = 0;
  float weightDecay = 0;
};

// The shares of new values are computed in double, because 1 - 0.999f has few digits

struct SgdNumbers {
  float momentum = 0;
  int32_t isNesterov = 0;
};

struct AdamNumbers {
  float meanShare = 0, squareShare = 0;
  float logBeta1 = 0, logBeta2 = 0;
  float epsilon = 0;
};

struct RmspropNumbers {
  double rho = 0, epsilon = 0;
  float momentum = 0;
};

}  // namespace strata::cuda

// SPDX-License-Identifier: Apache-2.0
// Where batch normalization reads and writes moving statistics, as parameters of kernels. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

/// Null addresses if there are no moving statistics.
struct MovingStatistics {
  AddressBits mean, variance, nextMean, nextVariance;
  float momentum = 0, share = 0;
};

}  // namespace strata::cuda

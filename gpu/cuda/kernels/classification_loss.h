// SPDX-License-Identifier: Apache-2.0
// The loss of a classifier over the rows of a matrix, as its kernels get it. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

/// The values whose argmax is the predicted class.
enum RankedValues : int32_t { kRanksNone, kRanksLogits, kRanksProbabilities };

struct ClassificationLoss {
  int64_t rows = 0, classes = 0;
  // The label of rows without loss, or -1
  int64_t ignored = -1;
  // The size of an integer label, or 0 if the target is f32[rows, classes]
  int32_t labelBytes = 4;
  int32_t ranks = kRanksNone;
  float lossScale = 1, correctScale = 1, gradientScale = 1;
};

}  // namespace strata::cuda

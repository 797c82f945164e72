// SPDX-License-Identifier: Apache-2.0
// The sizes and options of an attention op, as a parameter of kernels. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

/// The query steps and key steps of a tile, and the elements of a result that a block computes.
constexpr int kAttentionTile = 64, kAttentionColumns = 128, kAttentionThreads = 256;

/// Query [samples, steps, heads, size], key [samples, keySteps, keyHeads, size], value [samples,
/// keySteps, keyHeads, valueSize], mask [samples, maskSteps, keySteps]; maskSteps is 0 without a
/// mask.
struct AttentionSizes {
  int64_t samples = 0, steps = 0, heads = 0, size = 0;
  int64_t keySteps = 0, keyHeads = 0, valueSize = 0, maskSteps = 0;
  // Elements from a step to the next one, of query and its gradient, and of the others likewise
  int64_t queryPitch = 0, keyPitch = 0, valuePitch = 0;
  float scale = 1, rate = 0, keptScale = 1;
  int32_t isCausal = 0, dropsHidden = 0;
  uint64_t stream = 0;

  STRATA_DEVICE int64_t queryTiles() const { return (steps + kAttentionTile - 1) / kAttentionTile; }
  STRATA_DEVICE int64_t keyTiles() const {
    return (keySteps + kAttentionTile - 1) / kAttentionTile;
  }
  /// Whether key steps that a causal query does not see have no effect at all. They have one if a
  /// query step sees nothing, because it then weights all key steps equally.
  STRATA_DEVICE bool skipsLaterKeys() const {
    return isCausal != 0 && (maskSteps == 0 || dropsHidden != 0);
  }
};

}  // namespace strata::cuda

// SPDX-License-Identifier: Apache-2.0
// Finds where a loss that is not finite came from. Thread: the training thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/train/network.h"

namespace strata {

struct BadBatch {
  const Samples* samples = nullptr;
  InputTransforms transforms;
  const int32_t* indices = nullptr;
  int64_t count = 0;
  int64_t step = 0, firstSample = 0;
  int64_t update = 0;  // the step as the optimizer counts it
  double loss = 0, learningRate = 0;
  uint64_t seed = 0;
};

/// The error of a run whose step had this loss: names the first layer whose weights or output are not finite, found by running the forward pass of the same
/// batch again with every layer's output kept. The network's state must be as before the step; it is not changed.
Error explainNonFinite(Network& network, const BadBatch& batch);
/// The first of these tensors that holds a NaN or an infinity; absent where all are finite.
std::optional<std::string> firstNonFinite(const TensorViews& tensors);
/// The loss of the last step may be finite while its update overflowed: such a network is not kept.
/// Fails: NonFinite naming the layer and the step, where a weight or a value of the optimizer in `state` (Network::stateViews) is not finite.
void requireFinite(const Network& network, const TensorViews& state, int64_t step);

}  // namespace strata

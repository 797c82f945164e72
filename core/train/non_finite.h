// SPDX-License-Identifier: Apache-2.0
// Finds where a loss that is not finite came from. Thread: the training thread.
#pragma once

#include <bit>
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
  // The step as the optimizer counts it
  int64_t update = 0;
  double loss = 0, learningRate = 0;
  uint64_t seed = 0;
};

/// The error of a run whose step had this loss: names the first layer whose weights or output are
/// not finite, found by running the forward pass of the same batch again with every layer's output
/// kept. The network's state must be as before the step; it is not changed.
Error explainNonFinite(Network& network, const BadBatch& batch);
/// The first of these tensors that holds a NaN or an infinity; absent where all are finite.
std::optional<std::string> firstNonFinite(const TensorViews& tensors);
/// The loss of the last step may be finite while its update overflowed: such a network is not kept.
/// finiteStep: the last one behind which the state was found finite; absent: the one before `step`.
/// Fails: NonFinite naming the layer and the steps between, where a weight or a value of the
/// optimizer in `state` (Network::stateViews) is not finite.
void requireFinite(const Network& network, const TensorViews& state, int64_t step,
                   std::optional<int64_t> finiteStep = {});

/// When a run looks at its state between checkpoints: after its updates 1, 2, 4, ... 64 and then
/// every 64. An update reads and writes the state several times, so that a look, which reads it
/// once, takes less than a hundredth of the time of the updates between. By their number alone: the
/// same run ends at the same one.
class FiniteWatch {
 public:
  /// `step`: the last one that is done.
  void begin(int64_t step) { m_first = m_finite = step; }
  bool isDue(int64_t step) const {
    const int64_t done = step - m_first;
    return done > 0 && (done < kMostSteps ? std::has_single_bit(static_cast<uint64_t>(done))
                                          : done % kMostSteps == 0);
  }
  /// Fails: as requireFinite().
  void look(const Network& network, const TensorViews& state, int64_t step) {
    requireFinite(network, state, step, m_finite);
    m_finite = step;
  }

 private:
  static constexpr int64_t kMostSteps = 64;
  int64_t m_first = 0, m_finite = 0;
};

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Finds the layer that caused a non-finite loss, and refuses to save networks with non-finite
// values. Not here: stopping the run (training_run.h). Thread: only the training thread may call
// these functions.
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
  // The indices of its samples
  std::vector<int32_t> indices;
  int64_t count() const { return static_cast<int64_t>(indices.size()); }
  int64_t step = 0, firstSample = 0;
  // Number of the step in the optimizer's count
  int64_t update = 0;
  double loss = 0, learningRate = 0;
  uint64_t seed = 0;
};

/// Returns the error for a step whose loss or gradient is not finite. The error names the first
/// layer whose weights or output are not finite, or the layer where the gradient became non-finite.
/// To find this layer, the function runs the batch again and keeps the outputs of all layers, or
/// the gradients. Requires: the network has the state from before the step. The state is not
/// changed.
Error explainNonFinite(Network& network, const BadBatch& batch);
/// Returns the error for a prediction of this batch in which `output` is NaN. It names the first
/// layer whose output is not finite, and an index that its table does not have.
Error explainNanOutput(Network& network, const std::string& output, const BadBatch& batch);
/// Returns the name of the first tensor that contains a NaN or infinity, or nullopt if all are
/// finite.
std::optional<std::string> firstNonFinite(const TensorViews& tensors);
/// Checks that all values in `state` (a snapshot of all variables) are finite. An update may
/// overflow although the loss of the step was finite. `finiteStep` is the last step after which the
/// state was finite, by default the step before `step`. Fails: NonFinite naming the layer and the
/// range of steps.
void requireFinite(const Network& network, const TensorViews& state, int64_t step,
                   std::optional<int64_t> finiteStep = {});

/// Checks the state of a run between checkpoints: after the updates 1, 2, 4, ... 64, counted from
/// begin(), and then after every 64 updates. This takes little time. The number of updates alone
/// determines when the state is checked, so that a repeated run fails at the same step.
class FiniteWatch {
 public:
  /// Begins to watch a run. `step` is the last finished step.
  void begin(int64_t step) { m_first = m_finite = step; }
  bool isDue(int64_t step) const {
    const int64_t done = step - m_first;
    if (done <= 0) return false;
    if (done < kMaxInterval) return std::has_single_bit(static_cast<uint64_t>(done));
    return done % kMaxInterval == 0;
  }
  /// Checks the state after `step`. Fails with the errors of requireFinite().
  void look(const Network& network, const TensorViews& state, int64_t step) {
    requireFinite(network, state, step, m_finite);
    m_finite = step;
  }

 private:
  static constexpr int64_t kMaxInterval = 64;
  int64_t m_first = 0, m_finite = 0;
};

}  // namespace strata

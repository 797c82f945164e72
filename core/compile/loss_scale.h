// SPDX-License-Identifier: Apache-2.0
// The loss scale of a step in float16. Small gradients would become 0 in float16, so the gradient
// of the loss is multiplied by the scale, and the gradients of the weights are divided by it in
// float32. A dynamic scale is a variable of the graph. A step whose gradients are not finite, but
// whose loss is, is skipped: it only halves the scale. Many good steps in a row double it, as in
// Keras' LossScaleOptimizer.
// Not here: conversions to float16 (gpu/passes/mixed_precision.cpp).
// Thread: a LossScaler edits only its graph.
#pragma once

#include <vector>

#include "core/recipe/optimizers.h"
#include "core/recipe/options.h"
#include "gpu/graph/graph.h"

namespace strata {

/// The variables of a dynamic loss scale (f32[]): the scale, and the number of good steps since it
/// changed. A third one, kSkippedSteps (core/recipe/optimizers.h), counts the skipped steps.
constexpr const char* kLossScale = "loss_scale:value";
constexpr const char* kGoodSteps = "loss_scale:good_steps";

constexpr double kInitialLossScale = 32768;
constexpr double kLossScaleGrowthSteps = 2000;
constexpr double kMaxLossScale = 16777216;
/// A run stops if it would have to lower the scale below this number.
constexpr double kMinLossScale = 0x1p-14;

class LossScaler {
 public:
  /// `isUpdating` is false for micro-batches that only add their gradients to sums.
  LossScaler(Graph& graph, const LossScale& scale, bool isUpdating)
      : m_graph(graph), m_scale(scale), m_isUpdating(isUpdating) {}

  bool isDynamic() const { return m_scale.isDynamic; }
  /// Creates the variables of a dynamic scale, and appends those with their initial values to
  /// `state`. Call it before gradients and updates are built. Returns the gradient of the loss, or
  /// an invalid id for a scale of 1.
  ValueId seed(std::vector<VariableRequest>& state);
  /// Divides the gradient of a weight by the scale.
  ValueId unscaled(ValueId gradient);
  /// Appends the update of a dynamic scale. `isGood` (f32[]) is 1 if all gradients are finite,
  /// otherwise 0. Returns a flag that is 0 if the run must stop.
  ValueId appendUpdate(ValueId isGood, ValueId loss);

 private:
  Graph& m_graph;
  LossScale m_scale;
  bool m_isUpdating;
  // The dynamic scale and its reciprocal
  ValueId m_value, m_reciprocal;
};

}  // namespace strata

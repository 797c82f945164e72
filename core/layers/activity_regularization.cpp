// SPDX-License-Identifier: Apache-2.0
// ActivityRegularization returns its input unchanged and adds a penalty on it to the loss.
// Formula: y = x, loss += (l1 sum |x| + l2 sum x^2) / N.
// Input: any shape.
// Output: the same shape.
// Gradient: the gradient of y plus the gradient of the penalty.
// Numerics: float32.
// Errors: none.
// Source: Keras 3, keras.layers.ActivityRegularization.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerActivityRegularization(LayerContext& context) {
  const Regularizer regularizer{.l1 = context.number("l1"), .l2 = context.number("l2")};
  const ValueId x = context.floatInput();
  if (context.mode != StepMode::Predict && !regularizer.isNone())
    context.penalties.push_back(multiplyScalar(context.graph,
                                               penalty(context.graph, x, regularizer),
                                               1 / static_cast<double>(context.inputShape()[0])));
  return x;
}

}  // namespace

const LayerDef& activityRegularizationLayer() {
  static const LayerDef definition = {
      .schema = {.type = "ActivityRegularization",
                 .group = "Regularization",
                 .help = STRATA_TEXT("layers", "Adds a penalty on its input values to the loss"),
                 .formula = "y = x, loss += (l1 * sum|x| + l2 * sum(x^2)) / N",
                 .source = "Keras 3, keras.layers.ActivityRegularization",
                 .fields = {{.name = "l1",
                             .type = FieldType::Number,
                             .defaultJson = "0.0",
                             .minimum = 0.0,
                             .help = STRATA_TEXT("layers", "L1 regularization factor"),
                             .title = STRATA_TEXT("layers", "L1")},
                            {.name = "l2",
                             .type = FieldType::Number,
                             .defaultJson = "0.0",
                             .minimum = 0.0,
                             .help = STRATA_TEXT("layers", "L2 regularization factor"),
                             .title = STRATA_TEXT("layers", "L2")}}},
      .lower = lowerActivityRegularization,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata

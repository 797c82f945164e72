// SPDX-License-Identifier: Apache-2.0
// Dropout sets a random fraction of the values to zero during training.
// Formula: y = x * kept / (1 - rate) during training, otherwise y = x.
// Input: any shape.
// Output: the same shape.
// Gradient: divided by 1 - rate for the kept values, otherwise zero.
// Numerics: the mask depends only on the seed, layer, step, sample and element.
// Errors: shape_mismatch if `noise_shape` does not match the input.
// Source: Srivastava et al., 2014; Keras 3, keras.layers.Dropout.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

namespace {

ValueId lowerDropout(LayerContext& context) {
  const Shape drawn = noiseShape(context);
  if (!dropsValues(context)) return context.inputs[0];
  const ValueId x = context.floatInput();
  if (drawn == context.inputShape()) return droppedOut(context, x);
  return multiply(context.graph, x,
                  droppedOut(context, constantFill(context.graph, {DType::F32, drawn}, 1)));
}

}  // namespace

const LayerDef& dropoutLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Dropout",
                 .group = "Regularization",
                 .help = STRATA_TEXT(
                     "layers",
                     "Randomly sets values to zero during training, to reduce overfitting"),
                 .formula = "y = x * kept / (1 - rate)",
                 .source = "Srivastava et al., 2014; Keras 3, keras.layers.Dropout",
                 .fields = {rateField("0.5",
                                      STRATA_TEXT("layers", "Fraction of the values to drop")),
                            seedField(), noiseShapeField()}},
      .lower = lowerDropout,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata

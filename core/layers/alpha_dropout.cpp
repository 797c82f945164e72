// SPDX-License-Identifier: Apache-2.0
// AlphaDropout sets random values to the lower limit of SELU during training. It then scales and
// shifts all values, so that their mean and variance stay the same.
// Formula: y = a (kept ? x : -1.7581) + b, a = ((1 - rate) (1 + rate 1.7581^2))^-1/2, b = 1.7581 a
//   rate.
// Input: any shape.
// Output: the same shape.
// Gradient: multiplied by a for the kept values, otherwise zero.
// Numerics: the mask depends only on the seed, layer, step and sample.
// Errors: shape_mismatch if `noise_shape` does not match the input.
// Source: Klambauer et al., 2017; Keras 3, keras.layers.AlphaDropout.
#include <cmath>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

namespace {

ValueId lowerAlphaDropout(LayerContext& context) {
  const Shape shape = noiseShape(context);
  if (!dropsValues(context)) return context.inputs[0];
  Graph& g = context.graph;
  const double rate = context.number("rate");
  constexpr double kLow = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946;
  const double a = 1 / std::sqrt((1 - rate) * (1 + rate * kLow * kLow)), b = -a * kLow * rate;
  const ValueId drawn = droppedOut(context, constantFill(g, {DType::F32, shape}, 1));
  return affine(g, select(g, drawn, context.floatInput(), constantScalar(g, DType::F32, kLow)), a,
                b);
}

}  // namespace

const LayerDef& alphaDropoutLayer() {
  static const LayerDef definition = {
      .schema = {.type = "AlphaDropout",
                 .group = "Regularization",
                 .help = STRATA_TEXT("layers",
                                     "Dropout that keeps mean and variance, for use with SELU"),
                 .formula = "y = a * (kept ? x : -1.7581) + b",
                 .source = "Klambauer et al., 2017; Keras 3, keras.layers.AlphaDropout",
                 .fields = {rateField("0.1",
                                      STRATA_TEXT("layers", "Fraction of the values to drop")),
                            seedField(), noiseShapeField()}},
      .lower = lowerAlphaDropout,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata

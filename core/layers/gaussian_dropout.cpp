// SPDX-License-Identifier: Apache-2.0
// GaussianDropout multiplies by normal noise with mean 1 during training.
// Formula: y = x (1 + sqrt(rate / (1 - rate)) n), n ~ N(0, 1).
// Input: any shape.
// Output: the same shape.
// Gradient: derived from its ops.
// Numerics: the noise depends only on the seed, layer, step and sample.
// Errors: none.
// Source: Srivastava et al., 2014; Keras 3, keras.layers.GaussianDropout.
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/random_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerGaussianDropout(LayerContext& context) {
  if (!dropsValues(context)) return context.inputs[0];
  Graph& g = context.graph;
  const double rate = context.number("rate");
  return multiply(g, context.floatInput(),
                  affine(g, normalNumbers(context, context.inputShape(), "noise"),
                         std::sqrt(rate / (1 - rate)), 1));
}

}  // namespace

const LayerDef& gaussianDropoutLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GaussianDropout",
                 .group = "Regularization",
                 .help = STRATA_TEXT("layers",
                                     "Multiplies by Gaussian noise with mean 1 during training"),
                 .formula = "y = x * (1 + sqrt(rate / (1 - rate)) * n), n ~ N(0, 1)",
                 .source = "Srivastava et al., 2014; Keras 3, keras.layers.GaussianDropout",
                 .fields = {rateField(
                                "0.1",
                                STRATA_TEXT(
                                    "layers",
                                    "Strength of the noise, comparable to the rate of Dropout")),
                            seedField()}},
      .lower = lowerGaussianDropout,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata

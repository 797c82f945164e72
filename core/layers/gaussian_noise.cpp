// SPDX-License-Identifier: Apache-2.0
// GaussianNoise adds normal noise during training.
// Formula: y = x + stddev n, n ~ N(0, 1).
// Input: any shape.
// Output: the same shape.
// Gradient: passes through unchanged.
// Numerics: the noise depends only on the seed, layer, step and sample.
// Errors: none.
// Source: Keras 3, keras.layers.GaussianNoise.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/random_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerGaussianNoise(LayerContext& context) {
  const double deviation = context.number("stddev");
  if (context.mode != StepMode::Train || deviation == 0) return context.inputs[0];
  Graph& g = context.graph;
  return add(g, context.floatInput(),
             multiplyScalar(g, normalNumbers(context, context.inputShape(), "noise"), deviation));
}

}  // namespace

const LayerDef& gaussianNoiseLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GaussianNoise",
                 .group = "Regularization",
                 .help = STRATA_TEXT("layers", "Adds Gaussian noise during training"),
                 .formula = "y = x + stddev * n, n ~ N(0, 1)",
                 .source = "Keras 3, keras.layers.GaussianNoise",
                 .fields = {{.name = "stddev",
                             .type = FieldType::Number,
                             .exampleJson = "0.1",
                             .minimum = 0.0,
                             .maximum = 1.0,
                             .help = STRATA_TEXT("layers", "Standard deviation of the noise"),
                             .title = STRATA_TEXT("layers", "Standard deviation")},
                            seedField()}},
      .lower = lowerGaussianNoise,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata

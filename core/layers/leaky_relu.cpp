// SPDX-License-Identifier: Apache-2.0
// LeakyReLU is a ReLU with a small slope for negative values.
// Formula: y = x for x >= 0, otherwise negative_slope x.
// Input: any shape.
// Output: the same shape.
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: none.
// Source: Maas et al., 2013; Keras 3, keras.layers.LeakyReLU.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerLeakyRelu(LayerContext& context) {
  const double slope = context.number("negative_slope");
  return slope == 0 ? activation(context.graph, context.floatInput(), "relu")
                    : activation(context.graph, context.floatInput(), "leaky_relu", slope);
}

}  // namespace

const LayerDef& leakyReluLayer() {
  static const LayerDef definition = {
      .schema = {.type = "LeakyReLU",
                 .group = "Activation",
                 .help = STRATA_TEXT(
                     "layers", "Rectified linear unit with a small slope for negative values"),
                 .formula = "y = x for x >= 0, negative_slope * x below",
                 .source = "Maas et al., 2013; Keras 3, keras.layers.LeakyReLU",
                 .fields = {{.name = "negative_slope",
                             .type = FieldType::Number,
                             .defaultJson = "0.3",
                             .minimum = 0.0,
                             .help = STRATA_TEXT("layers", "Slope for negative values"),
                             .title = STRATA_TEXT("layers", "Negative slope")}}},
      .lower = lowerLeakyRelu,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata

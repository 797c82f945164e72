// SPDX-License-Identifier: Apache-2.0
// PReLU is a ReLU with a learned slope for negative values.
// Formula: y = max(x, 0) + alpha min(x, 0).
// Input: [N, ...].
// Output: the same shape.
// Variables: `alpha` with the shape of a sample; its size is 1 along `shared_axes`.
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: out_of_range for wrong `shared_axes`.
// Source: He et al., 2015; Keras 3, keras.layers.PReLU.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerPrelu(LayerContext& context) {
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  Shape shape(in.dims().subspan(1));
  if (!context.fields.at("shared_axes").is_null())
    for (const int64_t axis : axesOf(context, "shared_axes", true))
      shape.set(static_cast<int>(axis) - 1, 1);
  const ValueId alpha = context.variable("alpha", shape, "alpha_initializer", true, 0, 0,
                                         "alpha_regularizer"),
                x = context.floatInput();
  return subtract(g, activation(g, x, "relu"),
                  multiply(g, alpha, activation(g, negate(g, x), "relu")));
}

}  // namespace

const LayerDef& preluLayer() {
  static const LayerDef definition = {
      .schema = {.type = "PReLU",
                 .group = "Activation",
                 .help = STRATA_TEXT(
                     "layers", "Rectified linear unit with a learned slope for negative values"),
                 .formula = "y = max(x, 0) + alpha * min(x, 0)",
                 .source = "He et al., 2015; Keras 3, keras.layers.PReLU",
                 .fields = {initializerField("alpha_initializer", "\"zeros\"",
                                             STRATA_TEXT("layers", "Alpha initializer")),
                            regularizerField("alpha_regularizer",
                                             STRATA_TEXT("layers", "Alpha regularizer")),
                            {.name = "shared_axes",
                             .type = FieldType::IntegerOrList,
                             .defaultJson = "null",
                             .minimum = -7.0,
                             .maximum = 7.0,
                             .isNullable = true,
                             .help = STRATA_TEXT("layers",
                                                 "Dimensions that share one slope, such as [1, 2] "
                                                 "for height and width of an image"),
                             .title = STRATA_TEXT("layers", "Shared axes")}}},
      .lower = lowerPrelu,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata

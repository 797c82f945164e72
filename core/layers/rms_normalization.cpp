// SPDX-License-Identifier: Apache-2.0
// RMSNormalization divides each sample by its root mean square along some dimensions, then
// multiplies by a learned scale.
// Formula: y = scale x / sqrt(mean(x^2) + epsilon).
// Input: [N, ...].
// Output: the same shape.
// Variables: `scale`, with the sizes of the dimensions in `axis`.
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: out_of_range for a wrong axis.
// Source: Zhang and Sennrich, 2019; Keras 3, keras.layers.RMSNormalization.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerRmsNormalization(LayerContext& context) {
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const std::vector<int64_t> axes = axesOf(context, "axis");
  Shape sizes, wide = in;
  for (int i = 0; i < in.rank(); ++i)
    wide.set(i, 1);
  for (const int64_t axis : axes) {
    sizes.append(in[static_cast<int>(axis)]);
    wide.set(static_cast<int>(axis), in[static_cast<int>(axis)]);
  }
  const ValueId x = context.floatInput();
  const ValueId size =
      rsqrt(g, addScalar(g, reduceMean(g, square(g, x), axes, true), context.number("epsilon")));
  return multiply(g, multiply(g, x, size),
                  reshape(g, context.variable("scale", sizes, "ones"), wide));
}

}  // namespace

const LayerDef& rmsNormalizationLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "RMSNormalization",
           .group = "Normalization",
           .help = STRATA_TEXT(
               "layers",
               "Normalizes each sample by its root mean square, then applies a learned scale"),
           .formula = "y = scale x / sqrt(mean(x^2) + epsilon)",
           .source = "Zhang and Sennrich, 2019; Keras 3, keras.layers.RMSNormalization",
           .fields = {axisField(
                          "-1", true,
                          STRATA_TEXT("layers",
                                      "Dimensions to normalize over; -1 is the last dimension")),
                      epsilonField(
                          "1e-6",
                          STRATA_TEXT(
                              "layers",
                              "Small number added to the mean square to avoid division by zero"))}},
      .lower = lowerRmsNormalization,
  };
  return definition;
}

}  // namespace strata

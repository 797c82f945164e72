// SPDX-License-Identifier: Apache-2.0
// LayerNormalization normalizes each sample along some dimensions, then applies a learned scale and
// offset.
// Formula: y = gamma (x - mean) / sqrt(variance + epsilon) + beta.
// Input: [N, ...].
// Output: the same shape.
// Variables: gamma and beta, with the sizes of the dimensions in `axis`.
// Gradient: of layer_norm if the dimensions are the last ones, otherwise derived from its ops.
// Numerics: float32; the variance is the mean of the squared differences.
// Errors: out_of_range for a wrong axis.
// Source: Ba et al., 2016; Keras 3, keras.layers.LayerNormalization.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerLayerNormalization(LayerContext& context) {
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
  // The op normalizes the last axes, with gamma and beta in their order.
  const auto first = in.rank() - static_cast<int64_t>(axes.size());
  bool areLast = true;
  for (size_t i = 0; i < axes.size(); ++i)
    areLast = areLast && axes[i] == first + static_cast<int64_t>(i);
  if (areLast) {
    ValueId gamma, beta;
    if (context.boolean("scale"))
      gamma =
          context.variable("gamma", sizes, "gamma_initializer", true, 0, 0, "gamma_regularizer");
    if (context.boolean("center"))
      beta = context.variable("beta", sizes, "beta_initializer", true, 0, 0, "beta_regularizer");
    return layerNorm(g, context.floatInput(), gamma, beta, static_cast<int64_t>(axes.size()),
                     context.number("epsilon"));
  }
  const ValueId y = standardized(g, context.floatInput(), axes, context.number("epsilon"));
  return scaledAndShifted(context, y, sizes, wide);
}

}  // namespace

const LayerDef& layerNormalizationLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "LayerNormalization",
           .group = "Normalization",
           .help = STRATA_TEXT(
               "layers",
               "Normalizes each sample separately, then applies a learned scale and offset"),
           .formula = "y = gamma (x - mean) / sqrt(variance + epsilon) + beta",
           .source = "Ba et al., 2016; Keras 3, keras.layers.LayerNormalization",
           .fields =
               {axisField("-1", true,
                          STRATA_TEXT("layers",
                                      "Dimensions to normalize over; -1 is the last dimension")),
                epsilonField(
                    "0.001",
                    STRATA_TEXT("layers",
                                "Small number added to the variance to avoid division by zero")),
                centerField(), scaleField(),
                initializerField("beta_initializer", "\"zeros\"",
                                 STRATA_TEXT("layers", "Beta initializer")),
                initializerField("gamma_initializer", "\"ones\"",
                                 STRATA_TEXT("layers", "Gamma initializer")),
                regularizerField("beta_regularizer", STRATA_TEXT("layers", "Beta regularizer")),
                regularizerField("gamma_regularizer", STRATA_TEXT("layers", "Gamma regularizer"))}},
      .lower = lowerLayerNormalization,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// SeparableConv2D filters each channel of an image separately, then mixes the channels at each
// pixel.
// Formula: y = activation((x * D) P + b), where * is a depthwise convolution.
// Input: [N,H,W,C].
// Output: [N,P,Q,filters].
// Variables: D [R,S,C,depth_multiplier] `depthwise_kernel`, P [1,1,C depth_multiplier,filters]
//   `pointwise_kernel`, b [filters] `bias`.
// Gradient: derived from its ops.
// Numerics: cross-correlation.
// Errors: shape_mismatch for a wrong rank or an input that is too small; out_of_range if strides
//   and dilation are both above 1.
// Source: Chollet, 2017; Keras 3, keras.layers.SeparableConv2D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& separableConv2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "SeparableConv2D",
                 .group = "Convolution",
                 .help = STRATA_TEXT("layers",
                                     "Separable 2D convolution: filters each channel separately, "
                                     "then mixes the channels"),
                 .formula = "y = activation((x * D) P + b)",
                 .source = "Chollet, 2017; Keras 3, keras.layers.SeparableConv2D",
                 .fields = {filtersField(), kernelSizeField(), stridesField("[1, 1]"),
                            paddingField(), dilationField(), depthMultiplierField(),
                            activationField(), useBiasField(),
                            initializerField("depthwise_initializer", "\"glorot_uniform\"",
                                             STRATA_TEXT("layers", "Depthwise initializer")),
                            initializerField("pointwise_initializer", "\"glorot_uniform\"",
                                             STRATA_TEXT("layers", "Pointwise initializer")),
                            initializerField("bias_initializer", "\"zeros\"",
                                             STRATA_TEXT("layers", "Bias initializer")),
                            regularizerField("depthwise_regularizer",
                                             STRATA_TEXT("layers", "Depthwise regularizer")),
                            regularizerField("pointwise_regularizer",
                                             STRATA_TEXT("layers", "Pointwise regularizer")),
                            regularizerField("bias_regularizer",
                                             STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = [](LayerContext& context) { return separableConvolution(context, 2); },
  };
  return definition;
}

}  // namespace strata

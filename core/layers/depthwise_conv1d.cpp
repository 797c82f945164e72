// SPDX-License-Identifier: Apache-2.0
// DepthwiseConv1D filters each channel of a sequence separately.
// Formula: y_c = activation(x_c * W_c + b_c), where * is cross-correlation along the steps.
// Input: [N,T,C].
// Output: [N,P,C depth_multiplier].
// Variables: W [S,C,depth_multiplier] `kernel`, b [C depth_multiplier] `bias`.
// Gradient: derived from its ops.
// Numerics: cross-correlation.
// Errors: shape_mismatch for a wrong rank or an input that is too short; out_of_range if strides
//   and dilation are both above 1.
// Source: Keras 3, keras.layers.DepthwiseConv1D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& depthwiseConv1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "DepthwiseConv1D",
                 .group = "Convolution",
                 .help = STRATA_TEXT("layers",
                                     "Depthwise 1D convolution: filters each channel separately"),
                 .formula = "y_c = activation(x_c * W_c + b_c)",
                 .source = "Keras 3, keras.layers.DepthwiseConv1D",
                 .fields = {sequenceKernelField(), sequenceStridesField("1"),
                            sequencePaddingField(false), depthMultiplierField(),
                            sequenceDilationField(), activationField(), useBiasField(),
                            initializerField("depthwise_initializer", "\"glorot_uniform\"",
                                             STRATA_TEXT("layers", "Kernel initializer")),
                            initializerField("bias_initializer", "\"zeros\"",
                                             STRATA_TEXT("layers", "Bias initializer")),
                            regularizerField("depthwise_regularizer",
                                             STRATA_TEXT("layers", "Kernel regularizer")),
                            regularizerField("bias_regularizer",
                                             STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = [](LayerContext& context) { return depthwiseConvolution(context, 1); },
  };
  return definition;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// DepthwiseConv1D: filters each channel of a sequence separately. Formula: y_c = activation(x_c *
// W_c + b_c). Input: [N,T,C]. Output: [N,P,C depth_multiplier]. W [S,C,depth_multiplier] `kernel`,
// b `bias`. Gradient: from its ops. Numerics: cross-correlation. Errors: shape_mismatch,
// out_of_range.
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

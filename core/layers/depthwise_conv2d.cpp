// SPDX-License-Identifier: Apache-2.0
// DepthwiseConv2D filters each channel of an image separately.
// Formula: y[n,p,q,c*M+m] = activation(sum over r,s of x[n,..,c] W[r,s,c,m] + b[c*M+m]); M is
//   `depth_multiplier`.
// Input: [N,H,W,C].
// Output: [N,P,Q,C M].
// Variables: W [R,S,C,M] `kernel`, b [C M] `bias`.
// Gradient: derived from its ops.
// Numerics: cross-correlation.
// Errors: shape_mismatch for a wrong rank or an input that is too small; out_of_range if strides
//   and dilation are both above 1.
// Source: Keras 3, keras.layers.DepthwiseConv2D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& depthwiseConv2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "DepthwiseConv2D",
                 .group = "Convolution",
                 .help = STRATA_TEXT("layers",
                                     "Depthwise 2D convolution: filters each channel separately"),
                 .formula = "y_c = activation(x_c * W_c + b_c)",
                 .source = "Keras 3, keras.layers.DepthwiseConv2D",
                 .fields = {kernelSizeField(), stridesField("[1, 1]"), paddingField(),
                            depthMultiplierField(), dilationField(), activationField(),
                            useBiasField(),
                            initializerField("depthwise_initializer", "\"glorot_uniform\"",
                                             STRATA_TEXT("layers", "Kernel initializer")),
                            initializerField("bias_initializer", "\"zeros\"",
                                             STRATA_TEXT("layers", "Bias initializer")),
                            regularizerField("depthwise_regularizer",
                                             STRATA_TEXT("layers", "Kernel regularizer")),
                            regularizerField("bias_regularizer",
                                             STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = [](LayerContext& context) { return depthwiseConvolution(context, 2); },
  };
  return definition;
}

}  // namespace strata

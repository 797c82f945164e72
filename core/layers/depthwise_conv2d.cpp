// SPDX-License-Identifier: Apache-2.0
// DepthwiseConv2D: each channel has filters of its own. Formula: y[n,p,q,c*M+m] = activation(sum over r,s of x[n,..,c] W[r,s,c,m] + b[c*M+m]).
// Input: [N,H,W,C]. Output: [N,P,Q,C*depth_multiplier]. W [R,S,C,M] `kernel`, b `bias`. Gradient: by its ops. Numerics: as Conv2D. Errors: shape_mismatch.
// Source: Keras 3, keras.layers.DepthwiseConv2D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerDepthwiseConv2d(LayerContext& context) {
  context.requireRank(4);
  Graph& g = context.graph;
  const int64_t channels = context.inputShape()[3], multiplier = context.integer("depth_multiplier");
  const auto kernel = context.pair("kernel_size"), strides = context.pair("strides"), dilation = context.pair("dilation_rate");
  if (std::max(strides[0], strides[1]) > 1 && std::max(dilation[0], dilation[1]) > 1)
    context.fail("out_of_range", "dilation_rate",
                 STRATA_TEXT("problem", "strides and dilation_rate can't both be above 1. Set one of them to 1."), {},
                 {context.setFieldFix("dilation_rate", "[1, 1]"), context.setFieldFix("strides", "[1, 1]")});
  const Window2D window = imageWindow(context, kernel, strides, dilation);
  const ValueId w = context.variable("kernel", {kernel[0], kernel[1], channels, multiplier}, "depthwise_initializer", true, 0, 0,
                                     "depthwise_regularizer");
  ValueId y = depthwiseConv2d(g, context.floatInput(), w, window);
  if (context.boolean("use_bias"))
    y = add(g, y, context.variable("bias", {channels * multiplier}, "bias_initializer", true, 0, 0, "bias_regularizer"));
  return context.activate(y);
}

}  // namespace

const LayerDef& depthwiseConv2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "DepthwiseConv2D",
                 .group = "Convolution",
                 .help = STRATA_TEXT("layers", "Each channel is filtered on its own: few weights, little work"),
                 .formula = "y_c = activation(x_c * W_c + b_c)",
                 .source = "Keras 3, keras.layers.DepthwiseConv2D",
                 .fields = {kernelSizeField(),
                            stridesField("[1, 1]"),
                            paddingField(),
                            {.name = "depth_multiplier",
                             .type = FieldType::Integer,
                             .defaultJson = "1",
                             .minimum = 1.0,
                             .maximum = 1e4,
                             .help = STRATA_TEXT("layers", "Filters of each channel"),
                             .title = STRATA_TEXT("layers", "Depth multiplier")},
                            dilationField(),
                            activationField(),
                            useBiasField(),
                            initializerField("depthwise_initializer", "\"glorot_uniform\"", STRATA_TEXT("layers", "Kernel starts as")),
                            initializerField("bias_initializer", "\"zeros\"", STRATA_TEXT("layers", "Bias starts as")),
                            regularizerField("depthwise_regularizer", STRATA_TEXT("layers", "Kernel regularizer")),
                            regularizerField("bias_regularizer", STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = lowerDepthwiseConv2d,
  };
  return definition;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// DepthwiseConv1D: each channel of a sequence filtered on its own. Formula: y_c = activation(x_c * W_c + b_c). Input: [N,T,C]. Output: [N,P,C
// depth_multiplier]. W [S,C,depth_multiplier] `kernel`, b `bias`. Gradient: by its ops. Numerics: cross-correlation. Errors: shape_mismatch, out_of_range.
// Source: Keras 3, keras.layers.DepthwiseConv1D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerDepthwiseConv1d(LayerContext& context) {
  context.requireRank(3);
  Graph& g = context.graph;
  const int64_t channels = context.inputShape()[2], multiplier = context.integer("depth_multiplier");
  const int64_t kernel = severalOf(context, "kernel_size", 1)[0], stride = severalOf(context, "strides", 1)[0],
                dilation = severalOf(context, "dilation_rate", 1)[0];
  requireOneOfStrideAndDilation(context, stride, dilation);
  const Window2D window = sequenceWindow(context, kernel, stride, dilation);
  const ValueId w =
      context.variable("kernel", {kernel, channels, multiplier}, "depthwise_initializer", true, 0, 0, "depthwise_regularizer");
  const ValueId y = depthwiseConv2d(g, asImage(g, context.floatInput()), reshape(g, w, {1, kernel, channels, multiplier}), window);
  return asSequence(g, context.activate(withBias(context, y, channels * multiplier)));
}

}  // namespace

const LayerDef& depthwiseConv1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "DepthwiseConv1D",
                 .group = "Convolution",
                 .help = STRATA_TEXT("layers", "Each channel of a sequence is filtered on its own"),
                 .formula = "y_c = activation(x_c * W_c + b_c)",
                 .source = "Keras 3, keras.layers.DepthwiseConv1D",
                 .fields = {sequenceKernelField(),
                            sequenceStridesField("1"),
                            sequencePaddingField(false),
                            {.name = "depth_multiplier",
                             .type = FieldType::Integer,
                             .defaultJson = "1",
                             .minimum = 1.0,
                             .maximum = 1e4,
                             .help = STRATA_TEXT("layers", "Filters of each channel"),
                             .title = STRATA_TEXT("layers", "Depth multiplier")},
                            sequenceDilationField(),
                            activationField(),
                            useBiasField(),
                            initializerField("depthwise_initializer", "\"glorot_uniform\"", STRATA_TEXT("layers", "Kernel starts as")),
                            initializerField("bias_initializer", "\"zeros\"", STRATA_TEXT("layers", "Bias starts as")),
                            regularizerField("depthwise_regularizer", STRATA_TEXT("layers", "Kernel regularizer")),
                            regularizerField("bias_regularizer", STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = lowerDepthwiseConv1d,
  };
  return definition;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// SeparableConv1D: each channel of a sequence filtered on its own, then the channels mixed at each step. Formula: y = activation((x * D) P + b). Input:
// [N,T,C]. Output: [N,P,filters]. D [S,C,depth_multiplier] `depthwise_kernel`, P [1,C depth_multiplier,filters] `pointwise_kernel`, b `bias`. Gradient: by
// its ops. Numerics: cross-correlation. Errors: shape_mismatch, out_of_range. Source: Chollet, 2017; Keras 3, keras.layers.SeparableConv1D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerSeparableConv1d(LayerContext& context) {
  context.requireRank(3);
  Graph& g = context.graph;
  const int64_t channels = context.inputShape()[2], multiplier = context.integer("depth_multiplier"), filters = context.integer("filters");
  const int64_t kernel = severalOf(context, "kernel_size", 1)[0], stride = severalOf(context, "strides", 1)[0],
                dilation = severalOf(context, "dilation_rate", 1)[0];
  requireOneOfStrideAndDilation(context, stride, dilation);
  const Window2D window = sequenceWindow(context, kernel, stride, dilation);
  const ValueId depthwise =
      context.variable("depthwise_kernel", {kernel, channels, multiplier}, "depthwise_initializer", true, 0, 0, "depthwise_regularizer");
  const int64_t mixed = channels * multiplier;
  const ValueId pointwise =
      context.variable("pointwise_kernel", {1, mixed, filters}, "pointwise_initializer", true, 0, 0, "pointwise_regularizer");
  const ValueId filtered =
      depthwiseConv2d(g, asImage(g, context.floatInput()), reshape(g, depthwise, {1, kernel, channels, multiplier}), window);
  const ValueId y = conv2d(g, filtered, reshape(g, pointwise, {1, 1, mixed, filters}), {});
  return asSequence(g, context.activate(withBias(context, y, filters)));
}

}  // namespace

const LayerDef& separableConv1dLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "SeparableConv1D",
           .group = "Convolution",
           .help = STRATA_TEXT("layers", "Filters each channel of a sequence on its own, then mixes the channels"),
           .formula = "y = activation((x * D) P + b)",
           .source = "Chollet, 2017; Keras 3, keras.layers.SeparableConv1D",
           .fields = {filtersField(),
                      sequenceKernelField(),
                      sequenceStridesField("1"),
                      sequencePaddingField(false),
                      sequenceDilationField(),
                      {.name = "depth_multiplier",
                       .type = FieldType::Integer,
                       .defaultJson = "1",
                       .minimum = 1.0,
                       .maximum = 1e4,
                       .help = STRATA_TEXT("layers", "Filters of each channel"),
                       .title = STRATA_TEXT("layers", "Depth multiplier")},
                      activationField(),
                      useBiasField(),
                      initializerField("depthwise_initializer", "\"glorot_uniform\"", STRATA_TEXT("layers", "Depthwise kernel starts as")),
                      initializerField("pointwise_initializer", "\"glorot_uniform\"", STRATA_TEXT("layers", "Pointwise kernel starts as")),
                      initializerField("bias_initializer", "\"zeros\"", STRATA_TEXT("layers", "Bias starts as")),
                      regularizerField("depthwise_regularizer", STRATA_TEXT("layers", "Depthwise regularizer")),
                      regularizerField("pointwise_regularizer", STRATA_TEXT("layers", "Pointwise regularizer")),
                      regularizerField("bias_regularizer", STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = lowerSeparableConv1d,
  };
  return definition;
}

}  // namespace strata

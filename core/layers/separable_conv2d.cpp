// SPDX-License-Identifier: Apache-2.0
// SeparableConv2D: each channel filtered on its own, then the channels mixed at each cell. Formula: y = activation((x * D) P + b). Input: [N,H,W,C]. Output:
// [N,P,Q,filters]. D [R,S,C,depth_multiplier] `depthwise_kernel`, P [1,1,C depth_multiplier,filters] `pointwise_kernel`, b `bias`. Gradient: by its ops.
// Numerics: cross-correlation. Errors: shape_mismatch, out_of_range. Source: Chollet, 2017; Keras 3, keras.layers.SeparableConv2D.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerSeparableConv2d(LayerContext& context) {
  context.requireRank(4);
  Graph& g = context.graph;
  const int64_t channels = context.inputShape()[3], multiplier = context.integer("depth_multiplier"), filters = context.integer("filters");
  const auto kernel = context.pair("kernel_size"), strides = context.pair("strides"), dilation = context.pair("dilation_rate");
  requireOneOfStrideAndDilation(context, std::max(strides[0], strides[1]), std::max(dilation[0], dilation[1]));
  const Window2D window = imageWindow(context, kernel, strides, dilation);
  const ValueId depthwise = context.variable("depthwise_kernel", {kernel[0], kernel[1], channels, multiplier}, "depthwise_initializer",
                                             true, 0, 0, "depthwise_regularizer");
  const int64_t mixed = channels * multiplier;
  const ValueId pointwise =
      context.variable("pointwise_kernel", {1, 1, mixed, filters}, "pointwise_initializer", true, 0, 0, "pointwise_regularizer");
  const ValueId y = conv2d(g, depthwiseConv2d(g, context.floatInput(), depthwise, window), pointwise, {});
  return context.activate(withBias(context, y, filters));
}

}  // namespace

const LayerDef& separableConv2dLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "SeparableConv2D",
           .group = "Convolution",
           .help = STRATA_TEXT("layers", "Filters each channel on its own, then mixes the channels: fewer weights than Conv2D"),
           .formula = "y = activation((x * D) P + b)",
           .source = "Chollet, 2017; Keras 3, keras.layers.SeparableConv2D",
           .fields = {filtersField(),
                      kernelSizeField(),
                      stridesField("[1, 1]"),
                      paddingField(),
                      dilationField(),
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
      .lower = lowerSeparableConv2d,
  };
  return definition;
}

}  // namespace strata

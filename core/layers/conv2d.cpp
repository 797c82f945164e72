// SPDX-License-Identifier: Apache-2.0
// Conv2D slides filters over an image.
// Formula: y[n,p,q,k] = activation(sum over r,s,c of x[n,p*stride+r*dilation-pad,..,c] W[r,s,c,k] +
//   b[k]).
// Input: [N,H,W,C].
// Output: [N,P,Q,filters].
// Variables: W [R,S,C/groups,filters] `kernel`, b [filters] `bias`.
// Gradient: derived from its ops.
// Numerics: cross-correlation; "same" puts an odd padding element at the end, like TensorFlow.
// Errors: shape_mismatch for a wrong rank, an input that is too small, or channels that `groups`
//   does not divide; out_of_range if `groups` does not divide `filters`, or if strides and dilation
//   are both above 1.
// Source: Keras 3, keras.layers.Conv2D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerConv2d(LayerContext& context) {
  context.requireRank(4);
  Graph& g = context.graph;
  const int64_t channels = context.inputShape()[3], filters = context.integer("filters"),
                groups = context.integer("groups");
  requireGroups(context, channels);
  const auto kernel = context.pair("kernel_size"), strides = context.pair("strides"),
             dilation = context.pair("dilation_rate");
  requireOneOfStrideAndDilation(context, std::max(strides[0], strides[1]),
                                std::max(dilation[0], dilation[1]));
  Window2D window = imageWindow(context, kernel, strides, dilation);
  window.groups = groups;
  const ValueId w = context.variable("kernel", {kernel[0], kernel[1], channels / groups, filters},
                                     "kernel_initializer", true, 0, 0, "kernel_regularizer");
  ValueId y = conv2d(g, context.floatInput(), w, window);
  if (context.boolean("use_bias"))
    y = add(
        g, y,
        context.variable("bias", {filters}, "bias_initializer", true, 0, 0, "bias_regularizer"));
  return context.activate(y);
}

}  // namespace

const LayerDef& conv2dLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "Conv2D",
           .group = "Convolution",
           .help = STRATA_TEXT(
               "layers", "2D convolution: small filters slide over an image and detect patterns"),
           .formula = "y = activation(x * W + b), where * is cross-correlation",
           .source = "Keras 3, keras.layers.Conv2D",
           .fields = {{.name = "filters",
                       .type = FieldType::Integer,
                       .exampleJson = "32",
                       .minimum = 1.0,
                       .maximum = 1e6,
                       .help = STRATA_TEXT(
                           "layers", "Number of filters, which is the number of output channels"),
                       .title = STRATA_TEXT("layers", "Filters")},
                      kernelSizeField(),
                      stridesField("[1, 1]"),
                      paddingField(),
                      dilationField(),
                      {.name = "groups",
                       .type = FieldType::Integer,
                       .defaultJson = "1",
                       .minimum = 1.0,
                       .maximum = 1e6,
                       .help = STRATA_TEXT("layers",
                                           "Number of groups that the channels are split into; "
                                           "each group is convolved separately"),
                       .title = STRATA_TEXT("layers", "Groups")},
                      activationField(),
                      useBiasField(),
                      initializerField("kernel_initializer", "\"glorot_uniform\"",
                                       STRATA_TEXT("layers", "Kernel initializer")),
                      initializerField("bias_initializer", "\"zeros\"",
                                       STRATA_TEXT("layers", "Bias initializer")),
                      regularizerField("kernel_regularizer",
                                       STRATA_TEXT("layers", "Kernel regularizer")),
                      regularizerField("bias_regularizer",
                                       STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = lowerConv2d,
  };
  return definition;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Conv2DTranspose is a transposed convolution. For each pixel of the input, it adds the filters,
// scaled by the channels of the pixel, to a larger image.
// Formula: y[n,p*stride+r*dilation-pad,..,k] += x[n,p,..,c] W[r,s,k,c], then activation(y + b).
// Input: [N,H,W,C].
// Output: [N,H',W',filters]; H' is H stride for "same" and (H - 1) stride + max(window, stride) for
//   "valid", unless `output_padding` is set.
// Variables: W [R,S,filters,C] `kernel`, b [filters] `bias`.
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: shape_mismatch unless the input has rank 4; out_of_range if strides and dilation are both
//   above 1, or if the output padding is not less than the stride.
// Source: Zeiler et al., 2010; Keras 3, keras.layers.Conv2DTranspose.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerConv2dTranspose(LayerContext& context) {
  context.requireRank(4);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const int64_t channels = in[3], filters = context.integer("filters");
  const auto kernel = context.pair("kernel_size"), strides = context.pair("strides"),
             dilation = context.pair("dilation_rate");
  requireOneOfStrideAndDilation(context, std::max(strides[0], strides[1]),
                                std::max(dilation[0], dilation[1]));
  Shape out{in[0]};
  Window2D window;
  window.strides = strides;
  window.dilation = dilation;
  for (size_t i = 0; i < 2; ++i) {
    const SpreadWindow spread =
        spreadWindow(context, in[static_cast<int>(i) + 1], kernel[i], strides[i], dilation[i], i);
    window.paddingBefore[i] = spread.before;
    window.paddingAfter[i] = spread.after;
    out.append(spread.size);
  }
  out.append(filters);
  context.requireSize(out);
  const ValueId w = context.variable("kernel", {kernel[0], kernel[1], filters, channels},
                                     "kernel_initializer", true, 0, 0, "kernel_regularizer");
  return context.activate(
      withBias(context, convTranspose2d(g, context.floatInput(), w, window, out), filters));
}

}  // namespace

const LayerDef& conv2dTransposeLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Conv2DTranspose",
                 .group = "Convolution",
                 .help =
                     STRATA_TEXT("layers", "Transposed 2D convolution, which enlarges an image"),
                 .formula = "y = activation(x * W transposed + b)",
                 .source = "Zeiler et al., 2010; Keras 3, keras.layers.Conv2DTranspose",
                 .fields = {filtersField(), kernelSizeField(), stridesField("[1, 1]"),
                            paddingField(), outputPaddingField(2), dilationField(),
                            activationField(), useBiasField(),
                            initializerField("kernel_initializer", "\"glorot_uniform\"",
                                             STRATA_TEXT("layers", "Kernel initializer")),
                            initializerField("bias_initializer", "\"zeros\"",
                                             STRATA_TEXT("layers", "Bias initializer")),
                            regularizerField("kernel_regularizer",
                                             STRATA_TEXT("layers", "Kernel regularizer")),
                            regularizerField("bias_regularizer",
                                             STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = lowerConv2dTranspose,
  };
  return definition;
}

}  // namespace strata

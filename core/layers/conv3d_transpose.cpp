// SPDX-License-Identifier: Apache-2.0
// Conv3DTranspose is a transposed convolution. For each voxel of the input, it adds the filters,
// scaled by the channels of the voxel, to a larger volume.
// Formula: y[n,p*stride+d*dilation-pad,..,k] += x[n,p,..,c] W[d,..,k,c], then activation(y + b).
// Input: [N,D,H,W,C].
// Output: [N,D',H',W',filters]; D' is D stride for "same" and (D - 1) stride + max(window, stride)
//   for "valid", unless `output_padding` is set.
// Variables: W [d,h,w,filters,C] `kernel`, b [filters] `bias`.
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: shape_mismatch unless the input has rank 5; out_of_range if strides and dilation are both
//   above 1, or if the output padding is not less than the stride.
// Source: Zeiler et al., 2010; Keras 3, keras.layers.Conv3DTranspose.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerConv3dTranspose(LayerContext& context) {
  context.requireRank(5);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const int64_t channels = in[4], filters = context.integer("filters");
  const auto kernel = severalOf(context, "kernel_size", 3),
             strides = severalOf(context, "strides", 3),
             dilation = severalOf(context, "dilation_rate", 3);
  requireOneOfStrideAndDilation(context, *std::max_element(strides.begin(), strides.end()),
                                *std::max_element(dilation.begin(), dilation.end()));
  std::vector<SpreadWindow> spread;
  for (size_t i = 0; i < 3; ++i)
    spread.push_back(
        spreadWindow(context, in[static_cast<int>(i) + 1], kernel[i], strides[i], dilation[i], i));
  Window2D window;
  window.strides = {strides[1], strides[2]};
  window.dilation = {dilation[1], dilation[2]};
  window.paddingBefore = {spread[1].before, spread[2].before};
  window.paddingAfter = {spread[1].after, spread[2].after};
  const int64_t height = spread[1].size, width = spread[2].size;
  context.requireSize({in[0], spread[0].size, height, width, filters});
  const ValueId w = context.variable("kernel", {kernel[0], kernel[1], kernel[2], filters, channels},
                                     "kernel_initializer", true, 0, 0, "kernel_regularizer");
  // Applies all planes of the filter at once, as additional filters, then adds each result at its
  // depth.
  const ValueId wide = reshape(g, transpose(g, w, {1, 2, 0, 3, 4}),
                               {kernel[1], kernel[2], kernel[0] * filters, channels});
  const ValueId planes =
      convTranspose2d(g, reshape(g, context.floatInput(), {in[0] * in[1], in[2], in[3], channels}),
                      wide, window, {in[0] * in[1], height, width, kernel[0] * filters});
  const int64_t cells = height * width;
  const ValueId parts = reshape(g, planes, {in[0], in[1], cells, kernel[0], filters});
  const int64_t spanned = (in[1] - 1) * strides[0] + (kernel[0] - 1) * dilation[0] + 1;
  const int64_t length = std::max(spanned, spread[0].before + spread[0].size);
  ValueId sum;
  for (int64_t d = 0; d < kernel[0]; ++d) {
    ValueId part = reshape(g, slice(g, parts, {0, 0, 0, d, 0}, {in[0], in[1], cells, 1, filters}),
                           {in[0], in[1], 1, cells * filters});
    if (strides[0] > 1) part = pad(g, part, {0, 0, 0, 0}, {0, 0, strides[0] - 1, 0});
    part = reshape(g, part, {in[0], in[1] * strides[0], cells * filters});
    const int64_t kept = std::min(in[1] * strides[0], length - d * dilation[0]);
    if (kept < in[1] * strides[0]) part = slice(g, part, {0, 0, 0}, {in[0], kept, cells * filters});
    part = pad(g, part, {0, d * dilation[0], 0}, {0, length - d * dilation[0] - kept, 0});
    sum = d == 0 ? part : add(g, sum, part);
  }
  sum = slice(g, sum, {0, spread[0].before, 0}, {in[0], spread[0].size, cells * filters});
  return context.activate(
      withBias(context, reshape(g, sum, {in[0], spread[0].size, height, width, filters}), filters));
}

}  // namespace

const LayerDef& conv3dTransposeLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Conv3DTranspose",
                 .group = "Convolution",
                 .help =
                     STRATA_TEXT("layers", "Transposed 3D convolution, which enlarges a volume"),
                 .formula = "y = activation(x * W transposed + b)",
                 .source = "Zeiler et al., 2010; Keras 3, keras.layers.Conv3DTranspose",
                 .fields = {filtersField(), volumeKernelField(), volumeStridesField("[1, 1, 1]"),
                            paddingField(), outputPaddingField(3), volumeDilationField(),
                            activationField(), useBiasField(),
                            initializerField("kernel_initializer", "\"glorot_uniform\"",
                                             STRATA_TEXT("layers", "Kernel initializer")),
                            initializerField("bias_initializer", "\"zeros\"",
                                             STRATA_TEXT("layers", "Bias initializer")),
                            regularizerField("kernel_regularizer",
                                             STRATA_TEXT("layers", "Kernel regularizer")),
                            regularizerField("bias_regularizer",
                                             STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = lowerConv3dTranspose,
  };
  return definition;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Conv1DTranspose is a transposed convolution. For each step of the input, it adds the filters,
// scaled by the features of the step, to a longer sequence.
// Formula: y[n,p*stride+s*dilation-pad,k] += x[n,p,c] W[s,k,c], then activation(y + b).
// Input: [N,T,C].
// Output: [N,T',filters]; T' is T stride for "same" and (T - 1) stride + max(window, stride) for
//   "valid", unless `output_padding` is set.
// Variables: W [S,filters,C] `kernel`, b [filters] `bias`.
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: shape_mismatch unless the input has rank 3; out_of_range if strides and dilation are both
//   above 1, or if the output padding is not less than the stride.
// Source: Zeiler et al., 2010; Keras 3, keras.layers.Conv1DTranspose.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerConv1dTranspose(LayerContext& context) {
  context.requireRank(3);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const int64_t channels = in[2], filters = context.integer("filters");
  const int64_t kernel = severalOf(context, "kernel_size", 1)[0],
                stride = severalOf(context, "strides", 1)[0],
                dilation = severalOf(context, "dilation_rate", 1)[0];
  requireOneOfStrideAndDilation(context, stride, dilation);
  const SpreadWindow spread = spreadWindow(context, in[1], kernel, stride, dilation, 0);
  Window2D window;
  window.strides = {1, stride};
  window.dilation = {1, dilation};
  window.paddingBefore = {0, spread.before};
  window.paddingAfter = {0, spread.after};
  const Shape out{in[0], 1, spread.size, filters};
  context.requireSize(out);
  const ValueId w = context.variable("kernel", {kernel, filters, channels}, "kernel_initializer",
                                     true, 0, 0, "kernel_regularizer");
  const ValueId y = convTranspose2d(g, asImage(g, context.floatInput()),
                                    reshape(g, w, {1, kernel, filters, channels}), window, out);
  return asSequence(g, context.activate(withBias(context, y, filters)));
}

}  // namespace

const LayerDef& conv1dTransposeLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Conv1DTranspose",
                 .group = "Convolution",
                 .help =
                     STRATA_TEXT("layers", "Transposed 1D convolution, which lengthens a sequence"),
                 .formula = "y = activation(x * W transposed + b)",
                 .source = "Zeiler et al., 2010; Keras 3, keras.layers.Conv1DTranspose",
                 .fields = {filtersField(), sequenceKernelField(), sequenceStridesField("1"),
                            sequencePaddingField(false), outputPaddingField(1),
                            sequenceDilationField(), activationField(), useBiasField(),
                            initializerField("kernel_initializer", "\"glorot_uniform\"",
                                             STRATA_TEXT("layers", "Kernel initializer")),
                            initializerField("bias_initializer", "\"zeros\"",
                                             STRATA_TEXT("layers", "Bias initializer")),
                            regularizerField("kernel_regularizer",
                                             STRATA_TEXT("layers", "Kernel regularizer")),
                            regularizerField("bias_regularizer",
                                             STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = lowerConv1dTranspose,
  };
  return definition;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Conv1D slides filters over a sequence, which it treats as an image of height 1.
// Formula: y[n,p,q] = activation(sum over s,c of x[n,p*stride+s*dilation-pad,c] W[s,c,q] + b[q]).
// Input: [N,T,C].
// Output: [N,P,filters].
// Variables: W [S,C/groups,filters] `kernel`, b [filters] `bias`.
// Gradient: derived from its ops.
// Numerics: cross-correlation; "causal" pads zeros only at the start.
// Errors: shape_mismatch for a wrong rank, an input that is too short, or channels that `groups`
//   does not divide; out_of_range if `groups` does not divide `filters`, or if strides and dilation
//   are both above 1.
// Source: Keras 3, keras.layers.Conv1D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerConv1d(LayerContext& context) {
  context.requireRank(3);
  Graph& g = context.graph;
  const int64_t channels = context.inputShape()[2], filters = context.integer("filters"),
                groups = context.integer("groups");
  requireGroups(context, channels);
  const int64_t kernel = severalOf(context, "kernel_size", 1)[0],
                stride = severalOf(context, "strides", 1)[0],
                dilation = severalOf(context, "dilation_rate", 1)[0];
  requireOneOfStrideAndDilation(context, stride, dilation);
  Window2D window = sequenceWindow(context, kernel, stride, dilation);
  window.groups = groups;
  const ValueId w = context.variable("kernel", {kernel, channels / groups, filters},
                                     "kernel_initializer", true, 0, 0, "kernel_regularizer");
  const ValueId y = conv2d(g, asImage(g, context.floatInput()),
                           reshape(g, w, {1, kernel, channels / groups, filters}), window);
  return asSequence(g, context.activate(withBias(context, y, filters)));
}

}  // namespace

const LayerDef& conv1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Conv1D",
                 .group = "Convolution",
                 .help = STRATA_TEXT(
                     "layers",
                     "1D convolution: small filters slide over a sequence and detect patterns"),
                 .formula = "y = activation(x * W + b), where * is cross-correlation",
                 .source = "Keras 3, keras.layers.Conv1D",
                 .fields = {filtersField(), sequenceKernelField(), sequenceStridesField("1"),
                            sequencePaddingField(true), sequenceDilationField(), groupsField(),
                            activationField(), useBiasField(),
                            initializerField("kernel_initializer", "\"glorot_uniform\"",
                                             STRATA_TEXT("layers", "Kernel initializer")),
                            initializerField("bias_initializer", "\"zeros\"",
                                             STRATA_TEXT("layers", "Bias initializer")),
                            regularizerField("kernel_regularizer",
                                             STRATA_TEXT("layers", "Kernel regularizer")),
                            regularizerField("bias_regularizer",
                                             STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = lowerConv1d,
  };
  return definition;
}

}  // namespace strata

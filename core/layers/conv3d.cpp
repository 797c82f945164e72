// SPDX-License-Identifier: Apache-2.0
// Conv3D slides filters through a volume. It sums 2D convolutions of planes over the depth of the
// filter.
// Formula: y[n,p,q,r,k] = activation(sum over the filter's elements and c of x[n,..,c] W[..,c,k] +
//   b[k]).
// Input: [N,D,H,W,C].
// Output: [N,P,Q,R,filters].
// Variables: W [d,h,w,C/groups,filters] `kernel`, b [filters] `bias`.
// Gradient: derived from its ops.
// Numerics: cross-correlation.
// Errors: shape_mismatch for a wrong rank, an input that is too small, or channels that `groups`
//   does not divide; out_of_range if `groups` does not divide `filters`, or if strides and dilation
//   are both above 1.
// Source: Keras 3, keras.layers.Conv3D.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerConv3d(LayerContext& context) {
  context.requireRank(5);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const int64_t channels = in[4], filters = context.integer("filters"),
                groups = context.integer("groups");
  requireGroups(context, channels);
  const auto kernel = severalOf(context, "kernel_size", 3),
             strides = severalOf(context, "strides", 3),
             dilation = severalOf(context, "dilation_rate", 3);
  requireOneOfStrideAndDilation(context, *std::max_element(strides.begin(), strides.end()),
                                *std::max_element(dilation.begin(), dilation.end()));
  const VolumeWindow volume = volumeWindow(context, kernel, strides, dilation);
  Window2D window = volume.plane;
  window.groups = groups;
  const Shape slices{kernel[1], kernel[2], channels / groups, filters};
  const ValueId w = reshape(
      g,
      context.variable("kernel", {kernel[0], kernel[1], kernel[2], channels / groups, filters},
                       "kernel_initializer", true, 0, 0, "kernel_regularizer"),
      {kernel[0], slices.numElements()});
  const ValueId x = deepened(g, context.floatInput(), volume, strides[0]);
  ValueId y;
  for (int64_t d = 0; d < kernel[0]; ++d) {
    const ValueId part = reshape(g, slice(g, w, {d, 0}, {1, slices.numElements()}), slices);
    const ValueId planes =
        conv2d(g, planesFrom(g, x, d * dilation[0], volume.depth, strides[0]), part, window);
    y = d == 0 ? planes : add(g, y, planes);
  }
  const Shape out = g.shape(y);
  return context.activate(
      withBias(context, reshape(g, y, {in[0], volume.depth, out[1], out[2], filters}), filters));
}

}  // namespace

const LayerDef& conv3dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Conv3D",
                 .group = "Convolution",
                 .help = STRATA_TEXT(
                     "layers",
                     "3D convolution: small filters slide through a volume and detect patterns"),
                 .formula = "y = activation(x * W + b), where * is cross-correlation",
                 .source = "Keras 3, keras.layers.Conv3D",
                 .fields = {filtersField(), volumeKernelField(), volumeStridesField("[1, 1, 1]"),
                            paddingField(), volumeDilationField(), groupsField(), activationField(),
                            useBiasField(),
                            initializerField("kernel_initializer", "\"glorot_uniform\"",
                                             STRATA_TEXT("layers", "Kernel initializer")),
                            initializerField("bias_initializer", "\"zeros\"",
                                             STRATA_TEXT("layers", "Bias initializer")),
                            regularizerField("kernel_regularizer",
                                             STRATA_TEXT("layers", "Kernel regularizer")),
                            regularizerField("bias_regularizer",
                                             STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = lowerConv3d,
  };
  return definition;
}

}  // namespace strata

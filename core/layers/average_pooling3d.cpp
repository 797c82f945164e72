// SPDX-License-Identifier: Apache-2.0
// AveragePooling3D: the mean of each window of a volume: over height and width first, then over depth. Input: [N,D,H,W,C]. Output: [N,P,Q,R,C]. Gradient: by
// its ops. Numerics: divides by the cells inside the input. Errors: shape_mismatch. Source: Keras 3, keras.layers.AveragePooling3D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerAveragePooling3d(LayerContext& context) {
  context.requireRank(5);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const auto pool = severalOf(context, "pool_size", 3),
             strides = context.fields.at("strides").is_null() ? pool : severalOf(context, "strides", 3);
  const VolumeWindow volume = volumeWindow(context, pool, strides, {1, 1, 1});
  const ValueId planes =
      avgPool2d(g, reshape(g, context.floatInput(), {in[0] * in[1], in[2], in[3], in[4]}), {pool[1], pool[2]}, volume.plane);
  const Shape out = g.shape(planes);
  Window2D window;
  window.strides = {strides[0], 1};
  window.paddingBefore = {volume.before, 0};
  window.paddingAfter = {volume.after, 0};
  const ValueId columns = reshape(g, planes, {in[0], in[1], 1, out[1] * out[2] * in[4]});
  return reshape(g, avgPool2d(g, columns, {pool[0], 1}, window), {in[0], volume.depth, out[1], out[2], in[4]});
}

}  // namespace

const LayerDef& averagePooling3dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "AveragePooling3D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Keeps the mean of each window: a smaller volume"),
                 .formula = "y = mean over the window of x",
                 .source = "Keras 3, keras.layers.AveragePooling3D",
                 .fields = {{.name = "pool_size",
                             .type = FieldType::IntegerOrList,
                             .defaultJson = "[2, 2, 2]",
                             .minimum = 1.0,
                             .maximum = 1024.0,
                             .count = 3,
                             .help = STRATA_TEXT("layers", "Depth, height and width of the window"),
                             .title = STRATA_TEXT("layers", "Pool size")},
                            {.name = "strides",
                             .type = FieldType::IntegerOrList,
                             .defaultJson = "null",
                             .minimum = 1.0,
                             .maximum = 1024.0,
                             .isNullable = true,
                             .count = 3,
                             .help = STRATA_TEXT("layers", "How far the window moves each time; left out, as far as it is large"),
                             .title = STRATA_TEXT("layers", "Strides")},
                            paddingField()}},
      .lower = lowerAveragePooling3d,
  };
  return definition;
}

}  // namespace strata

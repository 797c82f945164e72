// SPDX-License-Identifier: Apache-2.0
// GlobalAveragePooling3D: one mean a channel over depth, height and width. Input: [N,D,H,W,C]. Output: [N,C], with keepdims 1 in the place of each dimension.
// Gradient: shared by the cells. Numerics: float32 sums. Errors: shape_mismatch. Source: Keras 3, keras.layers.GlobalAveragePooling3D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerGlobalAveragePooling3d(LayerContext& context) {
  context.requireRank(5);
  return reduceMean(context.graph, context.floatInput(), {1, 2, 3}, context.boolean("keepdims"));
}

}  // namespace

const LayerDef& globalAveragePooling3dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GlobalAveragePooling3D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Keeps one mean a channel"),
                 .formula = "y_c = mean over depth, height and width of x_c",
                 .source = "Keras 3, keras.layers.GlobalAveragePooling3D",
                 .fields = {keepDimsField()}},
      .lower = lowerGlobalAveragePooling3d,
  };
  return definition;
}

}  // namespace strata

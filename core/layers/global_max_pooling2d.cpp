// SPDX-License-Identifier: Apache-2.0
// GlobalMaxPooling2D: one largest value a channel over height and width. Input: [N,H,W,C]. Output: [N,C], with keepdims 1 in the place of each dimension.
// Gradient: to the largest, shared among equals. Numerics: exact. Errors: shape_mismatch. Source: Keras 3, keras.layers.GlobalMaxPooling2D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerGlobalMaxPooling2d(LayerContext& context) {
  context.requireRank(4);
  return reduceMax(context.graph, context.floatInput(), {1, 2}, context.boolean("keepdims"));
}

}  // namespace

const LayerDef& globalMaxPooling2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GlobalMaxPooling2D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Keeps one largest value a channel"),
                 .formula = "y_c = max over height and width of x_c",
                 .source = "Keras 3, keras.layers.GlobalMaxPooling2D",
                 .fields = {keepDimsField()}},
      .lower = lowerGlobalMaxPooling2d,
  };
  return definition;
}

}  // namespace strata

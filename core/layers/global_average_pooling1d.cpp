// SPDX-License-Identifier: Apache-2.0
// GlobalAveragePooling1D: one mean a channel over steps. Input: [N,T,C]. Output: [N,C], with keepdims 1 in the place of each dimension. Gradient: shared by
// the cells. Numerics: float32 sums. Errors: shape_mismatch. Source: Keras 3, keras.layers.GlobalAveragePooling1D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerGlobalAveragePooling1d(LayerContext& context) {
  context.requireRank(3);
  return reduceMean(context.graph, context.floatInput(), {1}, context.boolean("keepdims"));
}

}  // namespace

const LayerDef& globalAveragePooling1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GlobalAveragePooling1D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Keeps one mean a channel"),
                 .formula = "y_c = mean over steps of x_c",
                 .source = "Keras 3, keras.layers.GlobalAveragePooling1D",
                 .fields = {keepDimsField()}},
      .lower = lowerGlobalAveragePooling1d,
  };
  return definition;
}

}  // namespace strata

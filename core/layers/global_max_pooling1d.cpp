// SPDX-License-Identifier: Apache-2.0
// GlobalMaxPooling1D: one largest value a channel over steps. Input: [N,T,C]. Output: [N,C], with keepdims 1 in the place of each dimension. Gradient: to the
// largest, shared among equals. Numerics: exact. Errors: shape_mismatch. Source: Keras 3, keras.layers.GlobalMaxPooling1D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerGlobalMaxPooling1d(LayerContext& context) {
  context.requireRank(3);
  return reduceMax(context.graph, context.floatInput(), {1}, context.boolean("keepdims"));
}

}  // namespace

const LayerDef& globalMaxPooling1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GlobalMaxPooling1D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Keeps one largest value a channel"),
                 .formula = "y_c = max over steps of x_c",
                 .source = "Keras 3, keras.layers.GlobalMaxPooling1D",
                 .fields = {keepDimsField()}},
      .lower = lowerGlobalMaxPooling1d,
  };
  return definition;
}

}  // namespace strata

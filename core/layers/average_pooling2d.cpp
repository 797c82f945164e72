// SPDX-License-Identifier: Apache-2.0
// AveragePooling2D: the mean of each window. Formula: y[n,p,q,c] = mean over the window's cells inside the image of x[n,..,c]. Input: [N,H,W,C].
// Output: [N,P,Q,C]. Gradient: shared by the cells. Numerics: float32 sums. Errors: shape_mismatch. Source: Keras 3, keras.layers.AveragePooling2D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerAveragePooling2d(LayerContext& context) {
  const auto pool = context.pair("pool_size");
  const auto strides = context.fields.at("strides").is_null() ? pool : context.pair("strides");
  const Window2D window = imageWindow(context, pool, strides, {1, 1});
  return avgPool2d(context.graph, context.floatInput(), pool, window);
}

}  // namespace

const LayerDef& averagePooling2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "AveragePooling2D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Keeps the mean of each window: a smaller image"),
                 .formula = "y = mean over the window of x",
                 .source = "Keras 3, keras.layers.AveragePooling2D",
                 .fields = {poolSizeField(), stridesField("null"), paddingField()}},
      .lower = lowerAveragePooling2d,
  };
  return definition;
}

}  // namespace strata

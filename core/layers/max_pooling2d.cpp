// SPDX-License-Identifier: Apache-2.0
// MaxPooling2D: the largest value of each window. Formula: y[n,p,q,c] = max over the window of x[n,..,c]. Input: [N,H,W,C]. Output: [N,P,Q,C].
// Gradient: to the first largest cell. Numerics: exact. Errors: shape_mismatch. Source: Keras 3, keras.layers.MaxPooling2D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerMaxPooling2d(LayerContext& context) {
  const auto pool = context.pair("pool_size");
  const auto strides = context.fields.at("strides").is_null() ? pool : context.pair("strides");
  const Window2D window = imageWindow(context, pool, strides, {1, 1});
  return maxPool2d(context.graph, context.floatInput(), pool, window);
}

}  // namespace

const LayerDef& maxPooling2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "MaxPooling2D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Keeps the largest value of each window: a smaller image"),
                 .formula = "y = max over the window of x",
                 .source = "Keras 3, keras.layers.MaxPooling2D",
                 .fields = {poolSizeField(), stridesField("null"), paddingField()}},
      .lower = lowerMaxPooling2d,
  };
  return definition;
}

}  // namespace strata

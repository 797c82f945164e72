// SPDX-License-Identifier: Apache-2.0
// MaxPooling1D: the largest value of each window of steps. Input: [N,T,C]. Output: [N,P,C]. Gradient: by its ops. Numerics: exact. Errors: shape_mismatch.
// Source: Keras 3, keras.layers.MaxPooling1D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerMaxPooling1d(LayerContext& context) {
  Graph& g = context.graph;
  const int64_t pool = severalOf(context, "pool_size", 1)[0];
  const int64_t stride = context.fields.at("strides").is_null() ? pool : severalOf(context, "strides", 1)[0];
  const Window2D window = sequenceWindow(context, pool, stride, 1);
  return asSequence(g, maxPool2d(g, asImage(g, context.floatInput()), {1, pool}, window));
}

}  // namespace

const LayerDef& maxPooling1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "MaxPooling1D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Keeps the largest value of each window: a shorter sequence"),
                 .formula = "y = max over the window of x",
                 .source = "Keras 3, keras.layers.MaxPooling1D",
                 .fields = {sequencePoolField(), sequenceStridesField("null"), sequencePaddingField(false)}},
      .lower = lowerMaxPooling1d,
  };
  return definition;
}

}  // namespace strata

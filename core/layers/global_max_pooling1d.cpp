// SPDX-License-Identifier: Apache-2.0
// GlobalMaxPooling1D: the maximum of each channel over steps. Input: [N,T,C]. Output: [N,C], with
// keepdims each reduced dimension has size 1. Gradient: to the maximum, divided among equal values.
// Numerics: exact. Errors: shape_mismatch. Source: Keras 3, keras.layers.GlobalMaxPooling1D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& globalMaxPooling1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GlobalMaxPooling1D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Takes the maximum of each channel"),
                 .formula = "y_c = max over steps of x_c",
                 .source = "Keras 3, keras.layers.GlobalMaxPooling1D",
                 .fields = {keepDimsField()}},
      .lower = [](LayerContext& context) { return pooledWhole(context, 1, PoolKind::Max); },
  };
  return definition;
}

}  // namespace strata

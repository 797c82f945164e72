// SPDX-License-Identifier: Apache-2.0
// GlobalMaxPooling1D: one largest value a channel over steps. Input: [N,T,C]. Output: [N,C], with
// keepdims 1 in the place of each dimension. Gradient: to the largest, shared among equals.
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

// SPDX-License-Identifier: Apache-2.0
// GlobalAveragePooling1D: the mean of each channel over steps. Input: [N,T,C]. Output: [N,C], with
// keepdims each reduced dimension has size 1. Gradient: divided equally among the cells. Numerics:
// float32 sums.
// Errors: shape_mismatch. Source: Keras 3, keras.layers.GlobalAveragePooling1D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& globalAveragePooling1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GlobalAveragePooling1D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Takes the average of each channel"),
                 .formula = "y_c = mean over steps of x_c",
                 .source = "Keras 3, keras.layers.GlobalAveragePooling1D",
                 .fields = {keepDimsField()}},
      .lower = [](LayerContext& context) { return pooledWhole(context, 1, PoolKind::Average); },
  };
  return definition;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// GlobalMaxPooling3D: the maximum of each channel over depth, height and width. Input: [N,D,H,W,C].
// Output: [N,C], with keepdims each reduced dimension has size 1. Gradient: to the maximum, divided
// among equal values. Numerics: exact. Errors: shape_mismatch. Source: Keras 3,
// keras.layers.GlobalMaxPooling3D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& globalMaxPooling3dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GlobalMaxPooling3D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Takes the maximum of each channel"),
                 .formula = "y_c = max over depth, height and width of x_c",
                 .source = "Keras 3, keras.layers.GlobalMaxPooling3D",
                 .fields = {keepDimsField()}},
      .lower = [](LayerContext& context) { return pooledWhole(context, 3, PoolKind::Max); },
  };
  return definition;
}

}  // namespace strata

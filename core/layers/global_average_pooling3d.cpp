// SPDX-License-Identifier: Apache-2.0
// GlobalAveragePooling3D averages each channel over depth, height and width.
// Input: [N,D,H,W,C].
// Output: [N,C], or [N,1,1,1,C] with `keepdims`.
// Gradient: divided equally among the elements.
// Numerics: float32 sums.
// Errors: shape_mismatch unless the input has rank 5.
// Source: Keras 3, keras.layers.GlobalAveragePooling3D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& globalAveragePooling3dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GlobalAveragePooling3D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Takes the average of each channel"),
                 .formula = "y_c = mean over depth, height and width of x_c",
                 .source = "Keras 3, keras.layers.GlobalAveragePooling3D",
                 .fields = {keepDimsField()}},
      .lower = [](LayerContext& context) { return pooledWhole(context, 3, PoolKind::Average); },
  };
  return definition;
}

}  // namespace strata

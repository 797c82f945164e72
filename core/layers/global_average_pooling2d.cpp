// SPDX-License-Identifier: Apache-2.0
// GlobalAveragePooling2D: the mean of each channel. Formula: y[n,c] = mean over h,w of x[n,h,w,c].
// Input: [N,H,W,C]. Output: [N,C], with keepdims [N,1,1,C].
// Gradient: divided equally among the cells. Numerics: float32 sums. Errors: shape_mismatch.
// Source: Keras 3, keras.layers.GlobalAveragePooling2D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& globalAveragePooling2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GlobalAveragePooling2D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Takes the average of each channel"),
                 .formula = "y_c = mean over height and width of x_c",
                 .source = "Keras 3, keras.layers.GlobalAveragePooling2D",
                 .fields = {switchField(
                     "keepdims", "false",
                     STRATA_TEXT("layers", "Keep height and width as dimensions of size 1"),
                     STRATA_TEXT("layers", "Keep dimensions"))}},
      .lower = [](LayerContext& context) { return pooledWhole(context, 2, PoolKind::Average); },
  };
  return definition;
}

}  // namespace strata

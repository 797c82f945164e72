// SPDX-License-Identifier: Apache-2.0
// GlobalAveragePooling2D averages each channel over height and width.
// Formula: y[n,c] = the mean of x[n,h,w,c] over h and w.
// Input: [N,H,W,C].
// Output: [N,C], or [N,1,1,C] with `keepdims`.
// Gradient: divided equally among the elements.
// Numerics: float32 sums.
// Errors: shape_mismatch unless the input has rank 4.
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

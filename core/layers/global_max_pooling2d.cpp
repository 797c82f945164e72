// SPDX-License-Identifier: Apache-2.0
// GlobalMaxPooling2D takes the maximum of each channel over height and width.
// Input: [N,H,W,C].
// Output: [N,C], or [N,1,1,C] with `keepdims`.
// Gradient: goes to the maximum; equal maxima share it.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 4.
// Source: Keras 3, keras.layers.GlobalMaxPooling2D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& globalMaxPooling2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GlobalMaxPooling2D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "Takes the maximum of each channel"),
                 .formula = "y_c = max over height and width of x_c",
                 .source = "Keras 3, keras.layers.GlobalMaxPooling2D",
                 .fields = {keepDimsField()}},
      .lower = [](LayerContext& context) { return pooledWhole(context, 2, PoolKind::Max); },
  };
  return definition;
}

}  // namespace strata

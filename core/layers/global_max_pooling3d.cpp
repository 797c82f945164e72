// SPDX-License-Identifier: Apache-2.0
// GlobalMaxPooling3D takes the maximum of each channel over depth, height and width.
// Input: [N,D,H,W,C].
// Output: [N,C], or [N,1,1,1,C] with `keepdims`.
// Gradient: goes to the maximum; equal maxima share it.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 5.
// Source: Keras 3, keras.layers.GlobalMaxPooling3D.
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

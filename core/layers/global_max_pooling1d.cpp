// SPDX-License-Identifier: Apache-2.0
// GlobalMaxPooling1D takes the maximum of each channel over the steps.
// Input: [N,T,C].
// Output: [N,C], or [N,1,C] with `keepdims`.
// Gradient: goes to the maximum; equal maxima share it.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 3.
// Source: Keras 3, keras.layers.GlobalMaxPooling1D.
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

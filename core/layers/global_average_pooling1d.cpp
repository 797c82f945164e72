// SPDX-License-Identifier: Apache-2.0
// GlobalAveragePooling1D averages each channel over the unmasked steps.
// Input: [N,T,C].
// Output: [N,C], or [N,1,C] with `keepdims`.
// Gradient: divided equally among the unmasked steps.
// Numerics: float32 sums.
// Errors: shape_mismatch unless the input has rank 3.
// Source: Keras 3, keras.layers.GlobalAveragePooling1D.
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

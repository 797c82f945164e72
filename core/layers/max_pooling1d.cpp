// SPDX-License-Identifier: Apache-2.0
// MaxPooling1D takes the maximum of each window of steps.
// Input: [N,T,C].
// Output: [N,P,C].
// Gradient: derived from its ops.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 3 and the window fits into it.
// Source: Keras 3, keras.layers.MaxPooling1D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& maxPooling1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "MaxPooling1D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "1D max pooling: takes the maximum of each window"),
                 .formula = "y = max over the window of x",
                 .source = "Keras 3, keras.layers.MaxPooling1D",
                 .fields = {sequencePoolField(), sequenceStridesField("null"),
                            sequencePaddingField(false)}},
      .lower = [](LayerContext& context) { return pooled(context, 1, PoolKind::Max); },
  };
  return definition;
}

}  // namespace strata

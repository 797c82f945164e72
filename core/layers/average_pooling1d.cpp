// SPDX-License-Identifier: Apache-2.0
// AveragePooling1D averages each window of steps.
// Input: [N,T,C].
// Output: [N,P,C].
// Gradient: derived from its ops.
// Numerics: float32 sums, divided by the number of steps inside the input; padding does not count.
// Errors: shape_mismatch unless the input has rank 3 and the window fits into it.
// Source: Keras 3, keras.layers.AveragePooling1D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& averagePooling1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "AveragePooling1D",
                 .group = "Pooling",
                 .help =
                     STRATA_TEXT("layers", "1D average pooling: takes the average of each window"),
                 .formula = "y = mean over the window of x",
                 .source = "Keras 3, keras.layers.AveragePooling1D",
                 .fields = {sequencePoolField(), sequenceStridesField("null"),
                            sequencePaddingField(false)}},
      .lower = [](LayerContext& context) { return pooled(context, 1, PoolKind::Average); },
  };
  return definition;
}

}  // namespace strata

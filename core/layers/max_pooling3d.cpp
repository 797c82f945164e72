// SPDX-License-Identifier: Apache-2.0
// MaxPooling3D takes the maximum of each window of a volume. It pools over height and width first,
// then over depth.
// Input: [N,D,H,W,C].
// Output: [N,P,Q,R,C].
// Gradient: derived from its ops.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 5 and the window fits into it.
// Source: Keras 3, keras.layers.MaxPooling3D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& maxPooling3dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "MaxPooling3D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "3D max pooling: takes the maximum of each window"),
                 .formula = "y = max over the window of x",
                 .source = "Keras 3, keras.layers.MaxPooling3D",
                 .fields = {volumePoolField(), volumeStridesField("null"), paddingField()}},
      .lower = [](LayerContext& context) { return pooled(context, 3, PoolKind::Max); },
  };
  return definition;
}

}  // namespace strata

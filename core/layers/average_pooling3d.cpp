// SPDX-License-Identifier: Apache-2.0
// AveragePooling3D averages each window of a volume. It pools over height and width first, then
// over depth.
// Input: [N,D,H,W,C].
// Output: [N,P,Q,R,C].
// Gradient: derived from its ops.
// Numerics: float32 sums, divided by the number of elements inside the input; padding does not
//   count.
// Errors: shape_mismatch unless the input has rank 5 and the window fits into it.
// Source: Keras 3, keras.layers.AveragePooling3D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& averagePooling3dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "AveragePooling3D",
                 .group = "Pooling",
                 .help =
                     STRATA_TEXT("layers", "3D average pooling: takes the average of each window"),
                 .formula = "y = mean over the window of x",
                 .source = "Keras 3, keras.layers.AveragePooling3D",
                 .fields = {volumePoolField(), volumeStridesField("null"), paddingField()}},
      .lower = [](LayerContext& context) { return pooled(context, 3, PoolKind::Average); },
  };
  return definition;
}

}  // namespace strata

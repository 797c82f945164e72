// SPDX-License-Identifier: Apache-2.0
// AveragePooling2D: the mean of each window. Formula: y[n,p,q,c] = mean over the window's cells
// inside the image of x[n,..,c]. Input: [N,H,W,C].
// Output: [N,P,Q,C]. Gradient: divided equally among the cells. Numerics: float32 sums. Errors:
// shape_mismatch.
// Source: Keras 3, keras.layers.AveragePooling2D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& averagePooling2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "AveragePooling2D",
                 .group = "Pooling",
                 .help =
                     STRATA_TEXT("layers", "2D average pooling: takes the average of each window"),
                 .formula = "y = mean over the window of x",
                 .source = "Keras 3, keras.layers.AveragePooling2D",
                 .fields = {poolSizeField(), stridesField("null"), paddingField()}},
      .lower = [](LayerContext& context) { return pooled(context, 2, PoolKind::Average); },
  };
  return definition;
}

}  // namespace strata

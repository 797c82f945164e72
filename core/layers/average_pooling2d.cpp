// SPDX-License-Identifier: Apache-2.0
// AveragePooling2D averages each window of an image.
// Formula: y[n,p,q,c] = the mean of x[n,..,c] over the window's elements inside the image.
// Input: [N,H,W,C].
// Output: [N,P,Q,C].
// Gradient: divided equally among the elements of the window.
// Numerics: float32 sums; padding does not count.
// Errors: shape_mismatch unless the input has rank 4 and the window fits into it.
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

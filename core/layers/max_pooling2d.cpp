// SPDX-License-Identifier: Apache-2.0
// MaxPooling2D takes the maximum of each window of an image.
// Formula: y[n,p,q,c] = the maximum of x[n,..,c] over the window.
// Input: [N,H,W,C].
// Output: [N,P,Q,C].
// Gradient: goes to the first maximum of the window.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 4 and the window fits into it.
// Source: Keras 3, keras.layers.MaxPooling2D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& maxPooling2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "MaxPooling2D",
                 .group = "Pooling",
                 .help = STRATA_TEXT("layers", "2D max pooling: takes the maximum of each window"),
                 .formula = "y = max over the window of x",
                 .source = "Keras 3, keras.layers.MaxPooling2D",
                 .fields = {poolSizeField(), stridesField("null"), paddingField()}},
      .lower = [](LayerContext& context) { return pooled(context, 2, PoolKind::Max); },
  };
  return definition;
}

}  // namespace strata

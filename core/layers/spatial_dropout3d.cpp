// SPDX-License-Identifier: Apache-2.0
// SpatialDropout3D sets random channels of each sample to zero during training.
// Formula: y = x kept[n,c] / (1 - rate).
// Input: [N,D,H,W,C].
// Output: the same shape.
// Gradient: divided by 1 - rate for the kept channels, otherwise zero.
// Numerics: the mask depends only on the seed, layer, step and sample.
// Errors: shape_mismatch unless the input has rank 5.
// Source: Tompson et al., 2014; Keras 3, keras.layers.SpatialDropout3D.
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& spatialDropout3dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "SpatialDropout3D",
                 .group = "Regularization",
                 .help =
                     STRATA_TEXT("layers", "Randomly sets whole channels to zero during training"),
                 .formula = "y = x * kept_c / (1 - rate)",
                 .source = "Tompson et al., 2014; Keras 3, keras.layers.SpatialDropout3D",
                 .fields = {rateField("0.2",
                                      STRATA_TEXT("layers", "Fraction of the channels to drop")),
                            seedField()}},
      .lower = [](LayerContext& context) { return withoutChannels(context, 3); },
  };
  return definition;
}

}  // namespace strata

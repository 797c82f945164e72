// SPDX-License-Identifier: Apache-2.0
// UpSampling2D: upsamples an image along height and width. Formula: each cell repeated, or
// interpolation between the cells (half-pixel centers). Input: [N,H,W,C].
// Output: `size` times as many cells. Gradient: summed over the copies. Numerics: exact, bilinear
// float32. Errors: shape_mismatch. Source: Keras 3, keras.layers.UpSampling2D.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& upSampling2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "UpSampling2D",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Upsamples an image along height and width"),
                 .formula = "y = x with each cell repeated size times",
                 .source = "Keras 3, keras.layers.UpSampling2D",
                 .fields = {{.name = "size",
                             .type = FieldType::IntegerPair,
                             .defaultJson = "[2, 2]",
                             .minimum = 1.0,
                             .maximum = 1024.0,
                             .help = STRATA_TEXT("layers", "Upsampling factor of each dimension"),
                             .title = STRATA_TEXT("layers", "Size")},
                            interpolationField("\"nearest\"")}},
      .lower = [](LayerContext& context) { return upSampled(context, 2); },
  };
  return definition;
}

}  // namespace strata

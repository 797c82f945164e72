// SPDX-License-Identifier: Apache-2.0
// UpSampling2D enlarges an image along height and width. It repeats each pixel, or interpolates
// between pixels at half-pixel centers.
// Input: [N,H,W,C].
// Output: [N,H size[0],W size[1],C].
// Gradient: derived from its ops.
// Numerics: "nearest" is exact, the other methods use float32.
// Errors: shape_mismatch unless the input has rank 4; too_large.
// Source: Keras 3, keras.layers.UpSampling2D.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& upSampling2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "UpSampling2D",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Upsamples an image along height and width"),
                 .formula = "y = x with each element repeated size times",
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

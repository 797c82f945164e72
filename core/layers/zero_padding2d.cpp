// SPDX-License-Identifier: Apache-2.0
// ZeroPadding2D adds zeros around an image along height and width.
// Input: [N,H,W,C].
// Output: [N,H',W',C]; height and width are larger by `padding`.
// Gradient: cropped to the input.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 4.
// Source: Keras 3, keras.layers.ZeroPadding2D.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& zeroPadding2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "ZeroPadding2D",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Pads an image with zeros"),
                 .formula = "y = x with zeros around it",
                 .source = "Keras 3, keras.layers.ZeroPadding2D",
                 .fields = {{.name = "padding",
                             .type = FieldType::Margins,
                             .defaultJson = "[[1, 1], [1, 1]]",
                             .minimum = 0.0,
                             .maximum = 65536.0,
                             .count = 2,
                             .help = STRATA_TEXT("layers", "Number of zeros to add on each side"),
                             .title = STRATA_TEXT("layers", "Padding")}}},
      .lower = [](LayerContext& context) { return padded(context, 2); },
  };
  return definition;
}

}  // namespace strata

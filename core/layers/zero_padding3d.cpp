// SPDX-License-Identifier: Apache-2.0
// ZeroPadding3D adds zeros around a volume along depth, height and width.
// Input: [N,D,H,W,C].
// Output: [N,D',H',W',C]; each size is larger by `padding`.
// Gradient: cropped to the input.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 5.
// Source: Keras 3, keras.layers.ZeroPadding3D.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& zeroPadding3dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "ZeroPadding3D",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Pads a volume with zeros"),
                 .formula = "y = x with zeros around it",
                 .source = "Keras 3, keras.layers.ZeroPadding3D",
                 .fields = {{.name = "padding",
                             .type = FieldType::Margins,
                             .defaultJson = "[[1, 1], [1, 1], [1, 1]]",
                             .minimum = 0.0,
                             .maximum = 65536.0,
                             .count = 3,
                             .help = STRATA_TEXT("layers", "Number of zeros to add on each side"),
                             .title = STRATA_TEXT("layers", "Padding")}}},
      .lower = [](LayerContext& context) { return padded(context, 3); },
  };
  return definition;
}

}  // namespace strata

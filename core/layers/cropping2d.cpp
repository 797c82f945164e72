// SPDX-License-Identifier: Apache-2.0
// Cropping2D removes rows and columns from the border of an image.
// Input: [N,H,W,C].
// Output: [N,H',W',C]; height and width are smaller by `cropping`.
// Gradient: the removed border receives zeros.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 4, or if nothing remains.
// Source: Keras 3, keras.layers.Cropping2D.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& cropping2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Cropping2D",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Crops an image along height and width"),
                 .formula = "y = x without its border",
                 .source = "Keras 3, keras.layers.Cropping2D",
                 .fields = {{.name = "cropping",
                             .type = FieldType::Margins,
                             .defaultJson = "[[0, 0], [0, 0]]",
                             .minimum = 0.0,
                             .maximum = 65536.0,
                             .count = 2,
                             .help =
                                 STRATA_TEXT("layers", "Number of elements to crop on each side"),
                             .title = STRATA_TEXT("layers", "Cropping")}}},
      .lower = [](LayerContext& context) { return cropped(context, 2); },
  };
  return definition;
}

}  // namespace strata

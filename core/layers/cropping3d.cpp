// SPDX-License-Identifier: Apache-2.0
// Cropping3D removes the border of a volume along depth, height and width.
// Input: [N,D,H,W,C].
// Output: [N,D',H',W',C]; each size is smaller by `cropping`.
// Gradient: the removed border receives zeros.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 5, or if nothing remains.
// Source: Keras 3, keras.layers.Cropping3D.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& cropping3dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Cropping3D",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Crops a volume along depth, height and width"),
                 .formula = "y = x without its border",
                 .source = "Keras 3, keras.layers.Cropping3D",
                 .fields = {{.name = "cropping",
                             .type = FieldType::Margins,
                             .defaultJson = "[[1, 1], [1, 1], [1, 1]]",
                             .minimum = 0.0,
                             .maximum = 65536.0,
                             .count = 3,
                             .help =
                                 STRATA_TEXT("layers", "Number of elements to crop on each side"),
                             .title = STRATA_TEXT("layers", "Cropping")}}},
      .lower = [](LayerContext& context) { return cropped(context, 3); },
  };
  return definition;
}

}  // namespace strata

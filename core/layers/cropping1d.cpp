// SPDX-License-Identifier: Apache-2.0
// Cropping1D removes steps from both ends of a sequence.
// Input: [N,T,C].
// Output: [N,T',C]; T' is smaller by `cropping`.
// Gradient: the removed steps receive zeros.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 3, or if nothing remains.
// Source: Keras 3, keras.layers.Cropping1D.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& cropping1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Cropping1D",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Crops time steps from both ends of a sequence"),
                 .formula = "y = x without its border",
                 .source = "Keras 3, keras.layers.Cropping1D",
                 .fields = {{.name = "cropping",
                             .type = FieldType::Margins,
                             .defaultJson = "[1, 1]",
                             .minimum = 0.0,
                             .maximum = 65536.0,
                             .count = 1,
                             .help =
                                 STRATA_TEXT("layers", "Number of elements to crop on each side"),
                             .title = STRATA_TEXT("layers", "Cropping")}}},
      .lower = [](LayerContext& context) { return cropped(context, 1); },
  };
  return definition;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// ZeroPadding1D adds zeros before and after the steps of a sequence.
// Input: [N,T,C].
// Output: [N,T',C]; T' is larger by `padding`.
// Gradient: cropped to the input.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 3.
// Source: Keras 3, keras.layers.ZeroPadding1D.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& zeroPadding1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "ZeroPadding1D",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Pads a sequence with zeros"),
                 .formula = "y = x with zeros around it",
                 .source = "Keras 3, keras.layers.ZeroPadding1D",
                 .fields = {{.name = "padding",
                             .type = FieldType::Margins,
                             .defaultJson = "1",
                             .minimum = 0.0,
                             .maximum = 65536.0,
                             .count = 1,
                             .help = STRATA_TEXT("layers", "Number of zeros to add on each side"),
                             .title = STRATA_TEXT("layers", "Padding")}}},
      .lower = [](LayerContext& context) { return padded(context, 1); },
  };
  return definition;
}

}  // namespace strata

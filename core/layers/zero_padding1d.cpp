// SPDX-License-Identifier: Apache-2.0
// ZeroPadding1D: zeros around along steps. Input: [N,T,C]. Output: larger by padding. Gradient: of what is inside. Numerics: exact. Errors: shape_mismatch.
// Source: Keras 3, keras.layers.ZeroPadding1D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerZeroPadding1d(LayerContext& context) {
  context.requireRank(3);
  return padded(context, "padding");
}

}  // namespace

const LayerDef& zeroPadding1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "ZeroPadding1D",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Puts zeros around, along steps"),
                 .formula = "y = x with zeros around it",
                 .source = "Keras 3, keras.layers.ZeroPadding1D",
                 .fields = {{.name = "padding",
                             .type = FieldType::Margins,
                             .defaultJson = "1",
                             .minimum = 0.0,
                             .maximum = 65536.0,
                             .count = 1,
                             .help = STRATA_TEXT("layers", "Zeros before and after"),
                             .title = STRATA_TEXT("layers", "Padding")}}},
      .lower = lowerZeroPadding1d,
  };
  return definition;
}

}  // namespace strata

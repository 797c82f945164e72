// SPDX-License-Identifier: Apache-2.0
// UnitNormalization scales vectors to length 1.
// Formula: y = x / max(|x|, 1e-12).
// Input: [N, ...].
// Output: the same shape.
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: out_of_range for a wrong axis.
// Source: Keras 3, keras.layers.UnitNormalization.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerUnitNormalization(LayerContext& context) {
  return unitLength(context.graph, context.floatInput(), axesOf(context, "axis"), 1e-12);
}

}  // namespace

const LayerDef& unitNormalizationLayer() {
  static const LayerDef definition = {
      .schema = {.type = "UnitNormalization",
                 .group = "Normalization",
                 .help = STRATA_TEXT("layers", "Scales vectors to length 1"),
                 .formula = "y = x / |x|",
                 .source = "Keras 3, keras.layers.UnitNormalization",
                 .fields = {axisField(
                     "-1", true,
                     STRATA_TEXT("layers",
                                 "Dimensions to normalize over; -1 is the last dimension"))}},
      .lower = lowerUnitNormalization,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata

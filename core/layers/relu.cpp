// SPDX-License-Identifier: Apache-2.0
// ReLU sets negative values to zero. A slope, a threshold and a limit are optional.
// Formula: y = max_value for x >= max_value, x for threshold <= x < max_value, otherwise
//   negative_slope (x - threshold).
// Input: any shape.
// Output: the same shape.
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: none.
// Source: Keras 3, keras.layers.ReLU.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerRelu(LayerContext& context) {
  return reluOf(context.graph, context.floatInput(), context.fields);
}

}  // namespace

const LayerDef& reluLayer() {
  static const LayerDef definition = {
      .schema = {.type = "ReLU",
                 .group = "Activation",
                 .help =
                     STRATA_TEXT("layers", "Rectified linear unit: negative values become zero"),
                 .formula = "y = min(max(x, 0), max_value)",
                 .source = "Keras 3, keras.layers.ReLU",
                 .fields = {{.name = "max_value",
                             .type = FieldType::Number,
                             .defaultJson = "null",
                             .minimum = 0.0,
                             .isNullable = true,
                             .help = STRATA_TEXT("layers",
                                                 "Maximum activation value; by default unlimited"),
                             .title = STRATA_TEXT("layers", "Maximum value")},
                            {.name = "negative_slope",
                             .type = FieldType::Number,
                             .defaultJson = "0.0",
                             .minimum = 0.0,
                             .help = STRATA_TEXT("layers", "Slope for values below the threshold"),
                             .title = STRATA_TEXT("layers", "Negative slope")},
                            {.name = "threshold",
                             .type = FieldType::Number,
                             .defaultJson = "0.0",
                             .minimum = 0.0,
                             .help = STRATA_TEXT("layers",
                                                 "Values at or above the threshold pass unchanged"),
                             .title = STRATA_TEXT("layers", "Threshold")}}},
      .lower = lowerRelu,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata

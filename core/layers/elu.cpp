// SPDX-License-Identifier: Apache-2.0
// ELU is the exponential linear unit.
// Formula: y = x for x > 0, otherwise alpha (exp(x) - 1).
// Input: any shape.
// Output: the same shape.
// Gradient: derived from its ops.
// Numerics: float32, computed with expm1.
// Errors: none.
// Source: Clevert et al., 2015; Keras 3, keras.layers.ELU.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerElu(LayerContext& context) {
  const double alpha = context.number("alpha");
  return alpha == 0 ? activation(context.graph, context.floatInput(), "relu")
                    : activation(context.graph, context.floatInput(), "elu", alpha);
}

}  // namespace

const LayerDef& eluLayer() {
  static const LayerDef definition = {
      .schema = {.type = "ELU",
                 .group = "Activation",
                 .help = STRATA_TEXT("layers", "Exponential linear unit"),
                 .formula = "y = x for x > 0, alpha * (exp(x) - 1) below",
                 .source = "Clevert et al., 2015; Keras 3, keras.layers.ELU",
                 .fields = {{.name = "alpha",
                             .type = FieldType::Number,
                             .defaultJson = "1.0",
                             .minimum = 0.0,
                             .help = STRATA_TEXT("layers",
                                                 "Scale for negative values: y approaches -alpha"),
                             .title = STRATA_TEXT("layers", "Alpha")}}},
      .lower = lowerElu,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata

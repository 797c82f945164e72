// SPDX-License-Identifier: Apache-2.0
// Dropout: while training, a share of the values is left out at random. Formula: y = x * kept / (1 - rate); in evaluation y = x. Input: any. Output: the same shape.
// Gradient: through the kept values. Numerics: which values are kept is a function of seed, layer, step, sample and element alone. Errors: none.
// Source: Srivastava et al., 2014; Keras 3, keras.layers.Dropout.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerDropout(LayerContext& context) {
  const double rate = context.number("rate");
  if (context.mode != StepMode::Train || rate == 0) return context.inputs[0];
  const Json& own = context.fields.at("seed");
  const ValueId seed = own.is_null() ? context.stepInput("seed") : constantScalar(context.graph, DType::I64, own.get<double>());
  return dropout(context.graph, context.floatInput(), seed, context.stepInput("step"), context.stepInput("first_sample"), rate,
                 context.name);
}

}  // namespace

const LayerDef& dropoutLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Dropout",
                 .group = "Regularization",
                 .help =
                     STRATA_TEXT("layers", "Leaves out a random share of the values while training, so that no one of them is relied on"),
                 .formula = "y = x * kept / (1 - rate)",
                 .source = "Srivastava et al., 2014; Keras 3, keras.layers.Dropout",
                 .fields = {{.name = "rate",
                             .type = FieldType::Number,
                             .exampleJson = "0.5",
                             .minimum = 0.0,
                             .maximum = 1.0,
                             .isMaximumExclusive = true,
                             .help = STRATA_TEXT("layers", "Share of the values that is left out"),
                             .title = STRATA_TEXT("layers", "Rate")},
                            {.name = "seed",
                             .type = FieldType::Integer,
                             .defaultJson = "null",
                             .minimum = 0.0,
                             .maximum = 9007199254740992.0,
                             .isNullable = true,
                             .help = STRATA_TEXT("layers", "Seed of its own; left out, the project's seed decides"),
                             .title = STRATA_TEXT("layers", "Seed")}}},
      .lower = lowerDropout,
  };
  return definition;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// RepeatVector repeats a vector n times.
// Formula: y[n,t,f] = x[n,f].
// Input: [N,F].
// Output: [N,n,F].
// Gradient: summed over the steps.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 2; too_large.
// Source: Keras 3, keras.layers.RepeatVector.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerRepeatVector(LayerContext& context) {
  context.requireRank(2);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const Shape out{in[0], context.integer("n"), in[1]};
  context.requireSize(out);
  return broadcastTo(g, reshape(g, context.inputs[0], {in[0], 1, in[1]}), out);
}

}  // namespace

const LayerDef& repeatVectorLayer() {
  static const LayerDef definition = {
      .schema = {.type = "RepeatVector",
                 .group = "Shape",
                 .help = STRATA_TEXT("layers", "Repeats a vector to form a sequence"),
                 .formula = "y_t = x",
                 .source = "Keras 3, keras.layers.RepeatVector",
                 .fields = {{.name = "n",
                             .type = FieldType::Integer,
                             .exampleJson = "2",
                             .minimum = 1.0,
                             .maximum = 1e6,
                             .help = STRATA_TEXT("layers", "Number of repetitions"),
                             .title = STRATA_TEXT("layers", "Repetitions")}}},
      .lower = lowerRepeatVector,
  };
  return definition;
}

}  // namespace strata

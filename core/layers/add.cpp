// SPDX-License-Identifier: Apache-2.0
// Add sums its inputs element by element.
// Formula: y = x1 + x2 + ... with broadcasting.
// Inputs: two or more.
// Output: the broadcast shape of the inputs.
// Gradient: passed to each input and summed over broadcast dimensions.
// Numerics: float32 sums in the order of the inputs.
// Errors: shape_mismatch if the inputs do not broadcast.
// Source: Keras 3, keras.layers.Add.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerAdd(LayerContext& context) {
  const std::vector<ValueId> inputs = mergeInputs(context);
  ValueId sum = inputs[0];
  for (size_t i = 1; i < inputs.size(); ++i)
    sum = add(context.graph, sum, inputs[i]);
  return sum;
}

}  // namespace

const LayerDef& addLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Add",
                 .group = "Merge",
                 .help = STRATA_TEXT("layers", "Adds its inputs, as in a residual connection"),
                 .formula = "y = x1 + x2 + ...",
                 .source = "Keras 3, keras.layers.Add",
                 .fields = {}},
      .minInputs = 2,
      .maxInputs = -1,
      .ports = {"x1", "x2"},
      .lower = lowerAdd,
      .masks = MaskRule::Any,
  };
  return definition;
}

}  // namespace strata

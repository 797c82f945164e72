// SPDX-License-Identifier: Apache-2.0
// GRU is a recurrent layer with gated units.
// Formula: z, r = recurrent_activation(x W + h U + b), h = z h + (1 - z) n. With `reset_after`, n =
//   activation(x W + b + r (h U + b')), otherwise n = activation(x W + (r h) U + b).
// Inputs: x [N,T,C] and optionally the initial state [N,units].
// Output: h of the last step [N,units], or of every step [N,T,units].
// Variables: gru_cell/ `kernel` [C,3 units], `recurrent_kernel` [units,3 units], `bias` [3 units].
//   With `reset_after`, `bias` is [2,3 units]: one row for the inputs, one for the recurrent
//   product. The gates are in the order z, r, n.
// Gradient: flows through all steps.
// Numerics: float32. Dropout uses one mask of the inputs and one of the state for all gates and
//   steps.
// Errors: shape_mismatch for a wrong input or state; missing_input for a wrong number of states;
//   out_of_range for an activation that is not element-wise.
// Source: Cho et al., 2014; Keras 3, keras.layers.GRU.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/recurrent_parts.h"

namespace strata {

namespace {

ValueId lowerGru(LayerContext& context) {
  const bool isAfter = context.boolean("reset_after");
  return lowerRecurrentLayer(
      context, {isAfter ? "gru" : "gru_reset_before", "gru_cell", 3, isAfter ? 2 : 1});
}

std::vector<FieldSchema> gruFields() {
  std::vector<FieldSchema> fields = recurrentFields(true);
  fields.push_back(switchField(
      "reset_after", "true",
      STRATA_TEXT("layers", "Apply the reset gate after the matrix product instead of before it"),
      STRATA_TEXT("layers", "Reset after")));
  return fields;
}

}  // namespace

const LayerDef& gruLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GRU",
                 .group = "Recurrent",
                 .help = STRATA_TEXT("layers",
                                     "Gated recurrent unit: a recurrent layer with two gates"),
                 .formula = "h = z h + (1 - z) n, n = activation(x W + b + r (h U + b')); z, r = "
                            "recurrent_activation(x W + h U + b)",
                 .source = "Cho et al., 2014; Keras 3, keras.layers.GRU",
                 .fields = gruFields()},
      .maxInputs = 2,
      .ports = {"x", "state"},
      .lower = lowerGru,
      .countOutputs = outputsWithState,
  };
  return definition;
}

}  // namespace strata

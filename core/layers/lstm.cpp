// SPDX-License-Identifier: Apache-2.0
// LSTM is a recurrent layer with long short-term memory.
// Formula: i, f, o = recurrent_activation(x W + h U + b), g = activation(x W + h U + b), c = f c +
//   i g, h = o activation(c).
// Inputs: x [N,T,C] and optionally the initial state h and cell state c, both [N,units]; the
//   default is zero.
// Output: h of the last step [N,units], or of every step [N,T,units].
// Variables: lstm_cell/ `kernel` [C,4 units], `recurrent_kernel` [units,4 units], `bias` [4 units].
//   The gates are in the order i, f, g, o.
// Gradient: flows through all steps.
// Numerics: float32. Dropout uses one mask of the inputs and one of the state for all gates and
//   steps.
// Errors: shape_mismatch for a wrong input or state; missing_input for a wrong number of states;
//   out_of_range for an activation that is not element-wise.
// Source: Hochreiter and Schmidhuber, 1997; Keras 3, keras.layers.LSTM.
#include <nlohmann/json.hpp>

#include "core/layers/recurrent_parts.h"

namespace strata {

namespace {

ValueId lowerLstm(LayerContext& context) {
  CellParts parts{"lstm", "lstm_cell", 4};
  if (context.boolean("unit_forget_bias")) {
    parts.onesFrom = context.integer("units");
    parts.onesTo = 2 * parts.onesFrom;
  }
  return lowerRecurrentLayer(context, parts);
}

std::vector<FieldSchema> lstmFields() {
  std::vector<FieldSchema> fields = recurrentFields(true);
  fields.push_back(forgetBiasField());
  return fields;
}

}  // namespace

const LayerDef& lstmLayer() {
  static const LayerDef definition = {
      .schema = {.type = "LSTM",
                 .group = "Recurrent",
                 .help = STRATA_TEXT(
                     "layers", "Long short-term memory: a recurrent layer with a gated cell state"),
                 .formula = "c = f c + i g, h = o activation(c); i, f, o = recurrent_activation(x "
                            "W + h U + b), g = activation(x W + h U + b)",
                 .source = "Hochreiter and Schmidhuber, 1997; Keras 3, keras.layers.LSTM",
                 .fields = lstmFields()},
      .maxInputs = 3,
      .ports = {"x", "state", "cell_state"},
      .lower = lowerLstm,
      .countOutputs = outputsWithCellState,
  };
  return definition;
}

}  // namespace strata

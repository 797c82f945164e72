// SPDX-License-Identifier: Apache-2.0
// SimpleRNN is a fully connected recurrent layer.
// Formula: h = activation(x W + h U + b).
// Inputs: x [N,T,C] and optionally the initial state [N,units].
// Output: h of the last step [N,units], or of every step [N,T,units].
// Variables: simple_rnn_cell/ `kernel` [C,units], `recurrent_kernel` [units,units], `bias` [units].
// Gradient: flows through all steps.
// Numerics: float32.
// Errors: shape_mismatch for a wrong input or state; missing_input for a wrong number of states;
//   out_of_range for an activation that is not element-wise.
// Source: Elman, 1990; Keras 3, keras.layers.SimpleRNN.
#include <nlohmann/json.hpp>

#include "core/layers/recurrent_parts.h"

namespace strata {

namespace {

ValueId lowerSimpleRnn(LayerContext& context) {
  return lowerRecurrentLayer(context, {"simple", "simple_rnn_cell", 1});
}

}  // namespace

const LayerDef& simpleRnnLayer() {
  static const LayerDef definition = {
      .schema = {.type = "SimpleRNN",
                 .group = "Recurrent",
                 .help = STRATA_TEXT("layers",
                                     "Fully connected recurrent layer: the output of each time "
                                     "step is fed into the next"),
                 .formula = "h = activation(x W + h U + b)",
                 .source = "Elman, 1990; Keras 3, keras.layers.SimpleRNN",
                 .fields = recurrentFields(false)},
      .maxInputs = 2,
      .ports = {"x", "state"},
      .lower = lowerSimpleRnn,
      .countOutputs = outputsWithState,
  };
  return definition;
}

}  // namespace strata

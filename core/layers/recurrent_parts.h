// SPDX-License-Identifier: Apache-2.0
// Fields and lowerings shared by SimpleRNN, GRU, LSTM and the wrapper layers. A recurrent layer is
// lowered to one op.
// Not here: the formulas of the cells (gpu/ops/recurrent.cpp).
// Thread: any thread may call these functions. They edit only the given graph.
#pragma once

#include <string>
#include <vector>

#include "core/layers/layer.h"

namespace strata {

/// The fields of every recurrent layer: units, activations and so on. `hasGates` adds
/// recurrent_activation. Layers append further fields.
std::vector<FieldSchema> recurrentFields(bool hasGates);

FieldSchema forgetBiasField();
/// The field `return_state`: whether the layer also returns its last state.
FieldSchema returnStateField();
/// These functions implement LayerDef::countOutputs. The first one is for layers with one state,
/// and the second one for layers that also have a cell state.
int outputsWithState(const Json& fields);
int outputsWithCellState(const Json& fields);
/// Returns the dropout mask that all steps of a sample share: 1 / (1 - rate) for kept elements,
/// otherwise 0. Returns an invalid value if nothing is dropped.
ValueId keptAtAllSteps(LayerContext& context, const char* rateField, const Shape& shape);

/// Describes the cell of a recurrent layer.
struct CellParts {
  // Kind of the cell, such as "lstm"
  std::string cell;
  // Path of the variables, such as "lstm_cell"
  std::string path;
  // Number of gates: the kernels have gates * units columns
  int64_t gates = 1;
  // Number of rows of the bias; 2 for separate biases of the inputs and of the recurrent product
  int64_t biasRows = 1;
  // Range of the bias that is initialized with ones
  int64_t onesFrom = 0, onesTo = 0;
};
/// Lowers a recurrent layer. Its inputs are the sequence [N,T,C] and optionally the initial states.
/// Fails: shape_mismatch; missing_input for a wrong number of states; out_of_range for an
/// activation that is not element-wise; too_large.
ValueId lowerRecurrentLayer(LayerContext& context, const CellParts& parts);

/// Reverses the steps of [N,T,...].
ValueId reversedSteps(Graph& g, ValueId x);

/// The arguments of lowerWrapped(). `inner` is the contained layer, which gets the name
/// `<wrapper>/<name>`.
struct WrappedCall {
  const Json& inner;
  std::string name;
  std::vector<ValueId> inputs, masks = {};
  int64_t batchSize = 1;
  bool keepsOrder = false;
  int64_t timeSteps = 1;
  decltype(LayerCall::replaceVariable) replaceVariable = {};
};
struct WrappedResult {
  ValueId value, mask;
  std::vector<ValueId> moreOutputs;
};
/// Lowers the contained layer of a wrapper. Adds its variables, next values and penalties to
/// `outer`, the context of the wrapper. Problems of the contained layer are reported for the
/// wrapper.
WrappedResult lowerWrapped(LayerContext& outer, WrappedCall wrapped);
/// Returns the name that Keras gives to a layer without a name: "LSTM" -> "lstm", "SimpleRNN" ->
/// "simple_rnn".
std::string snakeCaseOf(const std::string& type);
/// Returns the field `name` of a layer or, if it is missing, the type in snake case.
std::string nameOfWrapped(const Json& inner);

}  // namespace strata

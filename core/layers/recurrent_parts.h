// SPDX-License-Identifier: Apache-2.0
// What SimpleRNN, GRU, LSTM and their wrappers share: fields and the lowering to one op per
// direction. Not here: the cells' formulas (gpu/ops/recurrent.cpp).
// Thread: edits only the given graph.
#pragma once

#include <string>
#include <vector>

#include "core/layers/layer.h"

namespace strata {

/// Fields of a recurrent layer: units, activations, ...; `hasGates` adds recurrent_activation. The
/// layer appends its own fields.
std::vector<FieldSchema> recurrentFields(bool hasGates);

FieldSchema forgetBiasField();
/// `return_state`: the layer also returns its last state.
FieldSchema returnStateField();
/// LayerDef::countOutputs of a layer with one state, and with a cell state as well.
int outputsWithState(const Json& fields);
int outputsWithCellState(const Json& fields);
/// The dropout mask of all steps during training: 1 / (1 - rate) where kept, else 0. Invalid where
/// nothing is dropped.
ValueId keptAtAllSteps(LayerContext& context, const char* rateField, const Shape& shape);

struct CellParts {
  // Kind of the op: "lstm"
  std::string cell;
  // Path of the variables: "lstm_cell"
  std::string path;
  // Width of the kernels in `units`
  int64_t gates = 1;
  // 2: separate biases of the inputs and of the recurrent product
  int64_t biasRows = 1;
  // Range of the bias that is initialized with ones
  int64_t onesFrom = 0, onesTo = 0;
};
/// Inputs: [N,T,C], then optionally the initial states. Fails: shape_mismatch, unsupported (an
/// activation along an axis).
ValueId lowerRecurrentLayer(LayerContext& context, const CellParts& parts);

/// [N,T,...] with its steps in reverse order.
ValueId reversedSteps(Graph& g, ValueId x);

/// A call of the layer in a field of a wrapper, under `name`. The wrapper owns its variables.
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
WrappedResult lowerWrapped(LayerContext& outer, WrappedCall wrapped);
/// "LSTM" -> "lstm", "SimpleRNN" -> "simple_rnn": the name that Keras gives to a layer without one.
std::string snakeCaseOf(const std::string& type);
/// The name in the object, else the snake case of its type.
std::string nameOfWrapped(const Json& inner);

}  // namespace strata

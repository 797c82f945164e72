// SPDX-License-Identifier: Apache-2.0
// What SimpleRNN, GRU, LSTM and the layers around them share: fields and the lowering to one op a
// direction. Not here: the cells' formulas (gpu/ops/recurrent.cpp).
// Thread: edit the given graph only.
#pragma once

#include <string>
#include <vector>

#include "core/layers/layer.h"

namespace strata {

/// Fields of a recurrent layer: units, activations, ...; `hasGates`: recurrent_activation too. The
/// layer appends its own.
std::vector<FieldSchema> recurrentFields(bool hasGates);

FieldSchema forgetBiasField();
/// `return_state`: the last state is given, too.
FieldSchema returnStateField();
/// LayerDef::countOutputs of a layer with one state, and with a cell state as well.
int outputsWithState(const Json& fields);
int outputsWithCellState(const Json& fields);
/// While training, 1 / (1 - rate) where kept, else 0; the same at all steps. Invalid where nothing
/// is left out.
ValueId keptAtAllSteps(LayerContext& context, const char* rateField, const Shape& shape);

struct CellParts {
  // Of the op: "lstm"
  std::string cell;
  // Of the variables: "lstm_cell"
  std::string path;
  // Widths of `units` of the kernels
  int64_t gates = 1;
  // 2: a bias of the inputs and one of the recurrent product
  int64_t biasRows = 1;
  // Of the bias: starts at one there
  int64_t onesFrom = 0, onesTo = 0;
};
/// Inputs: [N,T,C], then perhaps the state the sequence begins with. Fails: shape_mismatch,
/// unsupported (an activation along an axis).
ValueId lowerRecurrentLayer(LayerContext& context, const CellParts& parts);

/// [N,T,...] from the last step to the first.
ValueId reversedSteps(Graph& g, ValueId x);

/// The layer that a field of a wrapper holds, as it stands under `name`: its variables are the
/// wrapper's.
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
/// "LSTM" -> "lstm", "SimpleRNN" -> "simple_rnn": Keras's name of a layer without one.
std::string snakeCaseOf(const std::string& type);
/// The name given, else that of its type.
std::string nameOfWrapped(const Json& inner);

}  // namespace strata

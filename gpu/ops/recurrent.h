// SPDX-License-Identifier: Apache-2.0
// Positions of the operands and results of a recurrent op, which depend on its attributes. The
// shape rule and the kernels use them. The formulas are in recurrent.cpp.
// Thread: all functions are pure.
#pragma once

#include <optional>

#include "gpu/graph/attributes.h"

namespace strata {

enum class RecurrentCell : unsigned char { Simple, Lstm, Gru, GruResetBefore };

/// Returns the cell with this name, or nullopt if the name is unknown.
std::optional<RecurrentCell> recurrentCellOf(std::string_view name);

/// Positions of operands and results, or -1 for an operand or result that the op does not have.
struct RecurrentForm {
  RecurrentCell cell = RecurrentCell::Simple;
  bool isBackwards = false;
  // The number of gates. The projection has `gates` numbers for each unit.
  int gates = 1;
  // Positions of inputs. The inputs of recurrent begin with projection and kernel. The inputs of
  // recurrent_backward begin with gates, kernel and sequence.
  int kernel = 1, sequence = -1, inner = -1, bias = -1, state = -1, cellState = -1, factors = -1,
      mask = -1;
  int sequenceGradient = -1, lastGradient = -1, lastCellGradient = -1;
  int numInputs = 0;
  // Positions of the results of recurrent. Result 0 is the sequence
  int last = 1, lastCell = -1, gatesOut = -1, innerOut = -1;
  // Positions of the results of recurrent_backward. Result 0 is the gradient of the projection
  int previous = 1, recurrentGradient = -1, stateGradient = -1, cellStateGradient = -1;
  int numOutputs = 0;
};

/// These functions return the positions for `recurrent` and `recurrent_backward` with these
/// attributes.
/// Requires: the attribute `cell` is a known name.
RecurrentForm recurrentForm(const Attributes& attributes);
RecurrentForm recurrentBackwardForm(const Attributes& attributes);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// The operands and results of a recurrent op and their order, found from its attributes, for the
// shape rule and kernels. Formulas: recurrent.cpp.
// Thread: pure.
#pragma once

#include <optional>

#include "gpu/graph/attributes.h"

namespace strata {

enum class RecurrentCell : unsigned char { Simple, Lstm, Gru, GruResetBefore };

/// Nothing if the name is unknown.
std::optional<RecurrentCell> recurrentCellOf(std::string_view name);

/// Positions of operands and results; -1 if there is none.
struct RecurrentForm {
  RecurrentCell cell = RecurrentCell::Simple;
  bool isBackwards = false;
  // The width of the projection in multiples of `units`
  int gates = 1;
  // recurrent: projection, kernel, ...; recurrent_backward: gates, kernel, sequence, ...
  int kernel = 1, sequence = -1, inner = -1, bias = -1, state = -1, cellState = -1, factors = -1,
      mask = -1;
  int sequenceGradient = -1, lastGradient = -1, lastCellGradient = -1;
  int numInputs = 0;
  // Results of recurrent.
  int last = 1, lastCell = -1, gatesOut = -1, innerOut = -1;
  // Results of recurrent_backward: gradient of the projection, then
  int previous = 1, recurrentGradient = -1, stateGradient = -1, cellStateGradient = -1;
  int numOutputs = 0;
};

/// Requires: a known cell.
RecurrentForm recurrentForm(const Attributes& attributes);
RecurrentForm recurrentBackwardForm(const Attributes& attributes);

}  // namespace strata

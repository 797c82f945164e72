// SPDX-License-Identifier: Apache-2.0
// The optional operands of an attention op, found from its attributes, for the shape rule and
// kernels. Formulas: attention.cpp.
// Thread: pure.
#pragma once

#include "gpu/graph/attributes.h"

namespace strata {

/// Positions of operands; -1 if there is none. seed is followed by step and first_sample.
struct AttentionForm {
  int mask = -1, seed = -1;
  int numInputs = 0;
};
AttentionForm attentionForm(const Attributes& attributes, bool isBackward);

}  // namespace strata

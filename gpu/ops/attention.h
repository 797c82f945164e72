// SPDX-License-Identifier: Apache-2.0
// Positions of the optional operands of an attention op, which depend on its attributes. The shape
// rule and the kernels use them. The formulas are in attention.cpp.
// Thread: all functions are pure.
#pragma once

#include "gpu/graph/attributes.h"

namespace strata {

/// Positions of operands, or -1 for an operand that the op does not have. The operands step and
/// first_sample follow directly after `seed`.
struct AttentionForm {
  int mask = -1, seed = -1;
  int numInputs = 0;
};
AttentionForm attentionForm(const Attributes& attributes, bool isBackward);

}  // namespace strata

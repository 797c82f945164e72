// SPDX-License-Identifier: Apache-2.0
// Positions of the operands of an attention op, which depend on its attributes. Shape rules and
// kernels use them. The formulas are in attention.cpp.
// Thread: all functions are pure.
#pragma once

#include <string_view>

#include "gpu/graph/op.h"

namespace strata {

/// Positions of operands, or -1 for an operand that the op does not have. The operands step and
/// first_sample follow directly after `seed`.
struct AttentionForm {
  /// Whether one operand is query, key and value.
  bool isJoined = false;
  int result = -1, logSums = -1, gradient = -1;
  int mask = -1, seed = -1;
  int numInputs = 0;
};
/// Returns the positions for an op of this name.
AttentionForm attentionForm(std::string_view op, const Attributes& attributes);
/// Returns the type of query, key and value if one operand of this type is all of them.
TensorType partOfJoined(const TensorType& joined);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Positions of the operands of an attention op, some of which depend on its attributes. Shape rules
// and kernels use them. The formulas are in attention.cpp. Here, "joined" is an operand of
// self_attention.cpp.
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
/// Returns the cost of a node of an attention op whose query and value have these shapes.
Cost attentionCost(const Graph& graph, const Node& node, const Shape& q, const Shape& v);

}  // namespace strata

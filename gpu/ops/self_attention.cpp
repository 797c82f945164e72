// SPDX-License-Identifier: Apache-2.0
// self_attention {the attributes of attention} (qkv[, mask][, seed, step, first_sample]) -> y,
// log_sums: attention whose query, key and value are parts of one tensor. A pass of cards creates
// it, because one product then computes all three.
// Inputs: qkv [N,T,3H,D]: H heads of the query, those of the key, then those of the value. The
// others, and the outputs, are those of attention.cpp.
//
// self_attention_backward {the same attributes} (qkv, y, log_sums, dy[, mask][, seed, step,
// first_sample]) -> dqkv.
//
// Gradient: none, because passes create these ops after differentiation.
// Errors, numerics, source: as attention.cpp.
#include "gpu/base/error.h"
#include "gpu/ops/attention.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

std::vector<TensorType> inferForms(const ShapeContext& c, bool isBackward) {
  const TensorType& joined = c.inputs[0];
  if (joined.shape.rank() != 4 || joined.shape[2] % 3 != 0)
    c.fail("the operand has shape " + joined.shape.toString() +
           " (expected [samples, steps, 3 x heads, size]).");
  const Attributes attributes = c.attributes;
  std::vector<TensorType> operands(3, partOfJoined(joined));
  operands.insert(operands.end(), c.inputs.begin() + 1, c.inputs.end());
  const OpDef& separate = opNamed(isBackward ? "attention_backward" : "attention");
  if (operands.size() < static_cast<size_t>(separate.minInputs))
    throw Error(ErrorCode::InvalidArgument, c.op.name, "an operand is missing.");
  std::vector<TensorType> results = separate.infer(ShapeContext{separate, operands, attributes});
  if (isBackward) return {joined};
  return results;
}

std::vector<TensorType> inferSelfAttention(const ShapeContext& c) { return inferForms(c, false); }
std::vector<TensorType> inferSelfAttentionBackward(const ShapeContext& c) {
  return inferForms(c, true);
}

Cost selfAttentionCost(const Graph& graph, const Node& node) {
  const Shape part = partOfJoined(graph.type(node.inputs[0])).shape;
  return attentionCost(graph, node, part, part);
}

}  // namespace

std::vector<OpDef> defineSelfAttention() {
  std::vector<OpDef> result;
  for (OpDef& op : defineAttention()) {
    const bool isBackward = op.direction == OpDirection::Backward;
    // One operand, and one gradient, instead of three
    op.name = "self_" + op.name;
    op.minInputs -= 2;
    op.maxInputs -= 2;
    op.numOutputs = isBackward ? 1 : 2;
    op.infer = isBackward ? inferSelfAttentionBackward : inferSelfAttention;
    op.cost = selfAttentionCost;
    op.gradient = nullptr;
    op.noGradientReason = "a pass creates the op after differentiation";
    if (isBackward) op.lowOperands = {0, 1, 3, 4};
    result.push_back(std::move(op));
  }
  return result;
}

}  // namespace strata

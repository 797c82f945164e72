// SPDX-License-Identifier: Apache-2.0
// Removes arithmetic that cancels or has no effect, and combines several operations into one.
//
//   before:  x -> affine {2, 1} -> affine {3, 0} -> y          after:  x -> affine {6, 3} -> y
//            x -> add <- broadcast_to <- bias                  x -> add <- bias
//
// x * 0 becomes 0 only for integers, because the product of NaN and 0 is NaN. Results may differ by
// rounding.
#include "gpu/ops/build.h"
#include "gpu/passes/rules.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

/// Removes a reduction over dimensions of size 1. The rule is not part of canonicalize, because it
/// may change bits: reduce_sum turns -0 into +0.
ValueId emptyReduction(const Candidate& c) {
  const TensorType& from = c.graph.type(c.input(0));
  if (from.shape.numElements() != c.type().shape.numElements() || from.dtype != c.type().dtype)
    return {};
  return from == c.type() ? c.input(0) : reshape(c.graph, c.input(0), c.type().shape);
}

/// A node with two operands: a constant whose elements are all equal, and an operand with the type
/// of the output.
struct WithNumber {
  double number = 0;
  ValueId other;
  // Whether the number is the first operand
  bool isFirst = false;
};
std::optional<WithNumber> withNumber(const Candidate& c) {
  for (size_t i : {size_t{1}, size_t{0}}) {
    const std::optional<double> number = splatOf(c.graph, c.input(i));
    if (number && c.graph.type(c.input(1 - i)) == c.type() && !splatOf(c.graph, c.input(1 - i)))
      return WithNumber{*number, c.input(1 - i), i == 0};
  }
  return std::nullopt;
}

/// Removes an addition, subtraction, multiplication or division if its constant operand has no
/// effect. Rewrites other floating-point ones to affine, which can be combined with adjacent affine
/// nodes. Replaces an integer product with 0 by zeros.
ValueId arithmeticWithNumber(const Candidate& c) {
  const std::optional<WithNumber> found = withNumber(c);
  if (!found) return {};
  const OpRole role = c.node.op->role;
  const auto [number, other, isFirst] = *found;
  const DType dtype = c.type().dtype;
  double scale = 1, offset = 0;
  if (role == OpRole::Add)
    offset = number;
  else if (role == OpRole::Subtract) {
    scale = isFirst ? -1 : 1;
    offset = isFirst ? number : -number;
  }
  else if (role == OpRole::Multiply)
    scale = number;
  else if (isFirst || number == 0)
    return {};
  else
    scale = 1 / number;
  if (scale == 1 && offset == 0) return other;
  if (!isFloating(dtype))
    return role == OpRole::Multiply && number == 0 ? constantFill(c.graph, c.type(), 0) : ValueId{};
  return affine(c.graph, other, scale, offset, dtype);
}

ValueId affineOfAffine(const Candidate& c) {
  const double scale = c.node.attributes.get<double>("scale"),
               offset = c.node.attributes.get<double>("offset");
  if (scale == 1 && offset == 0 && c.graph.type(c.input(0)) == c.type()) return c.input(0);
  if (c.graph.type(c.input(0)).dtype != c.type().dtype) return {};
  const Node& inner = producerOf(c.graph, c.input(0));
  // If other nodes use the result of the inner op, it must be computed anyway, so combining the two
  // saves nothing
  if (!hasSingleUse(c.graph, c.input(0))) return {};
  if (inner.op->role == OpRole::Negate)
    return affine(c.graph, inner.inputs[0], -scale, offset, c.type().dtype);
  if (inner.op->role != OpRole::Affine) return {};
  const double innerScale = inner.attributes.get<double>("scale"),
               innerOffset = inner.attributes.get<double>("offset");
  return affine(c.graph, inner.inputs[0], scale * innerScale, scale * innerOffset + offset,
                c.type().dtype);
}

ValueId negateOfAffine(const Candidate& c) {
  const Node& inner = producerOf(c.graph, c.input(0));
  if (inner.op->role != OpRole::Affine || !hasSingleUse(c.graph, c.input(0))) return {};
  return affine(c.graph, inner.inputs[0], -inner.attributes.get<double>("scale"),
                -inner.attributes.get<double>("offset"), c.type().dtype);
}

ValueId powerOfNumber(const Candidate& c) {
  const std::optional<double> exponent = splatOf(c.graph, c.input(1));
  if (!exponent || c.graph.type(c.input(0)) != c.type()) return {};
  if (*exponent == 1) return c.input(0);
  return *exponent == 2 ? square(c.graph, c.input(0)) : ValueId{};
}

/// Removes broadcast_to before an elementwise op, because the op broadcasts its operands itself.
ValueId broadcastOperand(const Candidate& c) {
  std::vector<ValueId> inputs = c.node.inputs;
  bool isChanged = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!c.is(inputs[i], OpRole::BroadcastTo)) continue;
    const ValueId saved = inputs[i];
    inputs[i] = producerOf(c.graph, saved).inputs[0];
    Shape shape = c.graph.shape(inputs[0]);
    for (ValueId input : inputs)
      shape = broadcastShapes(shape, c.graph.shape(input)).value_or(shape);
    if (shape == c.type().shape)
      isChanged = true;
    else
      inputs[i] = saved;
  }
  return isChanged ? c.graph.add(*c.node.op, inputs, c.node.attributes) : ValueId{};
}

/// Simplifies the gradient of dropout after relu. The output of dropout is positive where both let
/// an element pass, so the random numbers need not be computed again.
ValueId reluOfDropout(const Candidate& c) {
  const Node dropped = producerOf(c.graph, c.input(0));
  if (c.node.attributes.get<std::string>("kind") != "relu" || dropped.op->role != OpRole::Dropout ||
      !hasSingleUse(c.graph, c.input(0)))
    return {};
  for (const Use& use : c.graph.value(c.input(1)).uses) {
    const Node& forward = c.graph.node(use.node);
    if (forward.op != dropped.op || use.operand != 0 ||
        !(forward.attributes == dropped.attributes) ||
        !std::equal(forward.inputs.begin() + 1, forward.inputs.end(), dropped.inputs.begin() + 1))
      continue;
    const double rate = forward.attributes.get<double>("rate");
    const ValueId open =
        c.graph.add(*c.node.op, {dropped.inputs[0], forward.outputs[0]}, c.node.attributes);
    return affine(c.graph, open, 1 / (1 - rate), 0, c.type().dtype);
  }
  return {};
}

constexpr Rule kRules[] = {
    {OpRole::ReduceSum, emptyReduction},      {OpRole::ReduceMax, emptyReduction},
    {OpRole::Negate, negateOfAffine},         {OpRole::Add, arithmeticWithNumber},
    {OpRole::Subtract, arithmeticWithNumber}, {OpRole::Multiply, arithmeticWithNumber},
    {OpRole::Divide, arithmeticWithNumber},   {OpRole::Affine, affineOfAffine},
    {OpRole::Power, powerOfNumber},           {OpRole::Add, broadcastOperand},
    {OpRole::Subtract, broadcastOperand},     {OpRole::Multiply, broadcastOperand},
    {OpRole::Divide, broadcastOperand},       {OpRole::Maximum, broadcastOperand},
    {OpRole::Minimum, broadcastOperand},      {OpRole::Select, broadcastOperand},
    {OpRole::Less, broadcastOperand},         {OpRole::LessEqual, broadcastOperand},
    {OpRole::Greater, broadcastOperand},      {OpRole::GreaterEqual, broadcastOperand},
    {OpRole::Equal, broadcastOperand},        {OpRole::ActivationBackward, reluOfDropout},
};

}  // namespace

void simplifyArithmetic(Graph& graph, PassReport& report) {
  applyRules(graph, kRules, "simplified", report);
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Rewrites equivalent expressions to one form, so that later passes need to know only that form.
// The bits of all results stay the same.
//
//   before:  2, x -> multiply -> y             after:  x, 2 -> multiply -> y
//            x, y -> greater -> z                      y, x -> less -> z
//            x -> negate -> negate -> y                y = x
//            x -> reshape -> reshape -> y              x -> reshape -> y
//            x, y -> negate -> add -> z                x, y -> subtract -> z
//            x -> transpose -> y                       x -> reshape -> y, if only dimensions of
//                                                      size 1 move
//
// Constants, and variables unless the other operand is a constant, become the second operand of a
// commutative op. The operands of maximum and minimum are not reordered, because their order
// decides between +0 and -0.
#include <algorithm>

#include "gpu/ops/build.h"
#include "gpu/passes/rules.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

using Ints = std::vector<int64_t>;

ValueId operandOf(const Candidate& c, size_t i) {
  return producerOf(c.graph, c.input(i)).inputs[0];
}

ValueId operandOrder(const Candidate& c) {
  const auto rank = [&](ValueId value) {
    const Node& producer = producerOf(c.graph, value);
    if (producer.payload) return 2;
    return producer.op->role == OpRole::Variable ? 1 : 0;
  };
  if (rank(c.input(0)) <= rank(c.input(1))) return {};
  return c.graph.add(*c.node.op, {c.input(1), c.input(0)}, c.node.attributes);
}

ValueId greaterAsLess(const Candidate& c) {
  return c.graph.add(opNamed(c.node.op->role == OpRole::Greater ? "less" : "less_equal"),
                     {c.input(1), c.input(0)});
}

ValueId addOfNegated(const Candidate& c) {
  for (size_t i : {size_t{1}, size_t{0}})
    if (c.is(c.input(i), OpRole::Negate) && hasSingleUse(c.graph, c.input(i)))
      return subtract(c.graph, c.input(1 - i), operandOf(c, i));
  return {};
}
ValueId subtractOfNegated(const Candidate& c) {
  return c.is(c.input(1), OpRole::Negate) && hasSingleUse(c.graph, c.input(1))
             ? add(c.graph, c.input(0), operandOf(c, 1))
             : ValueId{};
}
ValueId productWithItself(const Candidate& c) {
  return c.input(0) == c.input(1) ? square(c.graph, c.input(0)) : ValueId{};
}

ValueId doubleNegate(const Candidate& c) {
  return c.is(c.input(0), OpRole::Negate) ? operandOf(c, 0) : ValueId{};
}
/// Removes a negation before abs or square. The rule applies only to floating-point types, because
/// negating 5 in u8 gives 251.
ValueId signlessOfNegate(const Candidate& c) {
  return isFloating(c.type().dtype) && c.is(c.input(0), OpRole::Negate)
             ? c.graph.add(*c.node.op, {operandOf(c, 0)})
             : ValueId{};
}

ValueId reshapeOfReshape(const Candidate& c) {
  if (c.graph.type(c.input(0)) == c.type()) return c.input(0);
  return c.is(c.input(0), OpRole::Reshape) ? reshape(c.graph, operandOf(c, 0), c.type().shape)
                                           : ValueId{};
}

ValueId transposePair(const Candidate& c) {
  const Ints outer = c.node.attributes.get<Ints>("permutation");
  if (std::is_sorted(outer.begin(), outer.end())) return c.input(0);
  if (!c.is(c.input(0), OpRole::Transpose)) return {};
  const Ints inner = c.attributesOf(c.input(0)).get<Ints>("permutation");
  Ints both(outer.size());
  for (size_t i = 0; i < outer.size(); ++i)
    both[i] = inner[static_cast<size_t>(outer[i])];
  const ValueId source = operandOf(c, 0);
  return std::is_sorted(both.begin(), both.end()) ? source : transpose(c.graph, source, both);
}

/// Replaces a transpose that only moves dimensions of size 1 by a reshape, because the transpose
/// does not change the order of the elements.
ValueId transposeOfOnes(const Candidate& c) {
  Ints kept = c.node.attributes.get<Ints>("permutation");
  const Shape& shape = c.graph.shape(c.input(0));
  std::erase_if(kept, [&](int64_t axis) { return shape[static_cast<int>(axis)] == 1; });
  return std::is_sorted(kept.begin(), kept.end()) ? reshape(c.graph, c.input(0), c.type().shape)
                                                  : ValueId{};
}

ValueId broadcastOfBroadcast(const Candidate& c) {
  if (c.graph.type(c.input(0)) == c.type()) return c.input(0);
  if (c.graph.shape(c.input(0)).numElements() == c.type().shape.numElements())
    return reshape(c.graph, c.input(0), c.type().shape);
  return c.is(c.input(0), OpRole::BroadcastTo)
             ? broadcastTo(c.graph, operandOf(c, 0), c.type().shape)
             : ValueId{};
}

// Removes a cast, slice, pad or concatenate whose first operand has the type of the result
ValueId toSameType(const Candidate& c) { return c.ifSameType(c.input(0)); }
/// Removes a cast to a wider type and back, which changes no number.
ValueId castPair(const Candidate& c) {
  if (!c.is(c.input(0), OpRole::Cast)) return {};
  const ValueId source = operandOf(c, 0);
  const DType narrow = c.graph.type(source).dtype, wide = c.graph.type(c.input(0)).dtype;
  const bool isExact =
      (wide == DType::F32 && isLowPrecision(narrow)) || (wide == DType::F64 && isFloating(narrow));
  return isExact ? c.ifSameType(source) : ValueId{};
}
ValueId linearActivation(const Candidate& c) {
  return c.node.attributes.get<std::string>("kind") == "linear" ? c.input(0) : ValueId{};
}

constexpr Rule kRules[] = {
    {OpRole::Add, operandOrder},
    {OpRole::Multiply, operandOrder},
    {OpRole::Equal, operandOrder},
    {OpRole::NotEqual, operandOrder},
    {OpRole::Greater, greaterAsLess},
    {OpRole::GreaterEqual, greaterAsLess},
    {OpRole::Add, addOfNegated},
    {OpRole::Subtract, subtractOfNegated},
    {OpRole::Multiply, productWithItself},
    {OpRole::Negate, doubleNegate},
    {OpRole::Abs, signlessOfNegate},
    {OpRole::Square, signlessOfNegate},
    {OpRole::Reshape, reshapeOfReshape},
    {OpRole::Transpose, transposePair},
    {OpRole::Transpose, transposeOfOnes},
    {OpRole::BroadcastTo, broadcastOfBroadcast},
    {OpRole::Cast, toSameType},
    {OpRole::Cast, castPair},
    {OpRole::Slice, toSameType},
    {OpRole::Pad, toSameType},
    {OpRole::Concatenate, toSameType},
    {OpRole::Activation, linearActivation},
    {OpRole::ActivationBackward, linearActivation},
};

}  // namespace

void canonicalize(Graph& graph, PassReport& report) {
  applyRules(graph, kRules, "rewrote", report);
}

}  // namespace strata

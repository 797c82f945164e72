// SPDX-License-Identifier: Apache-2.0
// all_finite {pairs, chained} (x, ..., a, b, ...) -> flag f32[]: 1 if all elements of all operands
// are finite, otherwise 0. If `chained`, the first operand is another flag (f32[]), and the result
// is 0 if that flag is 0. The last `pairs` pairs of operands stand for products a^T b that are
// never stored: the flag is 0, too, if the sum over k of |a[k,m] b[k,n]| exceeds the largest finite
// number for any m and n.
// all_finite_and_norm {measured} (x, ...) -> flag f32[], norm f32[]: the flag of all operands, and
// the square root of the sum of the squares of the elements of the first `measured` ones, which are
// at least one. join_gradient_norm makes it of all_finite and gradient_norm.
// Inputs: x of any shape, a [K,M], b [K,N]; all floating.
// Gradient: none, because the flag is not differentiable and the norm is only shown.
// Errors: ShapeMismatch, InvalidArgument (an operand that is not floating).
// Numerics: exact for elements. Products are bounded by K max|a| max|b|; only if this bound
// overflows, the sums are computed, in double. The norm is that of gradient_norm.cpp.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

std::vector<TensorType> inferAllFinite(const ShapeContext& c) {
  for (size_t i = 0; i < c.inputs.size(); ++i)
    requireFloating(c, i);
  const int64_t pairs = c.attributes.get<int64_t>("pairs");
  if (pairs < 0 || 2 * pairs > static_cast<int64_t>(c.inputs.size()))
    c.fail("pairs is " + std::to_string(pairs) + " (expected 0 to half the number of operands).");
  if (c.attributes.get<bool>("chained") && c.inputs[0] != TensorType{DType::F32, {}})
    c.fail("the first flag has type " + c.inputs[0].toString() + " (expected f32[]).");
  for (size_t i = c.inputs.size() - 2 * static_cast<size_t>(pairs); i < c.inputs.size(); i += 2) {
    const Shape &a = c.inputs[i].shape, &b = c.inputs[i + 1].shape;
    requireSameDType(c, i, i + 1);
    if (a.rank() != 2 || b.rank() != 2 || a[0] != b[0])
      c.fail("a pair has shapes " + a.toString() + " and " + b.toString() +
             " (expected [K,M] and [K,N]).");
  }
  return {{DType::F32, {}}};
}

std::vector<TensorType> inferAllFiniteAndNorm(const ShapeContext& c) {
  for (size_t i = 0; i < c.inputs.size(); ++i)
    requireFloating(c, i);
  const int64_t measured = c.attributes.get<int64_t>("measured");
  if (measured < 1 || measured > static_cast<int64_t>(c.inputs.size()))
    c.fail("measured is " + std::to_string(measured) + " (expected 1 to the number of operands).");
  return {{DType::F32, {}}, {DType::F32, {}}};
}

Cost allFiniteCost(const Graph& graph, const Node& node) {
  Cost cost;
  for (const ValueId input : node.inputs) {
    cost.flops += static_cast<double>(graph.shape(input).numElements());
    cost.bytes += static_cast<double>(graph.type(input).bytes());
  }
  return cost;
}

Cost allFiniteAndNormCost(const Graph& graph, const Node& node) {
  Cost cost = allFiniteCost(graph, node);
  const auto measured = static_cast<size_t>(node.attributes.get<int64_t>("measured"));
  for (size_t i = 0; i < measured; ++i)
    cost.flops += 2.0 * static_cast<double>(graph.shape(node.inputs[i]).numElements());
  return cost;
}

}  // namespace

std::vector<OpDef> defineAllFinite() {
  OpDef op;
  op.name = "all_finite";
  op.kind = OpKind::Compute;
  op.role = OpRole::AllFinite;
  op.minInputs = 1;
  op.maxInputs = -1;
  op.attributes = {{"pairs", int64_t{0}, false}, {"chained", false, false}};
  op.infer = inferAllFinite;
  op.noGradientReason = "the flag is not differentiable";
  op.cost = allFiniteCost;
  OpDef withNorm = op;
  withNorm.name = "all_finite_and_norm";
  withNorm.role = OpRole::AllFiniteAndNorm;
  withNorm.numOutputs = 2;
  withNorm.attributes = {{"measured", int64_t{1}, true}};
  withNorm.infer = inferAllFiniteAndNorm;
  withNorm.noGradientReason = "the flag is not differentiable, and the norm is only shown";
  withNorm.cost = allFiniteAndNormCost;
  return {op, withNorm};
}

ValueId allFinite(Graph& g, std::vector<ValueId> values) {
  return g.add(opNamed("all_finite"), std::move(values));
}

}  // namespace strata

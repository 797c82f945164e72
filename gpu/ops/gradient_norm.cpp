// SPDX-License-Identifier: Apache-2.0
// gradient_norm {pairs, interval} (step, x, ..., a, b, ...) -> norm f32[]: the square root of the
// sum of the squares of all elements in the steps 1, 1 + interval, ..., and NaN in other steps. The
// last `pairs` pairs of operands stand for products a^T b that are never stored. Without any x, a
// and b the norm is unknown: NaN.
// Inputs: step i64[]; x of any shape; a [K,M], b [K,N]; all but step floating.
// Gradient: none, because the norm is only shown.
// Errors: ShapeMismatch, InvalidArgument (an operand that is not floating).
// Numerics: a few thousand squares are added in float, sums of these in double. Squares below the
// smallest float count as 0. On cards, squares above the largest float give infinity.
#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

size_t firstPaired(int64_t pairs, size_t numInputs) {
  return numInputs - 2 * static_cast<size_t>(pairs);
}

std::vector<TensorType> inferGradientNorm(const ShapeContext& c) {
  if (c.inputs[0] != TensorType{DType::I64, {}})
    c.fail("step has type " + c.inputs[0].toString() + " (expected i64[]).");
  for (size_t i = 1; i < c.inputs.size(); ++i)
    requireFloating(c, i);
  const int64_t pairs = c.attributes.get<int64_t>("pairs");
  if (pairs < 0 || 2 * pairs > static_cast<int64_t>(c.inputs.size()) - 1)
    c.fail("pairs is " + std::to_string(pairs) + " (expected 0 to half the number of operands).");
  if (const int64_t interval = c.attributes.get<int64_t>("interval"); interval < 1)
    c.fail("interval is " + std::to_string(interval) + " (expected 1 or more).");
  for (size_t i = firstPaired(pairs, c.inputs.size()); i < c.inputs.size(); i += 2) {
    const Shape &a = c.inputs[i].shape, &b = c.inputs[i + 1].shape;
    requireSameDType(c, i, i + 1);
    if (a.rank() != 2 || b.rank() != 2 || a[0] != b[0])
      c.fail("a pair has shapes " + a.toString() + " and " + b.toString() +
             " (expected [K,M] and [K,N]).");
  }
  return {{DType::F32, {}}};
}

/// The cost of a step that computes the norm.
Cost gradientNormCost(const Graph& graph, const Node& node) {
  Cost cost;
  const size_t paired = firstPaired(node.attributes.get<int64_t>("pairs"), node.inputs.size());
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    cost.bytes += static_cast<double>(graph.type(node.inputs[i]).bytes());
    if (i < paired)
      cost.flops += 2.0 * static_cast<double>(graph.shape(node.inputs[i]).numElements());
  }
  for (size_t i = paired; i < node.inputs.size(); i += 2) {
    const Shape &a = graph.shape(node.inputs[i]), &b = graph.shape(node.inputs[i + 1]);
    const auto depth = static_cast<double>(a[0]), rows = static_cast<double>(a[1]),
               columns = static_cast<double>(b[1]);
    cost.flops += std::min(2 * depth * rows * columns, depth * depth * (rows + columns));
  }
  return cost;
}

}  // namespace

std::vector<OpDef> defineGradientNorm() {
  OpDef op;
  op.name = "gradient_norm";
  op.kind = OpKind::Compute;
  op.role = OpRole::GradientNorm;
  op.minInputs = 1;
  op.maxInputs = -1;
  op.attributes = {{"pairs", int64_t{0}, false}, {"interval", int64_t{1}, false}};
  op.infer = inferGradientNorm;
  op.noGradientReason = "the norm is only shown";
  op.cost = gradientNormCost;
  return {op};
}

ValueId gradientNorm(Graph& g, ValueId step, std::vector<ValueId> values) {
  values.insert(values.begin(), step);
  return g.add(opNamed("gradient_norm"), std::move(values));
}

}  // namespace strata

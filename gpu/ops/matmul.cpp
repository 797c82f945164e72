// SPDX-License-Identifier: Apache-2.0
// matmul {transpose_a, transpose_b, activation, alpha, result} (a, b[, bias]):
// y = f(op(a) op(b) + bias).
// shows_nan says that a NaN in `a` also shows in another result of the step, so that the kernel may
// lose it in relu (passes/fuse_into_products.cpp).
// Inputs: a [M,K] (or [K,M] transposed), b [K,N] (or [N,K]), or batched [B,M,K] x [B,K,N]; bias
// [N]; all f32 or all f64.
// Output: [M,N] or [B,M,N], in the type of the operands. With `result` "f32" it is f32 also for
// 16-bit operands, whose sums then are not rounded. Only a product without bias and activation has
// this attribute.
// Gradient: two products and a column sum. Only a matmul with activation "linear" and without
// `result` has a gradient, because passes set these after differentiation.
//
// matmul_siblings {transpose_b, has_bias, activations} (a, b1[, bias1], b2[, bias2], ...): several
// products with the same a. Each has its own output, like a matmul. `activations` has one name per
// product, separated by commas.
// Gradient: none, because a pass creates the op after differentiation.
//
// Errors: ShapeMismatch with both shapes, InvalidArgument.
// Numerics: sums over K in any fixed order. The reference sums in double.
// Source: BLAS.
#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

std::vector<TensorType> inferMatmul(const ShapeContext& c) {
  const Shape &a = c.inputs[0].shape, &b = c.inputs[1].shape;
  requireFloating(c, 0);
  requireSameDType(c, 0, 1);
  requireActivation(c, "activation");
  if (a.rank() != b.rank() || (a.rank() != 2 && a.rank() != 3))
    c.fail("operands have shapes " + a.toString() + " and " + b.toString() +
           " (expected both with 2 or both with 3 dimensions).");
  if (a.rank() == 3 && a[0] != b[0])
    c.fail("batches of " + a.toString() + " and " + b.toString() + " differ.");
  const bool transposeA = c.attributes.get<bool>("transpose_a"),
             transposeB = c.attributes.get<bool>("transpose_b");
  const int64_t m = a.dim(transposeA ? -1 : -2), k = a.dim(transposeA ? -2 : -1),
                k2 = b.dim(transposeB ? -1 : -2), n = b.dim(transposeB ? -2 : -1);
  if (k != k2)
    c.fail("inner sizes differ: " + std::to_string(k) + " of " + a.toString() +
           (transposeA ? " transposed" : "") + ", " + std::to_string(k2) + " of " + b.toString() +
           (transposeB ? " transposed" : "") + ".");
  if (c.inputs.size() == 3) {
    requireSameDType(c, 0, 2);
    if (c.inputs[2].shape != Shape{n})
      c.fail("the bias has shape " + c.inputs[2].shape.toString() + " (expected [" +
             std::to_string(n) + "]).");
  }
  const DType result = resultDType(c);
  if (!c.attributes.get<std::string>("result").empty() &&
      (c.inputs.size() == 3 || c.attributes.get<std::string>("activation") != "linear"))
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "a product with a bias or an activation has the type of its operands. Remove the "
                "attribute result.");
  return {{result, a.rank() == 3 ? Shape{a[0], m, n} : Shape{m, n}}};
}

std::vector<ValueId> matmulGradient(const GradientContext& c) {
  Graph& g = c.graph;
  const Attributes attributes = c.node().attributes;
  if (attributes.get<std::string>("activation") != "linear")
    throw Error(
        ErrorCode::UnsupportedOp, c.node().layer,
        "a matmul with a fused activation has no gradient. Differentiate the graph before fusing.");
  if (!attributes.get<std::string>("result").empty())
    throw Error(
        ErrorCode::UnsupportedOp, c.node().layer,
        "a matmul with the attribute result has no gradient. Differentiate the graph before "
        "changing types.");
  const bool transposeA = attributes.get<bool>("transpose_a"),
             transposeB = attributes.get<bool>("transpose_b");
  const ValueId a = c.input(0), b = c.input(1), dy = c.outputGradients[0];
  std::vector<ValueId> result(c.node().inputs.size());
  if (c.inputNeedsGradient[0])
    result[0] =
        transposeA ? matmul(g, b, dy, transposeB, true) : matmul(g, dy, b, false, !transposeB);
  if (c.inputNeedsGradient[1])
    result[1] =
        transposeB ? matmul(g, dy, a, true, transposeA) : matmul(g, a, dy, !transposeA, false);
  if (result.size() == 3 && c.inputNeedsGradient[2])
    result[2] = reduceTo(g, dy, g.shape(c.input(2)));
  return result;
}

Cost matmulCost(const Graph& graph, const Node& node) {
  const Shape& a = graph.shape(node.inputs[0]);
  const double k = static_cast<double>(a.dim(node.attributes.get<bool>("transpose_a") ? -2 : -1));
  const double outputs = static_cast<double>(graph.shape(node.outputs[0]).numElements());
  Cost cost{outputs * k, 2 * outputs * k, static_cast<double>(graph.type(node.outputs[0]).bytes())};
  for (ValueId input : node.inputs)
    cost.bytes += static_cast<double>(graph.type(input).bytes());
  return cost;
}

std::vector<TensorType> inferSiblings(const ShapeContext& c) {
  const size_t each = c.attributes.get<bool>("has_bias") ? 2 : 1;
  if ((c.inputs.size() - 1) % each != 0) c.fail("the last product has no bias, but the others do.");
  const std::vector<std::string> activations = siblingActivations(c.attributes);
  if (activations.size() != (c.inputs.size() - 1) / each)
    c.fail("there are " + std::to_string(activations.size()) +
           " activations (expected one per product).");
  const OpDef& product = opNamed("matmul");
  std::vector<TensorType> results;
  for (size_t i = 0; i < activations.size(); ++i) {
    std::vector<TensorType> operands{c.inputs[0], c.inputs[1 + i * each]};
    if (each == 2) operands.push_back(c.inputs[2 + i * each]);
    if (operands[0].shape.rank() != 2)
      c.fail("the common operand has shape " + operands[0].shape.toString() +
             " (expected 2 dimensions).");
    const Attributes attributes{{"transpose_a", false},
                                {"transpose_b", c.attributes.get<bool>("transpose_b")},
                                {"activation", activations[i]},
                                {"alpha", 0.0},
                                {"result", std::string()}};
    results.push_back(inferMatmul(ShapeContext{product, operands, attributes})[0]);
  }
  return results;
}

Cost siblingsCost(const Graph& graph, const Node& node) {
  const double k = static_cast<double>(graph.shape(node.inputs[0])[1]);
  Cost cost;
  for (ValueId output : node.outputs) {
    const double products = static_cast<double>(graph.shape(output).numElements()) * k;
    cost.multiplyAdds += products;
    cost.flops += 2 * products;
    cost.bytes += static_cast<double>(graph.type(output).bytes());
  }
  for (ValueId input : node.inputs)
    cost.bytes += static_cast<double>(graph.type(input).bytes());
  return cost;
}

/// Each product belongs to the layer of its weights.
int weightsOfOutput(const Node& node, int output) {
  return 1 + output * (node.attributes.get<bool>("has_bias") ? 2 : 1);
}

}  // namespace

std::vector<std::string> siblingActivations(const Attributes& attributes) {
  std::vector<std::string> names;
  const std::string& text = attributes.get<std::string>("activations");
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(',', at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

std::vector<OpDef> defineMatmul() {
  OpDef op;
  op.name = "matmul";
  op.kind = OpKind::Compute;
  op.minInputs = 2;
  op.maxInputs = 3;
  op.attributes = {{"transpose_a", false, false},
                   {"transpose_b", false, false},
                   {"activation", std::string("linear"), false},
                   {"alpha", 0.0, false},
                   {"result", std::string(), false},
                   {"shows_nan", false, false}};
  op.infer = inferMatmul;
  op.gradient = matmulGradient;
  op.cost = matmulCost;
  op.role = OpRole::Matmul;
  op.precision = OpPrecision::Low;
  op.work = WorkKind::Product;
  op.takesBiasAndActivation = true;
  OpDef siblings;
  siblings.name = "matmul_siblings";
  siblings.kind = OpKind::Compute;
  siblings.minInputs = 3;
  siblings.maxInputs = -1;
  siblings.attributes = {{"transpose_b", false, false},
                         {"has_bias", false, false},
                         {"activations", std::string(), true}};
  siblings.infer = inferSiblings;
  siblings.noGradientReason = "a pass joins products after differentiation";
  siblings.cost = siblingsCost;
  siblings.work = WorkKind::SiblingProducts;
  siblings.precision = OpPrecision::Low;
  siblings.layerOperand = weightsOfOutput;
  return {op, siblings};
}

ValueId matmul(Graph& g, ValueId a, ValueId b, bool transposeA, bool transposeB) {
  return g.add(opNamed("matmul"), {a, b},
               {{"transpose_a", transposeA}, {"transpose_b", transposeB}});
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Matrix products with what a library computes at no cost. Passes of cards create them.
//
// matmul_add {transpose_a, transpose_b} (a, b, addend[, bias]): y = op(a) op(b) + bias + addend.
// Inputs: as matmul; addend has the type and shape of y. y may overwrite addend.
//
// matmul_bias_gradient {result} (x, dy) -> dw, db: the gradients of the weights and the bias of a
// dense layer, dw = x^T dy and db = the sum of the rows of dy.
// Inputs: x [N,K], dy [N,M] of one type. Outputs: dw [K,M], of the type of x, or f32 with result
// "f32"; db [M], f32, or f64 with f64 operands.
//
// Gradient: none, because passes create these ops after differentiation.
// Errors: ShapeMismatch, InvalidArgument.
// Numerics: sums in any fixed order, rounded once at the end. The reference sums in double.
// Source: NVIDIA cuBLAS documentation, 13, "cublasLtEpilogue_t".
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

constexpr const char* kAfterDifferentiation = "a pass creates the op after differentiation";

std::vector<TensorType> inferMatmulAdd(const ShapeContext& c) {
  std::vector<TensorType> operands(c.inputs.begin(), c.inputs.end());
  operands.erase(operands.begin() + 2);
  const OpDef& product = opNamed("matmul");
  const Attributes attributes{{"transpose_a", c.attributes.get<bool>("transpose_a")},
                              {"transpose_b", c.attributes.get<bool>("transpose_b")},
                              {"activation", std::string("linear")},
                              {"alpha", 0.0},
                              {"result", std::string()}};
  std::vector<TensorType> result = product.infer(ShapeContext{product, operands, attributes});
  if (c.inputs[2] != result[0])
    c.fail("the addend has type " + c.inputs[2].toString() + " (expected " + result[0].toString() +
           ").");
  return result;
}

std::vector<TensorType> inferBiasGradient(const ShapeContext& c) {
  requireFloating(c, 0);
  requireSameDType(c, 0, 1);
  const Shape &x = c.inputs[0].shape, &dy = c.inputs[1].shape;
  if (x.rank() != 2 || dy.rank() != 2 || x[0] != dy[0])
    c.fail("operands have shapes " + x.toString() + " and " + dy.toString() +
           " (expected [N,K] and [N,M]).");
  const std::string& result = c.attributes.get<std::string>("result");
  if (!result.empty() && result != "f32")
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "result is \"" + result + "\" (expected \"\" or f32).");
  const DType wide = wideType(c.inputs[0].dtype);
  return {{result.empty() ? c.inputs[0].dtype : wide, Shape{x[1], dy[1]}}, {wide, Shape{dy[1]}}};
}

Cost productCost(const Graph& graph, const Node& node) {
  const bool transposeA = node.attributes.getOr<bool>("transpose_a", true);
  const double depth = static_cast<double>(graph.shape(node.inputs[0]).dim(transposeA ? -2 : -1)),
               outputs = static_cast<double>(graph.shape(node.outputs[0]).numElements());
  Cost cost{outputs * depth, 2 * outputs * depth, 0};
  for (const ValueId input : node.inputs)
    cost.bytes += static_cast<double>(graph.type(input).bytes());
  for (const ValueId output : node.outputs)
    cost.bytes += static_cast<double>(graph.type(output).bytes());
  return cost;
}

OpDef product(std::string name, int minInputs, int maxInputs, int numOutputs) {
  OpDef op;
  op.name = std::move(name);
  op.kind = OpKind::Compute;
  op.minInputs = minInputs;
  op.maxInputs = maxInputs;
  op.numOutputs = numOutputs;
  op.noGradientReason = kAfterDifferentiation;
  op.cost = productCost;
  op.precision = OpPrecision::Low;
  op.work = WorkKind::Product;
  return op;
}

}  // namespace

std::vector<OpDef> defineJoinedProducts() {
  OpDef add = product("matmul_add", 3, 4, 1);
  add.attributes = {{"transpose_a", false, false}, {"transpose_b", false, false}};
  add.infer = inferMatmulAdd;
  add.mayAlias = {{0, 2}};
  OpDef gradient = product("matmul_bias_gradient", 2, 2, 2);
  gradient.attributes = {{"result", std::string(), false}};
  gradient.infer = inferBiasGradient;
  return {add, gradient};
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Updates of variables, with Keras 3's formulas. Each op writes its state operands in place
// (mustAlias) and returns their new values in order. Decoupled weight decay is applied first:
//   w -= w * weight_decay * rate
//
// assign (variable, value): next = value; any dtype.
//
// sgd_update (w, grad, rate[, velocity]) {momentum, nesterov, weight_decay}:
//   without momentum   w -= rate * g
//   with momentum      v = momentum * v - rate * g; w += v
//   with nesterov      v = momentum * v - rate * g; w += momentum * v - rate * g
// velocity is present only if momentum is not 0.
//
// adam_update (w, grad, m, v, rate, step[, v_max]) {beta_1, beta_2, epsilon, weight_decay,
// amsgrad}:
//   a = rate * sqrt(1 - beta_2^step) / (1 - beta_1^step)
//   m += (g - m) * (1 - beta_1)
//   v += (g^2 - v) * (1 - beta_2)
//   w -= m * a / (sqrt(v) + epsilon)
// With amsgrad, v_max = max(v_max, v) is used instead of v.
//
// rmsprop_update (w, grad, v, rate[, momentum][, average]) {rho, epsilon, momentum, centered,
// weight_decay}:
//   v = rho * v + (1 - rho) * g^2
//   not centered       d = v + epsilon
//   centered           average = rho * average + (1 - rho) * g; d = v - average^2 + epsilon
//   s = rate * g / sqrt(d)
//   without momentum   w -= s
//   with momentum      mom = momentum * mom + s; w -= mom
// The operand momentum is present only if momentum is not 0, average only if centered.
//
// adagrad_update (w, grad, accumulator, rate) {epsilon, weight_decay}:
//   acc += g^2
//   w -= rate * g / sqrt(acc + epsilon)
//
// matmul_sgd_update, matmul_adam_update: like sgd_update and adam_update, with two operands a [K,M]
// and b [K,N] instead of the gradient. The gradient of w [M,N] is a^T b, which is never stored.
//
// Each update may have one more operand, `apply` (f32[]). Where it is 0, the update writes nothing.
//
// Inputs: w, grad and state have one type, f32 or f64. rate is a scalar of any floating dtype. step
// is an i64 scalar, which is 1 at the first update.
// Gradient: none, because updates of variables have no gradient.
// Errors: ShapeMismatch, InvalidArgument.
// Source: Keras 3, optimizers.
#include <utility>

#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

void checkLike(const ShapeContext& c, size_t input) {
  if (c.inputs[input] != c.inputs[0])
    c.fail("input " + std::to_string(input) + " has type " + c.inputs[input].toString() +
           " (expected " + c.inputs[0].toString() + ", like the variable).");
}

void checkRate(const ShapeContext& c, size_t input) {
  if (!isFloating(c.inputs[input].dtype) || c.inputs[input].shape.rank() != 0)
    c.fail("the rate has type " + c.inputs[input].toString() + " (expected f32[]).");
}

/// Checks the number of operands. One more, `apply`, is allowed.
void checkCount(const ShapeContext& c, size_t expected) {
  if (c.inputs.size() == expected + 1) {
    if (c.inputs.back() != TensorType{DType::F32, {}})
      c.fail("apply has type " + c.inputs.back().toString() + " (expected f32[]).");
  }
  else if (c.inputs.size() != expected)
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "got " + std::to_string(c.inputs.size()) + " operands (expected " +
                    std::to_string(expected) + " with these attributes).");
}

std::vector<TensorType> inferAssign(const ShapeContext& c) {
  checkCount(c, 2);
  checkLike(c, 1);
  return {c.inputs[0]};
}

std::vector<TensorType> inferSgd(const ShapeContext& c) {
  requireFloating(c, 0);
  const bool hasMomentum = c.attributes.get<double>("momentum") != 0;
  checkCount(c, hasMomentum ? 4 : 3);
  checkLike(c, 1);
  checkRate(c, 2);
  if (hasMomentum) checkLike(c, 3);
  return std::vector<TensorType>(hasMomentum ? 2 : 1, c.inputs[0]);
}

std::vector<TensorType> inferAdam(const ShapeContext& c) {
  requireFloating(c, 0);
  const bool isAmsgrad = c.attributes.get<bool>("amsgrad");
  checkCount(c, isAmsgrad ? 7 : 6);
  for (size_t i : {1, 2, 3})
    checkLike(c, i);
  checkRate(c, 4);
  if (c.inputs[5] != TensorType{DType::I64, {}})
    c.fail("the step has type " + c.inputs[5].toString() + " (expected i64[]).");
  if (isAmsgrad) checkLike(c, 6);
  return std::vector<TensorType>(isAmsgrad ? 4 : 3, c.inputs[0]);
}

/// Applies a shape rule for (w, gradient, ...) to the operands (w, a, b, ...), where the gradient
/// is a^T b.
template <std::vector<TensorType> (*infer)(const ShapeContext&)>
std::vector<TensorType> inferFromProduct(const ShapeContext& c) {
  const Shape &a = c.inputs[1].shape, &b = c.inputs[2].shape;
  requireSameDType(c, 0, 1);
  requireSameDType(c, 0, 2);
  if (a.rank() != 2 || b.rank() != 2 || a[0] != b[0])
    c.fail("operands have shapes " + a.toString() + " and " + b.toString() +
           " (expected [K,M] and [K,N]).");
  std::vector<TensorType> inputs(c.inputs.begin(), c.inputs.end());
  inputs[1].shape = Shape{a[1], b[1]};
  inputs.erase(inputs.begin() + 2);
  return infer(ShapeContext{c.op, inputs, c.attributes, c.payload});
}

Cost productUpdateCost(const Graph& graph, const Node& node) {
  const double outputs = static_cast<double>(graph.shape(node.outputs[0]).numElements());
  const double depth = static_cast<double>(graph.shape(node.inputs[1])[0]),
               states = static_cast<double>(node.outputs.size());
  Cost cost{outputs * depth, 2 * outputs * depth + 4 * outputs * states, 0};
  for (ValueId input : node.inputs)
    cost.bytes += static_cast<double>(graph.type(input).bytes());
  for (ValueId output : node.outputs)
    cost.bytes += static_cast<double>(graph.type(output).bytes());
  return cost;
}

std::vector<TensorType> inferRmsprop(const ShapeContext& c) {
  requireFloating(c, 0);
  const size_t extra = (c.attributes.get<double>("momentum") != 0 ? 1u : 0u) +
                       (c.attributes.get<bool>("centered") ? 1u : 0u);
  checkCount(c, 4 + extra);
  for (size_t i : {1, 2})
    checkLike(c, i);
  checkRate(c, 3);
  for (size_t i = 4; i < 4 + extra; ++i)
    checkLike(c, i);
  return std::vector<TensorType>(2 + extra, c.inputs[0]);
}

std::vector<TensorType> inferAdagrad(const ShapeContext& c) {
  requireFloating(c, 0);
  checkCount(c, 4);
  for (size_t i : {1, 2})
    checkLike(c, i);
  checkRate(c, 3);
  return {c.inputs[0], c.inputs[0]};
}

OpDef updateOp(std::string name, int minInputs, int maxInputs, int numOutputs,
               std::vector<AttributeSpec> attributes,
               std::vector<TensorType> (*infer)(const ShapeContext&),
               std::vector<std::pair<int, int>> mustAlias) {
  OpDef op;
  op.name = std::move(name);
  op.kind = OpKind::Update;
  op.minInputs = minInputs;
  // The operand apply
  op.maxInputs = maxInputs + 1;
  op.numOutputs = numOutputs;
  op.attributes = std::move(attributes);
  op.infer = infer;
  op.noGradientReason = "updates of variables have no gradient";
  op.mustAlias = std::move(mustAlias);
  op.work = WorkKind::Update;
  return op;
}

/// Returns the op `base` with the operands a and b instead of its gradient.
OpDef fromProduct(OpDef base, std::vector<TensorType> (*infer)(const ShapeContext&)) {
  base.name = std::exchange(base.updateWithProduct, {});
  base.work = WorkKind::ProductWithUpdate;
  ++base.minInputs;
  ++base.maxInputs;
  base.infer = infer;
  base.cost = productUpdateCost;
  for (auto& [output, input] : base.mustAlias)
    if (input > 0) ++input;
  return base;
}

}  // namespace

std::vector<OpDef> defineUpdate() {
  OpDef sgd =
      updateOp("sgd_update", 3, 4, 1,
               {{"momentum", 0.0, false}, {"nesterov", false, false}, {"weight_decay", 0.0, false}},
               inferSgd, {{0, 0}, {1, 3}});
  sgd.updateWithProduct = "matmul_sgd_update";
  OpDef adam = updateOp("adam_update", 6, 7, 3,
                        {{"beta_1", 0.9, false},
                         {"beta_2", 0.999, false},
                         {"epsilon", 1e-7, false},
                         {"weight_decay", 0.0, false},
                         {"amsgrad", false, false}},
                        inferAdam, {{0, 0}, {1, 2}, {2, 3}, {3, 6}});
  adam.updateWithProduct = "matmul_adam_update";
  OpDef replacement = updateOp("assign", 2, 2, 1, {}, inferAssign, {{0, 0}});
  replacement.work = WorkKind::Elements;
  return {
      replacement,
      sgd,
      adam,
      updateOp("rmsprop_update", 4, 6, 2,
               {{"rho", 0.9, false},
                {"epsilon", 1e-7, false},
                {"momentum", 0.0, false},
                {"centered", false, false},
                {"weight_decay", 0.0, false}},
               inferRmsprop, {{0, 0}, {1, 2}, {2, 4}, {3, 5}}),
      updateOp("adagrad_update", 4, 4, 2, {{"epsilon", 1e-7, false}, {"weight_decay", 0.0, false}},
               inferAdagrad, {{0, 0}, {1, 2}}),
      fromProduct(sgd, inferFromProduct<inferSgd>),
      fromProduct(adam, inferFromProduct<inferAdam>),
  };
}

ValueId assign(Graph& g, ValueId variable, ValueId value) {
  return g.add(opNamed("assign"), {variable, value});
}

std::vector<ValueId> update(Graph& g, std::string_view op, std::vector<ValueId> operands,
                            Attributes attributes) {
  return g.node(g.addNode(opNamed(op), std::move(operands), std::move(attributes))).outputs;
}

}  // namespace strata

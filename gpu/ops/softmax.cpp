// SPDX-License-Identifier: Apache-2.0
// softmax {axis}: y = exp(x - max) / sum(exp(x - max)) over the axis.
// log_softmax {axis}: y = x - max - log(sum(exp(x - max))).
//
// Inputs: x, f32 or f64, of rank 1 or more.
// Output: the type of x.
// Gradient: softmax: y * (dy - sum(dy * y)); log_softmax: dy - exp(y) * sum(dy).
// Errors: InvalidArgument (an axis out of range, integer input).
// Numerics: never overflows. A row of -inf gives NaN, as in Keras.
// Source: Keras 3.
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

std::vector<TensorType> inferSoftmax(const ShapeContext& c) {
  requireFloating(c, 0);
  (void)axisAttribute(c, c.inputs[0].shape);
  return inferSame(c);
}

std::vector<ValueId> softmaxGradient(const GradientContext& c) {
  Graph& g = c.graph;
  const int64_t axis = c.node().attributes.get<int64_t>("axis");
  const ValueId y = c.output(0), dy = c.outputGradients[0];
  return {multiply(g, y, subtract(g, dy, reduceSum(g, multiply(g, dy, y), {axis}, true)))};
}

std::vector<ValueId> logSoftmaxGradient(const GradientContext& c) {
  Graph& g = c.graph;
  const int64_t axis = c.node().attributes.get<int64_t>("axis");
  const ValueId dy = c.outputGradients[0];
  return {subtract(g, dy, multiply(g, exp(g, c.output(0)), reduceSum(g, dy, {axis}, true)))};
}

Cost softmaxCost(const Graph& graph, const Node& node) {
  return {0, 13.0 * static_cast<double>(graph.shape(node.outputs[0]).numElements()),
          2.0 * static_cast<double>(graph.type(node.outputs[0]).bytes())};
}

}  // namespace

std::vector<OpDef> defineSoftmax() {
  OpDef op;
  op.name = "softmax";
  op.kind = OpKind::Compute;
  op.minInputs = op.maxInputs = 1;
  op.attributes = {{"axis", int64_t{-1}, false}};
  op.infer = inferSoftmax;
  op.gradient = softmaxGradient;
  op.cost = softmaxCost;
  op.mayAlias = {{0, 0}};
  op.role = OpRole::Softmax;
  op.work = WorkKind::Rows;
  OpDef logarithm = op;
  logarithm.name = "log_softmax";
  logarithm.role = OpRole::LogSoftmax;
  logarithm.gradient = logSoftmaxGradient;
  return {op, logarithm};
}

ValueId softmax(Graph& g, ValueId x, int axis) {
  return g.add(opNamed("softmax"), {x}, {{"axis", int64_t{axis}}});
}
ValueId logSoftmax(Graph& g, ValueId x, int axis) {
  return g.add(opNamed("log_softmax"), {x}, {{"axis", int64_t{axis}}});
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// batch_norm {epsilon, activation, momentum, share, layout} (x, gamma, beta[, addend][,
// moving_mean, moving_variance]), over all axes except that of the channels:
//   mean = mean(x)
//   inv_std = 1 / sqrt(var(x) + epsilon)
//   y = activation((x - mean) * inv_std * gamma + beta + addend), activation "linear" or "relu"
//   next_mean = moving_mean * momentum + mean * share, and the same of the variance
// Inputs: x [..,C] of rank 2 or more, or images [N,C,H,W] (layout.h); gamma and beta [C], addend
// like x; all f32 or all f64. If x is bf16 or f16, operands and outputs per channel are f32.
// Outputs: y like x, mean [C], inv_std [C][, next_mean [C], next_variance [C]].
//
// batch_norm_backward {layout} (dy, x, gamma, mean, inv_std[, y or beta]) -> dx, dgamma, dbeta.
// With a fused relu, dy counts only for elements with y > 0. The last operand is then y, or beta if
// there is no addend. With beta, the op computes y itself instead of reading it. dx may overwrite
// dy.
//
// Gradient: batch_norm_backward, before an activation or addend is fused. The outputs mean and
// inv_std have no gradient.
// Errors: ShapeMismatch, InvalidArgument (epsilon not above 0, empty batch, another activation).
// Numerics: the variance is biased and computed from the centred values.
// Source: Keras 3; Ioffe and Szegedy, 2015.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/layout.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

bool isBackward(const Node& node) { return node.op->direction == OpDirection::Backward; }

/// Returns whether a node has moving statistics. With an addend, they are operands 4 and 5.
bool hasMovingStatistics(size_t numInputs) { return numInputs >= 5; }

TensorType perChannel(const ShapeContext& c, const TensorType& x) {
  return {wideType(x.dtype), Shape{asChannelsLast(c.attributes, x.shape).dim(-1)}};
}

/// Checks the types of the operands from `first` on. The first `count` of them have one number per
/// channel, and an optional last one has the type of x.
void checkOperands(const ShapeContext& c, const TensorType& x, size_t first, size_t count) {
  if (!isFloating(x.dtype))
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "the input is " + std::string(dtypeName(x.dtype)) + " (expected f32 or f64).");
  requireLayout(c);
  if (isChannelsFirst(c.attributes) && x.shape.rank() != 4)
    c.fail("the input has shape " + x.shape.toString() + " (expected " +
           imageAxesText(c.attributes) + ").");
  if (x.shape.rank() < 2)
    c.fail("the input has shape " + x.shape.toString() +
           " (expected a batch axis and a channel axis).");
  if (x.shape.numElements() == 0) c.fail("the input " + x.shape.toString() + " is empty.");
  for (size_t i = first; i < c.inputs.size(); ++i)
    if (const TensorType expected = i < first + count ? perChannel(c, x) : x;
        c.inputs[i] != expected)
      c.fail("input " + std::to_string(i) + " has type " + c.inputs[i].toString() + " (expected " +
             expected.toString() + ").");
}

std::vector<TensorType> inferBatchNorm(const ShapeContext& c) {
  const bool isMoving = hasMovingStatistics(c.inputs.size());
  const size_t numOwn = c.inputs.size() - (isMoving ? 2 : 0);
  ShapeContext own = c;
  own.inputs = c.inputs.first(numOwn);
  checkOperands(own, c.inputs[0], 1, 2);
  for (size_t i = numOwn; i < c.inputs.size(); ++i)
    if (const TensorType expected = perChannel(c, c.inputs[0]); c.inputs[i] != expected)
      c.fail("moving statistics have type " + c.inputs[i].toString() + " (expected " +
             expected.toString() + ").");
  if (!(c.attributes.get<double>("epsilon") > 0))
    throw Error(ErrorCode::InvalidArgument, c.op.name, "epsilon must be above 0.");
  if (const std::string& kind = c.attributes.get<std::string>("activation");
      kind != "linear" && kind != "relu")
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "the activation is \"" + kind + "\" (expected linear or relu).");
  std::vector<TensorType> outputs(isMoving ? 5 : 3, perChannel(c, c.inputs[0]));
  outputs[0] = c.inputs[0];
  return outputs;
}

std::vector<TensorType> inferBatchNormBackward(const ShapeContext& c) {
  if (c.inputs[0] != c.inputs[1])
    c.fail("the gradient has type " + c.inputs[0].toString() + " (expected " +
           c.inputs[1].toString() + ").");
  const bool hasBeta = c.inputs.size() > 5 && c.inputs[5] == perChannel(c, c.inputs[1]);
  checkOperands(c, c.inputs[1], 2, hasBeta ? 4 : 3);
  return {c.inputs[1], perChannel(c, c.inputs[1]), perChannel(c, c.inputs[1])};
}

std::vector<ValueId> batchNormGradient(const GradientContext& c) {
  requireChannelsLast(c);
  if (c.node().inputs.size() > 3 || c.node().attributes.get<std::string>("activation") != "linear")
    throw Error(ErrorCode::UnsupportedOp, c.node().layer,
                "a batch normalization with a fused activation or sum has no gradient. "
                "Differentiate the graph before fusing.");
  if (c.outputGradients[1].isValid() || c.outputGradients[2].isValid())
    throw Error(
        ErrorCode::UnsupportedOp, c.node().layer,
        "the statistics outputs of batch_norm have no gradient. Use reduce_mean of the input "
        "instead.");
  if (!c.outputGradients[0].isValid()) return std::vector<ValueId>(3);
  const std::vector<ValueId> operands{c.outputGradients[0], c.input(0), c.input(1), c.output(1),
                                      c.output(2)};
  const NodeId id = c.graph.addNode(opNamed("batch_norm_backward"), operands);
  return c.graph.node(id).outputs;
}

Cost batchNormCost(const Graph& graph, const Node& node) {
  const double elements = static_cast<double>(graph.shape(node.outputs[0]).numElements()),
               bytes = static_cast<double>(graph.type(node.outputs[0]).bytes());
  const bool readsResult =
      node.inputs.size() > 5 && graph.shape(node.inputs[5]) == graph.shape(node.inputs[1]);
  return isBackward(node) ? Cost{0, 12 * elements, (readsResult ? 7 : 5) * bytes}
                          : Cost{0, 8 * elements, (node.inputs.size() % 2 == 0 ? 4 : 3) * bytes};
}

}  // namespace

std::vector<OpDef> defineBatchNorm() {
  OpDef forward;
  forward.name = "batch_norm";
  forward.kind = OpKind::Compute;
  forward.minInputs = 3;
  forward.maxInputs = 6;
  forward.numOutputs = 3;
  forward.attributes = {{"epsilon", 1e-3, false},
                        {"activation", std::string("linear"), false},
                        {"momentum", 0.0, false},
                        {"share", 0.0, false},
                        layoutAttribute()};
  forward.infer = inferBatchNorm;
  forward.gradient = batchNormGradient;
  forward.cost = batchNormCost;
  forward.role = OpRole::BatchNorm;
  forward.work = WorkKind::BatchNorm;
  forward.precision = OpPrecision::Follows;
  forward.lowOperands = {0, 3};
  OpDef backward = forward;
  backward.name = "batch_norm_backward";
  backward.role = OpRole::BatchNormBackward;
  backward.direction = OpDirection::Backward;
  backward.minInputs = 5;
  backward.maxInputs = 6;
  backward.attributes = {layoutAttribute()};
  backward.infer = inferBatchNormBackward;
  backward.gradient = nullptr;
  backward.noGradientReason = "second derivatives of batch normalization are not implemented";
  backward.mayAlias = {{0, 0}};
  backward.lowOperands = {0, 1};
  return {forward, backward};
}

BatchNormResult batchNorm(Graph& g, ValueId x, ValueId gamma, ValueId beta, double epsilon) {
  const Node& node =
      g.node(g.addNode(opNamed("batch_norm"), {x, gamma, beta}, {{"epsilon", epsilon}}));
  return {node.outputs[0], node.outputs[1], node.outputs[2]};
}

}  // namespace strata

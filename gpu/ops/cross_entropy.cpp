// SPDX-License-Identifier: Apache-2.0
// softmax_cross_entropy {ignore_class} (logits, target) -> loss, probabilities:
//   loss = logsumexp(logits) - logits[target]                              (sparse target)
//   loss = sum(target) * logsumexp(logits) - sum(target * logits)          (dense target)
//   probabilities = softmax(logits)
// Inputs: logits [N..,V], f32 or f64; target i32 [N..], or [N..,V] in the logits' dtype. Rows whose
// target is ignore_class have loss 0 and no gradient. With -1, no row is ignored.
// Outputs: loss [N..], probabilities [N..,V]. A label outside 0..V-1 gives a NaN loss, which stops
// a run with an error.
//
// softmax_cross_entropy_backward {ignore_class} (dloss, probabilities, target) -> dlogits:
//   dlogits = dloss * (probabilities * sum(target) - target), where sum(target) is 1 for labels
// dlogits may overwrite probabilities.
//
// sigmoid_cross_entropy (logits, target), one shape and dtype:
//   loss = max(x, 0) - x * t + log1p(exp(-|x|))
// Gradient: dy * (sigmoid(x) - t) for the logits, -x * dy for the target.
//
// Errors: ShapeMismatch, InvalidArgument.
// Numerics: stable for all finite logits.
// Source: Keras 3 (from_logits); TensorFlow, sigmoid_cross_entropy_with_logits.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

void checkTarget(const ShapeContext& c, const TensorType& logits, const TensorType& target) {
  if (logits.shape.rank() < 1 || logits.shape.dim(-1) < 1)
    c.fail("the logits have shape " + logits.shape.toString() +
           " (expected classes along the last axis).");
  const TensorType sparse{DType::I32, logits.shape.without(-1)};
  if (target != sparse && target != logits)
    c.fail("the target has type " + target.toString() + " (expected labels " + sparse.toString() +
           " or probabilities " + logits.toString() + ").");
}

std::vector<TensorType> inferCrossEntropy(const ShapeContext& c) {
  requireFloating(c, 0);
  checkTarget(c, c.inputs[0], c.inputs[1]);
  return {{c.inputs[0].dtype, c.inputs[0].shape.without(-1)}, c.inputs[0]};
}

std::vector<TensorType> inferCrossEntropyBackward(const ShapeContext& c) {
  requireFloating(c, 1);
  checkTarget(c, c.inputs[1], c.inputs[2]);
  const TensorType loss{c.inputs[1].dtype, c.inputs[1].shape.without(-1)};
  if (c.inputs[0] != loss)
    c.fail("the gradient has type " + c.inputs[0].toString() + " (expected " + loss.toString() +
           ").");
  return {c.inputs[1]};
}

std::vector<ValueId> softmaxCrossEntropyGradient(const GradientContext& c) {
  Graph& g = c.graph;
  if (c.inputNeedsGradient[1])
    throw Error(ErrorCode::UnsupportedOp, c.node().layer,
                "softmax_cross_entropy has no gradient for its target. Write it with log_softmax "
                "and multiply.");
  const ValueId probabilities = c.output(1);
  ValueId result;
  if (c.outputGradients[0].isValid()) {
    const Attributes attributes = c.node().attributes;
    result = g.add(opNamed("softmax_cross_entropy_backward"),
                   {c.outputGradients[0], probabilities, c.input(1)}, attributes);
  }
  if (const ValueId dp = c.outputGradients[1]; dp.isValid()) {
    const ValueId part =
        multiply(g, probabilities,
                 subtract(g, dp, reduceSum(g, multiply(g, dp, probabilities), {-1}, true)));
    result = result.isValid() ? add(g, result, part) : part;
  }
  return {result, {}};
}

std::vector<TensorType> inferSigmoid(const ShapeContext& c) {
  requireFloating(c, 0);
  if (c.inputs[0] != c.inputs[1])
    c.fail("the target has type " + c.inputs[1].toString() + " (expected " +
           c.inputs[0].toString() + ", like the logits).");
  return {c.inputs[0]};
}

std::vector<ValueId> sigmoidCrossEntropyGradient(const GradientContext& c) {
  Graph& g = c.graph;
  const ValueId x = c.input(0), target = c.input(1), dy = c.outputGradients[0];
  std::vector<ValueId> result(2);
  if (c.inputNeedsGradient[0])
    result[0] = multiply(g, dy, subtract(g, activation(g, x, "sigmoid"), target));
  if (c.inputNeedsGradient[1]) result[1] = negate(g, multiply(g, dy, x));
  return result;
}

Cost crossEntropyCost(const Graph& graph, const Node& node) {
  Cost cost;
  for (ValueId value : node.inputs)
    cost.bytes += static_cast<double>(graph.type(value).bytes());
  for (ValueId value : node.outputs)
    cost.bytes += static_cast<double>(graph.type(value).bytes());
  cost.flops = (node.op->direction == OpDirection::Backward ? 2.0 : 14.0) *
               static_cast<double>(graph.shape(node.outputs.back()).numElements());
  return cost;
}

}  // namespace

std::vector<OpDef> defineCrossEntropy() {
  OpDef forward;
  forward.name = "softmax_cross_entropy";
  forward.kind = OpKind::Compute;
  forward.minInputs = forward.maxInputs = 2;
  forward.numOutputs = 2;
  forward.attributes = {{"ignore_class", int64_t{-1}, false}};
  forward.infer = inferCrossEntropy;
  forward.gradient = softmaxCrossEntropyGradient;
  forward.cost = crossEntropyCost;
  forward.role = OpRole::SoftmaxCrossEntropy;
  forward.work = WorkKind::Rows;
  OpDef backward = forward;
  backward.name = "softmax_cross_entropy_backward";
  backward.role = OpRole::SoftmaxCrossEntropyBackward;
  backward.direction = OpDirection::Backward;
  backward.minInputs = backward.maxInputs = 3;
  backward.numOutputs = 1;
  backward.infer = inferCrossEntropyBackward;
  backward.gradient = nullptr;
  backward.noGradientReason = "second derivatives of the loss are not implemented";
  backward.mayAlias = {{0, 1}};
  OpDef sigmoid;
  sigmoid.name = "sigmoid_cross_entropy";
  sigmoid.kind = OpKind::Elementwise;
  sigmoid.minInputs = sigmoid.maxInputs = 2;
  sigmoid.infer = inferSigmoid;
  sigmoid.gradient = sigmoidCrossEntropyGradient;
  sigmoid.cost = crossEntropyCost;
  sigmoid.work = WorkKind::Step;
  sigmoid.mayAlias = {{0, 0}, {0, 1}};
  return {forward, backward, sigmoid};
}

ValueId softmaxCrossEntropy(Graph& g, ValueId logits, ValueId target, int64_t ignoreClass) {
  return g.add(opNamed("softmax_cross_entropy"), {logits, target}, {{"ignore_class", ignoreClass}});
}

ValueId sigmoidCrossEntropy(Graph& g, ValueId logits, ValueId target) {
  return g.add(opNamed("sigmoid_cross_entropy"), {logits, target});
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// classification_loss {ignore_class, loss_scale, ranks, correct_scale, gradient, gradient_scale,
// probabilities} (logits, target[, scale]) -> loss, correct[, dlogits][, probabilities]:
//   loss = loss_scale * sum of the rows' losses
//   correct = correct_scale * number of rows whose largest value is that of the target's class
//   dlogits = d * (p * sum(target) - target), where d = gradient_scale * scale
//   probabilities = p = softmax(logits)
// Rows, targets, ignored classes and wrong labels are as in softmax_cross_entropy
// (cross_entropy.cpp). `ranks` says which values are compared: "logits", "probabilities", or
// "none", which gives 0. The first of equal values is the largest; NaN is the smallest value,
// except as the first of its row, where it is the largest. The class of a dense target is its
// largest value.
// Inputs: logits [N..,V] of any floating type; target i32 [N..], or [N..,V] of the type of the
// loss; scale [] of the type of the loss, 1 if it is missing.
// Outputs: loss and correct [], f64 if the logits are, otherwise f32; dlogits, like the logits, if
// `gradient` is true; probabilities [N..,V] of the type of the loss, if `probabilities` is true.
// dlogits, or probabilities without dlogits, may overwrite the logits.
// Gradient: none. The pass fuse_loss makes the op after differentiation.
//
// Errors: ShapeMismatch, InvalidArgument.
// Numerics: stable for all finite logits. 16-bit logits are widened, and dlogits are rounded once.
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

std::vector<TensorType> inferClassificationLoss(const ShapeContext& c) {
  requireFloating(c, 0);
  const TensorType &logits = c.inputs[0], &target = c.inputs[1];
  const DType wide = logits.dtype == DType::F64 ? DType::F64 : DType::F32;
  if (logits.shape.rank() < 1 || logits.shape.dim(-1) < 1)
    c.fail("the logits have shape " + logits.shape.toString() +
           " (expected classes along the last axis).");
  const TensorType labels{DType::I32, logits.shape.without(-1)}, dense{wide, logits.shape};
  if (target != labels && target != dense)
    c.fail("the target has type " + target.toString() + " (expected labels " + labels.toString() +
           " or probabilities " + dense.toString() + ").");
  const TensorType number{wide, {}};
  if (c.inputs.size() == 3 && c.inputs[2] != number)
    c.fail("the scale has type " + c.inputs[2].toString() + " (expected " + number.toString() +
           ").");
  const std::string& ranks = c.attributes.get<std::string>("ranks");
  if (ranks != "none" && ranks != "logits" && ranks != "probabilities")
    c.fail("ranks is \"" + ranks + "\" (expected none, logits or probabilities).");
  std::vector<TensorType> outputs{number, number};
  if (c.attributes.get<bool>("gradient")) outputs.push_back(logits);
  if (c.attributes.get<bool>("probabilities")) outputs.push_back(dense);
  return outputs;
}

Cost classificationLossCost(const Graph& graph, const Node& node) {
  Cost cost;
  for (const ValueId value : node.inputs)
    cost.bytes += static_cast<double>(graph.type(value).bytes());
  for (const ValueId value : node.outputs)
    cost.bytes += static_cast<double>(graph.type(value).bytes());
  cost.flops = 16.0 * static_cast<double>(graph.shape(node.inputs[0]).numElements());
  return cost;
}

}  // namespace

std::vector<OpDef> defineClassificationLoss() {
  OpDef loss;
  loss.name = "classification_loss";
  loss.minInputs = 2;
  loss.maxInputs = 3;
  loss.numOutputs = 2;
  loss.attributes = {{"ignore_class", int64_t{-1}, false},
                     {"loss_scale", 1.0, false},
                     {"ranks", std::string("none"), false},
                     {"correct_scale", 1.0, false},
                     {"gradient", false, false},
                     {"gradient_scale", 1.0, false},
                     {"probabilities", false, false}};
  loss.infer = inferClassificationLoss;
  loss.noGradientReason = "it already computes the gradient of its logits";
  loss.cost = classificationLossCost;
  loss.work = WorkKind::Rows;
  loss.mayAlias = {{2, 0}};
  return {loss};
}

}  // namespace strata

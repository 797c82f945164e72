// SPDX-License-Identifier: Apache-2.0
// ctc_loss {blank} (logits, labels): loss = -log(p), where p is the probability of the labels,
// summed over all alignments with the steps. Each label takes one or more steps. `blank` may occur
// before, between and after labels, and it must separate two equal labels. Labels are padded with
// `blank`.
//
// Inputs: logits [N,T,C], f32 or f64; labels i32 [N,L].
// Outputs: loss [N], and the gradient of the loss for the logits [N,T,C], which the same recursion
// computes.
// Gradient: dloss times the second output. The second output has no gradient.
// Errors: ShapeMismatch, InvalidArgument. A label outside 0..C-1 gives a NaN loss.
// Numerics: log probabilities are in double. An alignment that ends before the last label counts
// with a factor of 1e-307, as in TensorFlow. So the loss is finite even if there are too few steps.
// Source: Graves et al., 2006; Keras 3, keras.ops.ctc_loss.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

std::vector<TensorType> inferCtc(const ShapeContext& c) {
  requireFloating(c, 0);
  const Shape &logits = c.inputs[0].shape, &labels = c.inputs[1].shape;
  if (logits.rank() != 3 || logits[1] < 1 || logits[2] < 1)
    c.fail("the logits have shape " + logits.toString() + " (expected [samples, steps, classes]).");
  if (c.inputs[1].dtype != DType::I32 || labels.rank() != 2 || labels[0] != logits[0])
    c.fail("the labels have type " + c.inputs[1].toString() + " (expected i32 [" +
           std::to_string(logits[0]) + ", labels]).");
  if (const int64_t blank = c.attributes.get<int64_t>("blank"); blank < 0 || blank >= logits[2])
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "blank is " + std::to_string(blank) + " (expected 0 to " +
                    std::to_string(logits[2] - 1) + "). Use one of the classes.");
  return {{c.inputs[0].dtype, Shape{logits[0]}}, c.inputs[0]};
}

std::vector<ValueId> ctcGradient(const GradientContext& c) {
  Graph& g = c.graph;
  if (c.inputNeedsGradient[1] || c.outputGradients[1].isValid())
    throw Error(ErrorCode::UnsupportedOp, c.node().layer,
                "ctc_loss has a gradient only for its loss output and its logits. Use its loss.");
  const ValueId dloss = c.outputGradients[0];
  return {multiply(g, reshape(g, dloss, {g.shape(dloss)[0], 1, 1}), c.output(1)), {}};
}

Cost ctcCost(const Graph& graph, const Node& node) {
  Cost cost;
  for (const ValueId value : node.inputs)
    cost.bytes += static_cast<double>(graph.type(value).bytes());
  for (const ValueId value : node.outputs)
    cost.bytes += static_cast<double>(graph.type(value).bytes());
  const Shape &logits = graph.shape(node.inputs[0]), &labels = graph.shape(node.inputs[1]);
  // Counts the softmax and the gradient of the logits, and two recursions over the labels with
  // blanks around them
  cost.flops = 16.0 * static_cast<double>(logits.numElements()) +
               80.0 * static_cast<double>(logits[0] * logits[1] * (2 * labels[1] + 1));
  return cost;
}

}  // namespace

std::vector<OpDef> defineCtc() {
  OpDef loss;
  loss.name = "ctc_loss";
  loss.kind = OpKind::Compute;
  loss.minInputs = loss.maxInputs = 2;
  loss.numOutputs = 2;
  loss.attributes = {{"blank", int64_t{0}, false}};
  loss.infer = inferCtc;
  loss.gradient = ctcGradient;
  loss.cost = ctcCost;
  return {loss};
}

ValueId ctcLoss(Graph& g, ValueId logits, ValueId labels, int64_t blank) {
  return g.add(opNamed("ctc_loss"), {logits, labels}, {{"blank", blank}});
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// layer_norm {epsilon, dimensions, scale, center} (x[, gamma][, beta]), for each row, which are the
// elements of the last `dimensions` axes:
//   mean = mean(x)
//   inv_std = 1 / sqrt(var(x) + epsilon)
//   y = (x - mean) * inv_std * gamma + beta
// Inputs: x [..,F] with at least `dimensions` axes; gamma [F] if `scale` is true; beta [F] if
// `center` is true. F stands for the last `dimensions` axes. All are f32 or all are f64.
// If x is bf16 or f16, gamma, beta, mean and inv_std are f32.
// Outputs: y like x; mean and inv_std with the other axes of x, one number per row.
//
// layer_norm_backward {dimensions, scale, adds} (dy, x, mean, inv_std[, gamma][, addend])
// -> dx, dgamma, dbeta.
// dgamma and dbeta are sums over rows; they are computed even if gamma or beta is missing. With
// n = (x - mean) * inv_std and d = dy * gamma: dx = inv_std * (d - mean(d) - n * mean(d * n)). If
// `adds` is true, dx includes the addend, which is like x; 16-bit results are rounded once.
//
// Aliasing: y may overwrite x. dx may overwrite dy, or the addend if there is a gamma.
// Gradient: layer_norm_backward. The outputs mean and inv_std have no gradient.
// Errors: ShapeMismatch, InvalidArgument (epsilon not above 0, `dimensions` not in [1, rank]).
// Numerics: the variance is biased and computed from the centred values.
// Source: Keras 3; Ba et al., 2016.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

/// The types of the operands and results of layer_norm.
struct LayerNormTypes {
  TensorType perRow, perColumn;

  LayerNormTypes(const ShapeContext& c, const TensorType& x) {
    if (!isFloating(x.dtype))
      throw Error(ErrorCode::InvalidArgument, c.op.name,
                  "the input is " + std::string(dtypeName(x.dtype)) + " (expected f32 or f64).");
    const int64_t count = c.attributes.get<int64_t>("dimensions");
    if (count < 1 || count > x.shape.rank())
      throw Error(ErrorCode::InvalidArgument, c.op.name,
                  "dimensions is " + std::to_string(count) + " (expected 1 to " +
                      std::to_string(x.shape.rank()) + ", the rank of the input).");
    if (x.shape.numElements() == 0) c.fail("the input " + x.shape.toString() + " is empty.");
    perRow.dtype = perColumn.dtype = wideType(x.dtype);
    for (int i = 0; i < x.shape.rank(); ++i)
      (i < x.shape.rank() - count ? perRow : perColumn).shape.append(x.shape[i]);
  }
};

void requireInput(const ShapeContext& c, size_t input, const TensorType& expected) {
  if (input >= c.inputs.size())
    c.fail("input " + std::to_string(input) + " is missing (expected " + expected.toString() +
           ").");
  if (c.inputs[input] != expected)
    c.fail("input " + std::to_string(input) + " has type " + c.inputs[input].toString() +
           " (expected " + expected.toString() + ").");
}

void requireCount(const ShapeContext& c, size_t count) {
  if (c.inputs.size() != count)
    c.fail("there are " + std::to_string(c.inputs.size()) + " inputs (expected " +
           std::to_string(count) + ").");
}

std::vector<TensorType> inferLayerNorm(const ShapeContext& c) {
  const LayerNormTypes types(c, c.inputs[0]);
  if (!(c.attributes.get<double>("epsilon") > 0))
    throw Error(ErrorCode::InvalidArgument, c.op.name, "epsilon must be above 0.");
  size_t next = 1;
  for (const char* operand : {"scale", "center"})
    if (c.attributes.get<bool>(operand)) requireInput(c, next++, types.perColumn);
  requireCount(c, next);
  return {c.inputs[0], types.perRow, types.perRow};
}

std::vector<TensorType> inferLayerNormBackward(const ShapeContext& c) {
  const LayerNormTypes types(c, c.inputs[1]);
  requireInput(c, 0, c.inputs[1]);
  requireInput(c, 2, types.perRow);
  requireInput(c, 3, types.perRow);
  const bool hasScale = c.attributes.get<bool>("scale");
  size_t next = 4;
  if (hasScale) requireInput(c, next++, types.perColumn);
  if (c.attributes.get<bool>("adds")) requireInput(c, next++, c.inputs[1]);
  requireCount(c, next);
  return {c.inputs[1], types.perColumn, types.perColumn};
}

std::vector<ValueId> layerNormGradient(const GradientContext& c) {
  if (c.outputGradients[1].isValid() || c.outputGradients[2].isValid())
    throw Error(
        ErrorCode::UnsupportedOp, c.node().layer,
        "the statistics outputs of layer_norm have no gradient. Use reduce_mean of the input "
        "instead.");
  const bool hasScale = c.node().attributes.get<bool>("scale"),
             hasCenter = c.node().attributes.get<bool>("center");
  std::vector<ValueId> gradients(c.node().inputs.size());
  if (!c.outputGradients[0].isValid()) return gradients;
  std::vector<ValueId> operands{c.outputGradients[0], c.input(0), c.output(1), c.output(2)};
  if (hasScale) operands.push_back(c.input(1));
  const Attributes attributes{{"dimensions", c.node().attributes.get<int64_t>("dimensions")},
                              {"scale", hasScale}};
  const Node& node =
      c.graph.node(c.graph.addNode(opNamed("layer_norm_backward"), operands, attributes));
  gradients[0] = node.outputs[0];
  if (hasScale) gradients[1] = node.outputs[1];
  if (hasCenter) gradients.back() = node.outputs[2];
  return gradients;
}

Cost layerNormCost(const Graph& graph, const Node& node) {
  const bool isBackward = node.op->direction == OpDirection::Backward;
  const double elements = static_cast<double>(graph.shape(node.outputs[0]).numElements()),
               bytes = static_cast<double>(graph.type(node.outputs[0]).bytes());
  if (!isBackward) return {0, 8 * elements, 2 * bytes};
  return {0, 14 * elements, (node.attributes.get<bool>("adds") ? 4 : 3) * bytes};
}

}  // namespace

std::vector<OpDef> defineLayerNorm() {
  OpDef forward;
  forward.name = "layer_norm";
  forward.kind = OpKind::Compute;
  forward.minInputs = 1;
  forward.maxInputs = 3;
  forward.numOutputs = 3;
  forward.attributes = {{"epsilon", 1e-3, false},
                        {"dimensions", int64_t{1}, false},
                        {"scale", false, false},
                        {"center", false, false}};
  forward.infer = inferLayerNorm;
  forward.gradient = layerNormGradient;
  forward.cost = layerNormCost;
  forward.work = WorkKind::LayerNorm;
  forward.precision = OpPrecision::Follows;
  forward.lowOperands = {0};
  forward.mayAlias = {{0, 0}};
  OpDef backward = forward;
  backward.name = "layer_norm_backward";
  backward.direction = OpDirection::Backward;
  backward.minInputs = 4;
  backward.maxInputs = 6;
  backward.attributes = {
      {"dimensions", int64_t{1}, false}, {"scale", false, false}, {"adds", false, false}};
  backward.role = OpRole::LayerNormBackward;
  backward.mayAlias = {{0, 0}, {0, 5}};
  backward.infer = inferLayerNormBackward;
  backward.lowOperands = {0, 1};
  backward.gradient = nullptr;
  backward.noGradientReason = "second derivatives of layer normalization are not implemented";
  return {forward, backward};
}

ValueId layerNorm(Graph& g, ValueId x, ValueId gamma, ValueId beta, int64_t dimensions,
                  double epsilon) {
  std::vector<ValueId> operands{x};
  for (const ValueId operand : {gamma, beta})
    if (operand.isValid()) operands.push_back(operand);
  return g
      .node(g.addNode(opNamed("layer_norm"), operands,
                      {{"epsilon", epsilon},
                       {"dimensions", dimensions},
                       {"scale", gamma.isValid()},
                       {"center", beta.isValid()}}))
      .outputs[0];
}

}  // namespace strata

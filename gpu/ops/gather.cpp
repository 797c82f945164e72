// SPDX-License-Identifier: Apache-2.0
// gather {dtype} (table, indices): y[..., d] = table[indices[...], d].
// Inputs: table [V,D], f32 or f64; indices i32 or i64 of any shape.
// Output: [..., D], rounded to dtype "bf16" or "f16" if it is not "". An index outside 0..V-1 gives
// a row of NaN, which stops a run with an error.
// Gradient: gather_backward for the table. The indices have no gradient.
//
// gather_backward {rows, squares} (dy, indices): dtable[v] = the sum of the rows dy[...] whose
// index is v, or of the squares of their elements.
// Inputs: dy [..., D], indices.
// Output: [rows, D], f32 if dy is bf16 or f16. Indices out of range are ignored.
// Gradient: gather of the gradient; none with squares.
//
// Errors: ShapeMismatch, InvalidArgument.
// Numerics: gather is exact, apart from the rounding to dtype. gather_backward sums in the
// operand's dtype in the order of the indices, so that the result does not depend on the number of
// workers.
// Source: NumPy take; Keras 3, keras.ops.take.
#include <optional>

#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

void requireIndices(const ShapeContext& c) {
  const DType dtype = c.inputs[1].dtype;
  if (dtype != DType::I32 && dtype != DType::I64)
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "[" + c.op.name + "] indices are " + std::string(dtypeName(dtype)) +
                    " (expected i32 or i64).");
}

std::vector<TensorType> inferGather(const ShapeContext& c) {
  requireFloating(c, 0);
  requireIndices(c);
  if (c.inputs[0].shape.rank() != 2)
    c.fail("the table has shape " + c.inputs[0].shape.toString() + " (expected [rows, columns]).");
  Shape shape = c.inputs[1].shape;
  shape.append(c.inputs[0].shape[1]);
  const std::string& name = c.attributes.get<std::string>("dtype");
  if (name.empty()) return {{c.inputs[0].dtype, shape}};
  const std::optional<DType> dtype = dtypeFromName(name);
  if (!dtype || !isLowPrecision(*dtype) || c.inputs[0].dtype != DType::F32)
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "[gather] a table of " + std::string(dtypeName(c.inputs[0].dtype)) +
                    " has no rows of \"" + name + "\" (expected f32, and bf16 or f16).");
  return {{*dtype, shape}};
}

std::vector<TensorType> inferGatherBackward(const ShapeContext& c) {
  requireFloating(c, 0);
  requireIndices(c);
  const Shape& dy = c.inputs[0].shape;
  const int64_t rows = c.attributes.get<int64_t>("rows");
  if (dy.rank() < 1 || dy.without(-1) != c.inputs[1].shape)
    c.fail("the gradient has shape " + dy.toString() + " (expected the shape of the indices, " +
           c.inputs[1].shape.toString() + ", followed by the columns).");
  if (rows < 0) c.fail("rows is " + std::to_string(rows) + " (expected 0 or more).");
  return {{wideType(c.inputs[0].dtype), {rows, dy.dim(-1)}}};
}

std::vector<ValueId> gatherGradient(const GradientContext& c) {
  if (!c.inputNeedsGradient[0]) return {{}, {}};
  const int64_t rows = c.graph.shape(c.input(0))[0];
  const ValueId sums =
      c.graph.add(opNamed("gather_backward"), {c.outputGradients[0], c.input(1)}, {{"rows", rows}});
  return {cast(c.graph, sums, c.graph.type(c.input(0)).dtype), {}};
}

std::vector<ValueId> backwardGradient(const GradientContext& c) {
  if (c.node().attributes.get<bool>("squares"))
    throw Error(ErrorCode::UnsupportedOp, c.node().layer,
                "a sum of squares of lookups has no gradient.");
  if (!c.inputNeedsGradient[0]) return {{}, {}};
  const ValueId rows = c.graph.add(opNamed("gather"), {c.outputGradients[0], c.input(1)});
  return {cast(c.graph, rows, c.graph.type(c.input(0)).dtype), {}};
}

/// gather reads only the indexed rows of the table, but gather_backward writes the whole gradient.
Cost gatherCost(const Graph& graph, const Node& node) {
  const bool isBackward = node.op->direction == OpDirection::Backward;
  const double moved =
      static_cast<double>(graph.type(isBackward ? node.inputs[0] : node.outputs[0]).bytes());
  const double read = isBackward
                          ? moved
                          : static_cast<double>(graph.shape(node.outputs[0]).numElements()) *
                                static_cast<double>(dtypeBytes(graph.type(node.inputs[0]).dtype));
  Cost cost{0, 0, read + moved + static_cast<double>(graph.type(node.inputs[1]).bytes())};
  if (isBackward) {
    cost.flops = static_cast<double>(graph.shape(node.inputs[0]).numElements());
    cost.bytes += static_cast<double>(graph.type(node.outputs[0]).bytes());
  }
  return cost;
}

}  // namespace

std::vector<OpDef> defineGather() {
  OpDef forward;
  forward.name = "gather";
  forward.kind = OpKind::Movement;
  forward.minInputs = forward.maxInputs = 2;
  forward.infer = inferGather;
  forward.gradient = gatherGradient;
  forward.cost = gatherCost;
  forward.attributes = {{"dtype", std::string(), false}};
  forward.precision = OpPrecision::RoundsWeights;
  OpDef backward = forward;
  backward.name = "gather_backward";
  backward.direction = OpDirection::Backward;
  backward.sumsLookups = true;
  backward.precision = OpPrecision::FollowsToFull;
  backward.kind = OpKind::Compute;
  backward.attributes = {{"rows", int64_t{0}, true}, {"squares", false, false}};
  backward.infer = inferGatherBackward;
  backward.gradient = backwardGradient;
  return {forward, backward};
}

ValueId gather(Graph& g, ValueId table, ValueId indices) {
  return g.add(opNamed("gather"), {table, indices});
}

}  // namespace strata

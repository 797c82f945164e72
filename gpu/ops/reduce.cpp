// SPDX-License-Identifier: Apache-2.0
// reduce_sum {axes, keepdims}, reduce_max {axes, keepdims}: the sum or the maximum over the given
// axes. Without axes, the result is the tensor itself.
// argmax {axis}: the i32 index of the first largest element.
//
// Inputs: x of any dtype. The axes of reduce_max and argmax must not have size 0.
// Output: the dtype of x, with the axes removed or kept as 1. argmax gives i32. The sum of bf16 or
// f16 elements is f32.
// Gradient: reduce_sum broadcasts the gradient back. reduce_max shares it equally among the largest
// elements. argmax has gradient zero.
// Errors: InvalidArgument (wrong axes), ShapeMismatch (an axis of size 0).
// Numerics: the reference sums in double, the CPU device in float by blocks in a fixed order.
// reduce_max gives NaN if an element is NaN.
// Source: NumPy.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

using Ints = std::vector<int64_t>;

std::vector<TensorType> inferReduce(const ShapeContext& c) {
  const std::vector<int> axes = normalizedAxes(c, c.inputs[0].shape);
  return {{c.inputs[0].dtype,
           reducedShape(c.inputs[0].shape, axes, c.attributes.get<bool>("keepdims"))}};
}

std::vector<TensorType> inferSum(const ShapeContext& c) {
  std::vector<TensorType> types = inferReduce(c);
  types[0].dtype = wideType(types[0].dtype);
  return types;
}

std::vector<TensorType> inferReduceMax(const ShapeContext& c) {
  for (int axis : normalizedAxes(c, c.inputs[0].shape))
    if (c.inputs[0].shape[axis] == 0)
      c.fail("axis " + std::to_string(axis) + " of " + c.inputs[0].shape.toString() +
             " is empty, so it has no largest element.");
  return inferReduce(c);
}

/// Reshapes a reduced value to the kept dimensions, so that it broadcasts to the input.
ValueId kept(const GradientContext& c, ValueId reduced) {
  Graph& g = c.graph;
  const Shape from = g.shape(c.input(0));
  Shape shape = from;
  for (int64_t axis : c.node().attributes.get<Ints>("axes"))
    shape.set(from.normalizeAxis(static_cast<int>(axis)), 1);
  return g.shape(reduced) == shape ? reduced : reshape(g, reduced, shape);
}

std::vector<ValueId> sumGradient(const GradientContext& c) {
  const Shape from = c.graph.shape(c.input(0));
  const ValueId dy = kept(c, c.outputGradients[0]);
  return {cast(c.graph, c.graph.shape(dy) == from ? dy : broadcastTo(c.graph, dy, from),
               c.graph.type(c.input(0)).dtype)};
}

std::vector<ValueId> reduceMaxGradient(const GradientContext& c) {
  Graph& g = c.graph;
  const Ints axes = c.node().attributes.get<Ints>("axes");
  const ValueId y = kept(c, c.output(0)), dy = kept(c, c.outputGradients[0]);
  const ValueId isLargest = equal(g, c.input(0), y);
  return {multiply(g, isLargest, divide(g, dy, reduceSum(g, isLargest, axes, true)))};
}

std::vector<TensorType> inferArgmax(const ShapeContext& c) {
  const int axis = axisAttribute(c, c.inputs[0].shape);
  if (c.inputs[0].shape[axis] == 0)
    c.fail("axis " + std::to_string(axis) + " of " + c.inputs[0].shape.toString() +
           " is empty, so it has no largest element.");
  return {{DType::I32, c.inputs[0].shape.without(axis)}};
}

Ints allAxes(const Graph& g, ValueId x) {
  Ints axes;
  for (int i = 0; i < g.shape(x).rank(); ++i)
    axes.push_back(i);
  return axes;
}

}  // namespace

std::vector<OpDef> defineReduce() {
  OpDef sum;
  sum.name = "reduce_sum";
  sum.kind = OpKind::Reduction;
  sum.minInputs = sum.maxInputs = 1;
  sum.attributes = {{"axes", Ints{}, true}, {"keepdims", false, false}};
  sum.infer = inferSum;
  sum.precision = OpPrecision::FollowsToFull;
  sum.gradient = sumGradient;
  sum.role = OpRole::ReduceSum;
  sum.work = WorkKind::Reduction;
  OpDef largest = sum;
  largest.name = "reduce_max";
  largest.role = OpRole::ReduceMax;
  largest.infer = inferReduceMax;
  largest.precision = OpPrecision::Follows;
  largest.gradient = reduceMaxGradient;
  OpDef position = sum;
  position.name = "argmax";
  position.role = OpRole::ArgMax;
  position.precision = OpPrecision::Full;
  position.work = WorkKind::Elements;
  position.attributes = {{"axis", int64_t{-1}, false}};
  position.infer = inferArgmax;
  position.gradient = zeroGradient;
  return {sum, largest, position};
}

ValueId reduceSum(Graph& g, ValueId x, Ints axes, bool keepdims) {
  return g.add(opNamed("reduce_sum"), {x}, {{"axes", std::move(axes)}, {"keepdims", keepdims}});
}
ValueId reduceMax(Graph& g, ValueId x, Ints axes, bool keepdims) {
  return g.add(opNamed("reduce_max"), {x}, {{"axes", std::move(axes)}, {"keepdims", keepdims}});
}

ValueId reduceMean(Graph& g, ValueId x, Ints axes, bool keepdims) {
  const ValueId sum = reduceSum(g, x, std::move(axes), keepdims);
  const double count = static_cast<double>(g.shape(x).numElements()) /
                       static_cast<double>(std::max<int64_t>(1, g.shape(sum).numElements()));
  return multiplyScalar(g, sum, 1 / count);
}

ValueId sumAll(Graph& g, ValueId x) { return reduceSum(g, x, allAxes(g, x)); }
ValueId meanAll(Graph& g, ValueId x) { return reduceMean(g, x, allAxes(g, x)); }
ValueId argmax(Graph& g, ValueId x, int axis) {
  return g.add(opNamed("argmax"), {x}, {{"axis", int64_t{axis}}});
}

}  // namespace strata

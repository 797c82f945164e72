// SPDX-License-Identifier: Apache-2.0
// Ops that move elements without arithmetic, as a table.
//   reshape {shape}        the same bytes with another shape (View). Gradient: reshape back.
//   transpose {permutation}
//                          axis i of y is axis permutation[i] of x. Gradient: the inverse.
//   broadcast_to {shape}   NumPy broadcasting. Gradient: the sum over repeated axes.
//   concatenate {axis} (parts...)
//                          one dtype, equal shapes except along the axis. Gradient: slices.
//   slice {begin, size}    the box of `size` at `begin`. Gradient: pad with zeros.
//   pad {before, after, value}
//                          adds elements `value` before and after each axis. Gradient: slice.
//   one_hot {classes, dtype}
//                          integers [...] -> [..., classes]; zeros for an index out of range.
//                          Gradient: zero, because labels have none.
// Inputs: any dtype.
// Errors: ShapeMismatch, InvalidArgument.
// Source: NumPy, Keras 3.
#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

using Ints = std::vector<int64_t>;
using Gradients = std::vector<ValueId>;

[[noreturn]] void invalid(const ShapeContext& c, const std::string& message) {
  throw Error(ErrorCode::InvalidArgument, c.op.name, "[" + c.op.name + "] " + message);
}
const Ints& ints(const ShapeContext& c, std::string_view name) {
  return c.attributes.get<Ints>(name);
}
Ints asInts(const Shape& shape) { return {shape.dims().begin(), shape.dims().end()}; }

std::vector<TensorType> inferReshape(const ShapeContext& c) {
  const Shape shape{std::span<const int64_t>(ints(c, "shape"))};
  if (shape.numElements() != c.inputs[0].shape.numElements())
    c.fail("shape " + c.inputs[0].shape.toString() + " has " +
           std::to_string(c.inputs[0].shape.numElements()) + " elements, " + shape.toString() +
           " has " + std::to_string(shape.numElements()) + " (expected the same number).");
  return {{c.inputs[0].dtype, shape}};
}

Gradients reshapeGradient(const GradientContext& c) {
  return {reshape(c.graph, c.outputGradients[0], c.graph.shape(c.input(0)))};
}

std::vector<TensorType> inferTranspose(const ShapeContext& c) {
  const Shape& from = c.inputs[0].shape;
  const Ints& permutation = ints(c, "permutation");
  Ints sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  bool isPermutation = static_cast<int>(sorted.size()) == from.rank();
  for (size_t i = 0; isPermutation && i < sorted.size(); ++i)
    isPermutation = sorted[i] == static_cast<int64_t>(i);
  if (!isPermutation)
    invalid(c, "the permutation must name each of the " + std::to_string(from.rank()) +
                   " axes of " + from.toString() + " once.");
  Shape shape;
  for (int64_t axis : permutation)
    shape.append(from[static_cast<int>(axis)]);
  return {{c.inputs[0].dtype, shape}};
}

Gradients transposeGradient(const GradientContext& c) {
  const Ints permutation = c.node().attributes.get<Ints>("permutation");
  Ints inverse(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i)
    inverse[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
  return {transpose(c.graph, c.outputGradients[0], inverse)};
}

std::vector<TensorType> inferBroadcastTo(const ShapeContext& c) {
  const Shape shape{std::span<const int64_t>(ints(c, "shape"))};
  const std::optional<Shape> met = broadcastShapes(c.inputs[0].shape, shape);
  if (!met || *met != shape)
    c.fail("shape " + c.inputs[0].shape.toString() + " cannot be broadcast to " + shape.toString() +
           ".");
  return {{c.inputs[0].dtype, shape}};
}

Gradients broadcastToGradient(const GradientContext& c) {
  return {reduceTo(c.graph, c.outputGradients[0], c.graph.shape(c.input(0)))};
}

std::vector<TensorType> inferConcatenate(const ShapeContext& c) {
  TensorType result = c.inputs[0];
  const int axis = axisAttribute(c, result.shape);
  for (size_t i = 1; i < c.inputs.size(); ++i) {
    requireSameDType(c, 0, static_cast<int>(i));
    const Shape& part = c.inputs[i].shape;
    if (part.rank() != result.shape.rank() || part.without(axis) != result.shape.without(axis))
      c.fail("input " + std::to_string(i) + " has shape " + part.toString() + ", input 0 " +
             c.inputs[0].shape.toString() + " (expected the same sizes except along axis " +
             std::to_string(axis) + ").");
    result.shape.set(axis, result.shape[axis] + part[axis]);
  }
  return {result};
}

Gradients concatenateGradient(const GradientContext& c) {
  Graph& g = c.graph;
  const std::vector<ValueId> inputs = c.node().inputs;
  const int axis =
      g.shape(inputs[0]).normalizeAxis(static_cast<int>(c.node().attributes.get<int64_t>("axis")));
  Gradients result(inputs.size());
  Ints begin(static_cast<size_t>(g.shape(inputs[0]).rank()), 0);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape shape = g.shape(inputs[i]);
    if (c.inputNeedsGradient[i]) result[i] = slice(g, c.outputGradients[0], begin, asInts(shape));
    begin[static_cast<size_t>(axis)] += shape[axis];
  }
  return result;
}

std::vector<TensorType> inferSlice(const ShapeContext& c) {
  const Shape& from = c.inputs[0].shape;
  const Ints &begin = ints(c, "begin"), &size = ints(c, "size");
  if (static_cast<int>(begin.size()) != from.rank() || begin.size() != size.size())
    invalid(c, "begin and size need one number per axis of " + from.toString() + ".");
  for (int i = 0; i < from.rank(); ++i) {
    const int64_t first = begin[static_cast<size_t>(i)], count = size[static_cast<size_t>(i)];
    if (first < 0 || count < 0 || first > from[i] || count > from[i] - first)
      c.fail(std::to_string(count) + " elements from " + std::to_string(first) +
             " on lie outside axis " + std::to_string(i) + " of " + from.toString() + ".");
  }
  return {{c.inputs[0].dtype, Shape(std::span<const int64_t>(size))}};
}

Gradients sliceGradient(const GradientContext& c) {
  const Shape from = c.graph.shape(c.input(0));
  const Ints begin = c.node().attributes.get<Ints>("begin"),
             size = c.node().attributes.get<Ints>("size");
  Ints after;
  for (int i = 0; i < from.rank(); ++i)
    after.push_back(from[i] - begin[static_cast<size_t>(i)] - size[static_cast<size_t>(i)]);
  return {pad(c.graph, c.outputGradients[0], begin, after)};
}

std::vector<TensorType> inferPad(const ShapeContext& c) {
  const Shape& from = c.inputs[0].shape;
  const Ints &before = ints(c, "before"), &after = ints(c, "after");
  if (static_cast<int>(before.size()) != from.rank() || before.size() != after.size())
    invalid(c, "before and after need one number per axis of " + from.toString() + ".");
  constexpr int64_t kMax = int64_t{1} << 40;
  Shape shape;
  for (int i = 0; i < from.rank(); ++i) {
    const int64_t first = before[static_cast<size_t>(i)], last = after[static_cast<size_t>(i)];
    if (first < 0 || last < 0 || first > kMax || last > kMax)
      invalid(c, "a padding is negative or too large.");
    shape.append(from[i] + first + last);
  }
  return {{c.inputs[0].dtype, shape}};
}

Gradients padGradient(const GradientContext& c) {
  return {slice(c.graph, c.outputGradients[0], Ints(c.node().attributes.get<Ints>("before")),
                asInts(c.graph.shape(c.input(0))))};
}

std::vector<TensorType> inferOneHot(const ShapeContext& c) {
  if (isFloating(c.inputs[0].dtype))
    invalid(c, "labels are " + std::string(dtypeName(c.inputs[0].dtype)) + " (expected integers).");
  const std::optional<DType> dtype = dtypeFromName(c.attributes.get<std::string>("dtype"));
  if (!dtype) invalid(c, "unknown dtype \"" + c.attributes.get<std::string>("dtype") + "\".");
  Shape shape = c.inputs[0].shape;
  shape.append(c.attributes.get<int64_t>("classes"));
  return {{*dtype, shape}};
}

struct Row {
  const char* name;
  OpKind kind;
  int maxInputs;
  std::vector<AttributeSpec> attributes;
  std::vector<TensorType> (*infer)(const ShapeContext&);
  Gradients (*gradient)(const GradientContext&);
  OpRole role = OpRole::Other;
};

}  // namespace

std::vector<OpDef> defineMovement() {
  const Row rows[] = {
      {"reshape",
       OpKind::View,
       1,
       {{"shape", Ints{}, true}},
       inferReshape,
       reshapeGradient,
       OpRole::Reshape},
      {"transpose",
       OpKind::Movement,
       1,
       {{"permutation", Ints{}, true}},
       inferTranspose,
       transposeGradient,
       OpRole::Transpose},
      {"broadcast_to",
       OpKind::Movement,
       1,
       {{"shape", Ints{}, true}},
       inferBroadcastTo,
       broadcastToGradient,
       OpRole::BroadcastTo},
      {"concatenate",
       OpKind::Movement,
       -1,
       {{"axis", int64_t{-1}, false}},
       inferConcatenate,
       concatenateGradient,
       OpRole::Concatenate},
      {"slice",
       OpKind::Movement,
       1,
       {{"begin", Ints{}, true}, {"size", Ints{}, true}},
       inferSlice,
       sliceGradient,
       OpRole::Slice},
      {"pad",
       OpKind::Movement,
       1,
       {{"before", Ints{}, true}, {"after", Ints{}, true}, {"value", 0.0, false}},
       inferPad,
       padGradient,
       OpRole::Pad},
      {"one_hot",
       OpKind::Movement,
       1,
       {{"classes", int64_t{0}, true}, {"dtype", std::string("f32"), false}},
       inferOneHot,
       zeroGradient},
  };
  std::vector<OpDef> ops;
  for (const Row& row : rows) {
    OpDef op;
    op.name = row.name;
    op.kind = row.kind;
    op.minInputs = 1;
    op.maxInputs = row.maxInputs;
    op.attributes = row.attributes;
    op.infer = row.infer;
    op.gradient = row.gradient;
    op.role = row.role;
    if (row.role != OpRole::Other) op.precision = OpPrecision::Follows;
    if (row.kind == OpKind::View) op.mustAlias = {{0, 0}};
    ops.push_back(std::move(op));
  }
  return ops;
}

ValueId reshape(Graph& g, ValueId x, Shape shape) {
  return g.add(opNamed("reshape"), {x}, {{"shape", asInts(shape)}});
}
ValueId transpose(Graph& g, ValueId x, Ints permutation) {
  return g.add(opNamed("transpose"), {x}, {{"permutation", std::move(permutation)}});
}
ValueId broadcastTo(Graph& g, ValueId x, Shape shape) {
  return g.add(opNamed("broadcast_to"), {x}, {{"shape", asInts(shape)}});
}
ValueId concatenate(Graph& g, const std::vector<ValueId>& parts, int axis) {
  return g.add(opNamed("concatenate"), parts, {{"axis", int64_t{axis}}});
}
ValueId slice(Graph& g, ValueId x, Ints begin, Ints size) {
  return g.add(opNamed("slice"), {x}, {{"begin", std::move(begin)}, {"size", std::move(size)}});
}
ValueId pad(Graph& g, ValueId x, Ints before, Ints after, double value) {
  return g.add(opNamed("pad"), {x},
               {{"before", std::move(before)}, {"after", std::move(after)}, {"value", value}});
}
ValueId oneHot(Graph& g, ValueId indices, int64_t classes, DType dtype) {
  return g.add(opNamed("one_hot"), {indices},
               {{"classes", classes}, {"dtype", std::string(dtypeName(dtype))}});
}

}  // namespace strata

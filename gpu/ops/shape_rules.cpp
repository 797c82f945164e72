// SPDX-License-Identifier: Apache-2.0
#include "gpu/ops/shape_rules.h"

#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/base/nearest_name.h"
#include "gpu/ops/activation_kinds.h"
#include "gpu/ops/build.h"

namespace strata {
namespace {

[[noreturn]] void failShape(const ShapeContext& c, const std::string& message) {
  throw Error(ErrorCode::InvalidArgument, c.op.name, "[" + c.op.name + "] " + message);
}
std::string nameOf(int input) { return "input " + std::to_string(input); }

}  // namespace

std::vector<TensorType> inferSame(const ShapeContext& c) { return {c.inputs[0]}; }

std::vector<TensorType> inferBroadcast(const ShapeContext& c) {
  TensorType result = c.inputs[0];
  for (size_t i = 1; i < c.inputs.size(); ++i) {
    requireSameDType(c, 0, static_cast<int>(i));
    const std::optional<Shape> shape = broadcastShapes(result.shape, c.inputs[i].shape);
    if (!shape)
      c.fail(
          "shapes " + result.shape.toString() + " and " + c.inputs[i].shape.toString() +
          " cannot be broadcast together (expected equal sizes or 1, counted from the last axis).");
    result.shape = *shape;
  }
  return {result};
}

void requireFloating(const ShapeContext& c, int input) {
  const DType dtype = c.inputs[static_cast<size_t>(input)].dtype;
  if (!isFloating(dtype))
    failShape(c, nameOf(input) + " is " + std::string(dtypeName(dtype)) +
                     " (expected f32 or f64). Cast it first.");
}

void requireSameDType(const ShapeContext& c, int a, int b) {
  const DType first = c.inputs[static_cast<size_t>(a)].dtype,
              second = c.inputs[static_cast<size_t>(b)].dtype;
  if (first != second)
    failShape(c, nameOf(b) + " is " + std::string(dtypeName(second)) + " (expected " +
                     std::string(dtypeName(first)) + ", like " + nameOf(a) + "). Cast one.");
}

std::vector<int> normalizedAxes(const ShapeContext& c, const Shape& shape) {
  std::vector<int> axes;
  for (int64_t axis : c.attributes.get<std::vector<int64_t>>("axes")) {
    if (axis < -kMaxRank || axis >= kMaxRank)
      failShape(c, "axis " + std::to_string(axis) + " is out of range.");
    axes.push_back(shape.normalizeAxis(static_cast<int>(axis)));
  }
  std::sort(axes.begin(), axes.end());
  if (std::adjacent_find(axes.begin(), axes.end()) != axes.end())
    failShape(c, "an axis is given twice.");
  return axes;
}

int axisAttribute(const ShapeContext& c, const Shape& shape) {
  const int64_t axis = c.attributes.get<int64_t>("axis");
  if (axis < -kMaxRank || axis >= kMaxRank)
    failShape(c, "axis " + std::to_string(axis) + " is out of range.");
  return shape.normalizeAxis(static_cast<int>(axis));
}

Shape reducedShape(const Shape& shape, std::span<const int> axes, bool keepdims) {
  Shape result;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool isReduced = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!isReduced)
      result.append(shape[i]);
    else if (keepdims)
      result.append(1);
  }
  return result;
}

std::vector<int64_t> pairAttribute(const ShapeContext& c, std::string_view name, int64_t least) {
  const std::vector<int64_t>& pair = c.attributes.get<std::vector<int64_t>>(name);
  constexpr int64_t kMax = int64_t{1} << 31;
  if (pair.size() != 2 || pair[0] < least || pair[1] < least || pair[0] > kMax || pair[1] > kMax)
    failShape(c, "attribute \"" + std::string(name) + "\" must be two numbers of at least " +
                     std::to_string(least) + " (height, width).");
  return pair;
}

std::vector<AttributeSpec> windowAttributes(bool hasDilationAndGroups) {
  using Pair = std::vector<int64_t>;
  std::vector<AttributeSpec> specs{{"strides", Pair{1, 1}, false},
                                   {"padding_before", Pair{0, 0}, false},
                                   {"padding_after", Pair{0, 0}, false}};
  if (hasDilationAndGroups) {
    specs.push_back({"dilation", Pair{1, 1}, false});
    specs.push_back({"groups", int64_t{1}, false});
  }
  return specs;
}

int64_t windowOutput(const ShapeContext& c, int64_t input, int64_t window, int64_t dilation,
                     int64_t stride, int64_t before, int64_t after, const char* axis) {
  const int64_t extent = (window - 1) * dilation + 1, padded = input + before + after;
  if (extent > padded)
    c.fail("the window covers " + std::to_string(extent) + " elements along " + axis +
           ", but the padded input has only " + std::to_string(padded) +
           ". Make the window smaller, the input larger, or pad with \"same\".");
  return (padded - extent) / stride + 1;
}

DType resultDType(const ShapeContext& c) {
  const std::string& result = c.attributes.get<std::string>("result");
  const DType own = c.inputs[0].dtype;
  if (result.empty()) return own;
  if (result != "f32") failShape(c, "result is \"" + result + "\" (expected \"f32\" or nothing).");
  if (own == DType::F64) failShape(c, "the result of f64 operands cannot be f32. Add a cast.");
  return DType::F32;
}

void requireActivation(const ShapeContext& c, std::string_view attribute) {
  const std::string& kind = c.attributes.get<std::string>(attribute);
  if (visitActivation(kind, [](auto) {})) return;
  const std::string nearest(nearestName(kind, kActivationNames));
  failShape(c, "unknown activation \"" + kind + "\"" +
                   (nearest.empty() ? "." : ". Did you mean \"" + nearest + "\"?"));
}

ValueId reduceTo(Graph& g, ValueId gradient, Shape shape) {
  const Shape from = g.shape(gradient);
  if (from == shape) return gradient;
  const int extra = from.rank() - shape.rank();
  std::vector<int64_t> axes;
  for (int i = 0; i < from.rank(); ++i)
    if (i < extra || (shape[i - extra] == 1 && from[i] != 1)) axes.push_back(i);
  const ValueId sum = axes.empty() ? gradient : reduceSum(g, gradient, axes);
  return g.shape(sum) == shape ? sum : reshape(g, sum, shape);
}

std::vector<ValueId> zeroGradient(const GradientContext& c) {
  return std::vector<ValueId>(c.node().inputs.size());
}

}  // namespace strata

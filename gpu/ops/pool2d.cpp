// SPDX-License-Identifier: Apache-2.0
// max_pool2d, avg_pool2d {pool_size, strides, padding_before, padding_after, layout}: the largest
// element, or the mean, of each window's elements inside the input.
// max_pool2d {.., activation, alpha} also applies an activation to the largest element.
// max_pool2d_backward (dy, index) {.., input_shape} -> dx
// avg_pool2d_backward (dy) {.., input_shape} -> dx
//
// Inputs: x [N,H,W,C], or [N,C,H,W] (layout.h), f32 or f64.
// Outputs: y [N,P,Q,C] in the order of x. max_pool2d also has index u8 like y: row * width + column
// of the first largest element within the window. Padding is smaller than the window, so that no
// window lies entirely in the padding.
// Gradient: the backward ops. max_pool2d has a gradient only with activation "linear", because a
// pass fuses activations after differentiation. The backward ops have no gradient.
// Errors: ShapeMismatch, InvalidArgument; UnsupportedOp for a max pooling window with more than 255
// elements.
// Numerics: the mean divides by the number of elements inside the input (Keras "same"). Gradients
// of overlapping windows are added in the order of the windows.
// Source: Keras 3.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/layout.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

using Ints = std::vector<int64_t>;

Shape pooledShape(const ShapeContext& c, const Shape& images) {
  requireLayout(c);
  if (images.rank() != 4)
    c.fail("the input has shape " + images.toString() + " (expected " +
           imageAxesText(c.attributes) + ").");
  const Shape x = asChannelsLast(c.attributes, images);
  const Ints pool = pairAttribute(c, "pool_size", 1), strides = pairAttribute(c, "strides", 1),
             before = pairAttribute(c, "padding_before", 0),
             after = pairAttribute(c, "padding_after", 0);
  for (size_t i = 0; i < 2; ++i)
    if (before[i] >= pool[i] || after[i] >= pool[i])
      c.fail("padding " + std::to_string(std::max(before[i], after[i])) +
             " is not smaller than the window's size " + std::to_string(pool[i]) +
             ", so a window could contain no input.");
  return inLayoutOf(
      c.attributes,
      {x[0], windowOutput(c, x[1], pool[0], 1, strides[0], before[0], after[0], "height"),
       windowOutput(c, x[2], pool[1], 1, strides[1], before[1], after[1], "width"), x[3]});
}

std::vector<TensorType> inferAverage(const ShapeContext& c) {
  requireFloating(c, 0);
  return {{c.inputs[0].dtype, pooledShape(c, c.inputs[0].shape)}};
}

std::vector<TensorType> inferMax(const ShapeContext& c) {
  const Ints pool = pairAttribute(c, "pool_size", 1);
  if (pool[0] > 255 || pool[1] > 255 || pool[0] * pool[1] > 255)
    throw Error(ErrorCode::UnsupportedOp, c.op.name,
                "a window of " + std::to_string(pool[0]) + " x " + std::to_string(pool[1]) +
                    " has more than 255 elements. Pool twice with smaller windows.");
  requireActivation(c, "activation");
  const TensorType y = inferAverage(c)[0];
  return {y, {DType::U8, y.shape}};
}

std::vector<TensorType> inferPool2dBackward(const ShapeContext& c) {
  requireFloating(c, 0);
  const Shape x{std::span<const int64_t>(c.attributes.get<Ints>("input_shape"))};
  const Shape y = pooledShape(c, x);
  if (c.inputs[0].shape != y)
    c.fail("the gradient has shape " + c.inputs[0].shape.toString() + " (expected " + y.toString() +
           ").");
  if (c.inputs.size() == 2 && c.inputs[1] != TensorType{DType::U8, y})
    c.fail("the index has type " + c.inputs[1].toString() + " (expected u8" + y.toString() + ").");
  return {{c.inputs[0].dtype, x}};
}

Attributes backwardAttributes(const GradientContext& c) {
  requireChannelsLast(c);
  Attributes attributes = c.node().attributes;
  const Shape& x = c.graph.shape(c.input(0));
  attributes.set("input_shape", Ints(x.dims().begin(), x.dims().end()));
  return attributes;
}

std::vector<ValueId> maxGradient(const GradientContext& c) {
  if (!c.outputGradients[0].isValid()) return {ValueId{}};
  if (c.node().attributes.get<std::string>("activation") != "linear")
    throw Error(
        ErrorCode::UnsupportedOp, c.node().layer,
        "a pool with a fused activation has no gradient. Differentiate the graph before fusing.");
  Attributes attributes = backwardAttributes(c);
  attributes.remove("activation");
  attributes.remove("alpha");
  return {c.graph.add(opNamed("max_pool2d_backward"), {c.outputGradients[0], c.output(1)},
                      std::move(attributes))};
}

std::vector<ValueId> averageGradient(const GradientContext& c) {
  return {
      c.graph.add(opNamed("avg_pool2d_backward"), {c.outputGradients[0]}, backwardAttributes(c))};
}

Cost poolCost(const Graph& graph, const Node& node) {
  const Ints& pool = node.attributes.get<Ints>("pool_size");
  const bool isBackward = node.op->direction == OpDirection::Backward;
  Cost cost;
  cost.flops = static_cast<double>(
                   graph.shape(isBackward ? node.inputs[0] : node.outputs[0]).numElements()) *
               static_cast<double>(pool[0] * pool[1]);
  for (ValueId value : node.inputs)
    cost.bytes += static_cast<double>(graph.type(value).bytes());
  for (ValueId value : node.outputs)
    cost.bytes += static_cast<double>(graph.type(value).bytes());
  return cost;
}

Attributes poolAttributes(Ints poolSize, const Window2D& window) {
  return {{"pool_size", std::move(poolSize)},
          {"strides", window.strides},
          {"padding_before", window.paddingBefore},
          {"padding_after", window.paddingAfter}};
}

}  // namespace

std::vector<OpDef> definePool2d() {
  OpDef average;
  average.name = "avg_pool2d";
  average.kind = OpKind::Compute;
  average.minInputs = average.maxInputs = 1;
  average.attributes = windowAttributes(false);
  average.attributes.push_back({"pool_size", Ints{}, true});
  average.attributes.push_back(layoutAttribute());
  average.infer = inferAverage;
  average.gradient = averageGradient;
  average.cost = poolCost;
  average.work = WorkKind::Pooling;
  average.precision = OpPrecision::Follows;
  OpDef largest = average;
  largest.name = "max_pool2d";
  largest.role = OpRole::MaxPool;
  largest.numOutputs = 2;
  largest.attributes.push_back({"activation", std::string("linear"), false});
  largest.attributes.push_back({"alpha", 0.0, false});
  largest.infer = inferMax;
  largest.gradient = maxGradient;
  OpDef averageBackward = average;
  averageBackward.name = "avg_pool2d_backward";
  averageBackward.direction = OpDirection::Backward;
  averageBackward.attributes.push_back({"input_shape", Ints{}, true});
  averageBackward.infer = inferPool2dBackward;
  averageBackward.gradient = nullptr;
  averageBackward.noGradientReason = "second derivatives of pooling are not implemented";
  OpDef largestBackward = averageBackward;
  largestBackward.name = "max_pool2d_backward";
  largestBackward.role = OpRole::MaxPoolBackward;
  largestBackward.minInputs = largestBackward.maxInputs = 2;
  return {average, largest, averageBackward, largestBackward};
}

ValueId maxPool2d(Graph& g, ValueId x, Ints poolSize, const Window2D& window) {
  return g.add(opNamed("max_pool2d"), {x}, poolAttributes(std::move(poolSize), window));
}
ValueId avgPool2d(Graph& g, ValueId x, Ints poolSize, const Window2D& window) {
  return g.add(opNamed("avg_pool2d"), {x}, poolAttributes(std::move(poolSize), window));
}

}  // namespace strata

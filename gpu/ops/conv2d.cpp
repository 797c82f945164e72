// SPDX-License-Identifier: Apache-2.0
// conv2d (x, w[, bias]), a cross-correlation with zeros outside the input:
//   y[n,p,q,k] = f(bias[k] + sum over r, s, c of
//                  x[n, p*stride + r*dilation - before, q.., c] * w[r,s,c,k])
// depthwise_conv2d: w [R,S,C,M], output [N,P,Q,C*M] with channel c and multiplier m at c*M+m;
// groups is 1.
// *_backward_data (dy, w) {.., input_shape} -> dx
// *_backward_weights (x, dy) {.., weight_shape} -> dw
//
// Attributes: strides, dilation, padding_before, padding_after (height, width), groups, activation,
// alpha. conv2d and its gradients also have `weights`, the order of the axes of w and dw: "rsck",
// or "krsc" for [K,R,S,C/groups], the order of cuDNN. They have `layout` (layout.h), the order of
// the axes of images. conv2d_backward_weights also has `result`: with "f32", dw is f32 even if the
// operands have 16 bits, so its sums are not rounded.
// Inputs: x [N,H,W,C], w [R,S,C/groups,K] (the output channels are divided into `groups` equal
// parts), bias [K]; all f32 or all f64.
// Output: [N,P,Q,K].
// Gradient: the two backward ops, and a sum for the bias. A convolution has a gradient only with
// activation "linear". The gradient of backward_data, which is a transposed convolution, consists
// of the other two ops. backward_weights has no gradient, because second derivatives are not
// implemented.
// Errors: ShapeMismatch with the sizes, InvalidArgument.
// Numerics: sums in any fixed order. The reference sums in double.
// Source: Keras 3.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/layout.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

using Ints = std::vector<int64_t>;

bool isDepthwise(const OpDef& op) { return op.name.starts_with("depthwise"); }

/// Returns the order of the axes of the weights. Depthwise convolutions have only one.
std::string weightOrderOf(const Attributes& attributes) {
  return attributes.has("weights") ? attributes.get<std::string>("weights") : "rsck";
}

/// Returns the shape of the weights of a node as [R,S,C,K].
Shape inRsck(const Attributes& attributes, const Shape& w) {
  return weightOrderOf(attributes) == "krsc" ? Shape{w[1], w[2], w[3], w[0]} : w;
}

/// Returns the output shape of the forward op for these shapes. The shape rules of the backward ops
/// use it too.
Shape convolvedShape(const ShapeContext& c, const Shape& images, const Shape& weights) {
  requireLayout(c);
  if (images.rank() != 4)
    c.fail("the input has shape " + images.toString() + " (expected " +
           imageAxesText(c.attributes) + ").");
  const Shape x = asChannelsLast(c.attributes, images);
  if (weights.rank() != 4)
    c.fail("the weights have shape " + weights.toString() + " (expected 4 dimensions).");
  const std::string order = weightOrderOf(c.attributes);
  if (order != "rsck" && order != "krsc")
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "weights is \"" + order + "\" (expected \"rsck\" or \"krsc\").");
  const Shape w = inRsck(c.attributes, weights);
  const Ints strides = pairAttribute(c, "strides", 1), dilation = pairAttribute(c, "dilation", 1),
             before = pairAttribute(c, "padding_before", 0),
             after = pairAttribute(c, "padding_after", 0);
  const int64_t groups = c.attributes.get<int64_t>("groups"), channels = x[3];
  if (w[0] < 1 || w[1] < 1) c.fail("the window " + weights.toString() + " is empty.");
  const int64_t p =
      windowOutput(c, x[1], w[0], dilation[0], strides[0], before[0], after[0], "height");
  const int64_t q =
      windowOutput(c, x[2], w[1], dilation[1], strides[1], before[1], after[1], "width");
  if (isDepthwise(c.op)) {
    if (groups != 1)
      c.fail("groups is " + std::to_string(groups) + " (a depthwise convolution has no groups).");
    if (w[2] != channels)
      c.fail("the input has " + std::to_string(channels) + " channels, the weights " +
             weights.toString() + " expect " + std::to_string(w[2]) + ".");
    return {x[0], p, q, channels * w[3]};
  }
  if (groups < 1 || channels % groups != 0 || w[3] % groups != 0)
    c.fail("groups is " + std::to_string(groups) + " (expected a divisor of the " +
           std::to_string(channels) + " input and " + std::to_string(w[3]) + " output channels).");
  if (w[2] != channels / groups)
    c.fail("the input has " + std::to_string(channels) + " channels in " + std::to_string(groups) +
           " groups, the weights " + weights.toString() + " expect " + std::to_string(w[2]) +
           " per group.");
  return inLayoutOf(c.attributes, {x[0], p, q, w[3]});
}

std::vector<TensorType> inferConv2d(const ShapeContext& c) {
  requireFloating(c, 0);
  requireSameDType(c, 0, 1);
  requireActivation(c, "activation");
  const Shape y = convolvedShape(c, c.inputs[0].shape, c.inputs[1].shape);
  if (c.inputs.size() == 3) {
    requireSameDType(c, 0, 2);
    if (const int64_t filters = asChannelsLast(c.attributes, y)[3];
        c.inputs[2].shape != Shape{filters})
      c.fail("the bias has shape " + c.inputs[2].shape.toString() + " (expected [" +
             std::to_string(filters) + "]).");
  }
  return {{c.inputs[0].dtype, y}};
}

void checkGradientShape(const ShapeContext& c, const Shape& dy, const Shape& expected) {
  if (dy != expected)
    c.fail("the gradient has shape " + dy.toString() + " (expected " + expected.toString() + ").");
}

std::vector<TensorType> inferBackwardData(const ShapeContext& c) {
  requireFloating(c, 0);
  requireSameDType(c, 0, 1);
  const Shape x{std::span<const int64_t>(c.attributes.get<Ints>("input_shape"))};
  checkGradientShape(c, c.inputs[0].shape, convolvedShape(c, x, c.inputs[1].shape));
  return {{c.inputs[0].dtype, x}};
}

std::vector<TensorType> inferBackwardWeights(const ShapeContext& c) {
  requireFloating(c, 0);
  requireSameDType(c, 0, 1);
  const Shape w{std::span<const int64_t>(c.attributes.get<Ints>("weight_shape"))};
  checkGradientShape(c, c.inputs[1].shape, convolvedShape(c, c.inputs[0].shape, w));
  return {{isDepthwise(c.op) ? c.inputs[0].dtype : resultDType(c), w}};
}

Attributes windowOf(const Attributes& attributes) {
  Attributes window = attributes;
  for (const char* name : {"activation", "alpha"})
    window.remove(name);
  return window;
}

std::vector<ValueId> convolutionGradient(const GradientContext& c) {
  Graph& g = c.graph;
  requireChannelsLast(c);
  if (c.node().attributes.get<std::string>("activation") != "linear")
    throw Error(ErrorCode::UnsupportedOp, c.node().layer,
                "a convolution with a fused activation has no gradient. Differentiate the graph "
                "before fusing.");
  const std::string name = c.node().op->name;
  const ValueId x = c.input(0), w = c.input(1), dy = c.outputGradients[0];
  const Attributes window = windowOf(c.node().attributes);
  std::vector<ValueId> result(c.node().inputs.size());
  if (c.inputNeedsGradient[0]) {
    Attributes attributes = window;
    attributes.set("input_shape", Ints(g.shape(x).dims().begin(), g.shape(x).dims().end()));
    result[0] = g.add(opNamed(name + "_backward_data"), {dy, w}, attributes);
  }
  if (c.inputNeedsGradient[1]) {
    Attributes attributes = window;
    attributes.set("weight_shape", Ints(g.shape(w).dims().begin(), g.shape(w).dims().end()));
    result[1] = g.add(opNamed(name + "_backward_weights"), {x, dy}, attributes);
  }
  if (result.size() == 3 && c.inputNeedsGradient[2])
    result[2] = reduceTo(g, dy, g.shape(c.input(2)));
  return result;
}

/// The gradient of backward_data, which is a transposed convolution. The gradient for its first
/// operand is therefore the convolution itself.
std::vector<ValueId> backwardDataGradient(const GradientContext& c) {
  Graph& g = c.graph;
  requireChannelsLast(c);
  std::string name = c.node().op->name;
  name.resize(name.size() - std::string_view("_backward_data").size());
  const ValueId x = c.input(0), w = c.input(1), dy = c.outputGradients[0];
  Attributes window = c.node().attributes;
  window.remove("input_shape");
  std::vector<ValueId> result(2);
  if (c.inputNeedsGradient[0]) result[0] = g.add(opNamed(name), {dy, w}, window);
  if (c.inputNeedsGradient[1]) {
    window.set("weight_shape", Ints(g.shape(w).dims().begin(), g.shape(w).dims().end()));
    result[1] = g.add(opNamed(name + "_backward_weights"), {dy, x}, window);
  }
  return result;
}

/// Counts one multiply-add for each element of y and each product that this element sums: window
/// elements times input channels per group.
Cost convolutionCost(const Graph& graph, const Node& node) {
  const bool isData = node.op->direction == OpDirection::Backward,
             isWeights = node.op->direction == OpDirection::BackwardWeights;
  const bool isForward = !isData && !isWeights;
  const Shape& y = graph.shape(isForward ? node.outputs[0] : node.inputs[isData ? 0 : 1]);
  const Shape w =
      inRsck(node.attributes, graph.shape(isWeights ? node.outputs[0] : node.inputs[1]));
  const double productsPerElement =
      static_cast<double>(w[0] * w[1]) * (isDepthwise(*node.op) ? 1.0 : static_cast<double>(w[2]));
  const double products = static_cast<double>(y.numElements()) * productsPerElement;
  Cost cost{products, 2 * products, static_cast<double>(graph.type(node.outputs[0]).bytes())};
  for (ValueId input : node.inputs)
    cost.bytes += static_cast<double>(graph.type(input).bytes());
  return cost;
}

ValueId convolve(Graph& g, const char* name, ValueId x, ValueId w, const Window2D& window) {
  return g.add(opNamed(name), {x, w},
               {{"strides", window.strides},
                {"dilation", window.dilation},
                {"padding_before", window.paddingBefore},
                {"padding_after", window.paddingAfter},
                {"groups", window.groups}});
}

}  // namespace

std::vector<OpDef> defineConv2d() {
  std::vector<OpDef> ops;
  for (const std::string name : {"conv2d", "depthwise_conv2d"}) {
    OpDef forward;
    forward.name = name;
    forward.kind = OpKind::Compute;
    forward.minInputs = 2;
    forward.maxInputs = 3;
    forward.attributes = windowAttributes(true);
    if (name == "conv2d") {
      forward.attributes.push_back({"weights", std::string("rsck"), false});
      forward.attributes.push_back(layoutAttribute());
    }
    forward.cost = convolutionCost;
    forward.work = isDepthwise(forward) ? WorkKind::DepthwiseConvolution : WorkKind::Convolution;
    forward.precision = OpPrecision::Low;
    OpDef data = forward, weights = forward;
    forward.attributes.push_back({"activation", std::string("linear"), false});
    forward.attributes.push_back({"alpha", 0.0, false});
    forward.infer = inferConv2d;
    forward.takesBiasAndActivation = true;
    forward.gradient = convolutionGradient;
    data.name = name + "_backward_data";
    data.direction = OpDirection::Backward;
    data.attributes.push_back({"input_shape", Ints{}, true});
    data.infer = inferBackwardData;
    weights.name = name + "_backward_weights";
    weights.direction = OpDirection::BackwardWeights;
    weights.attributes.push_back({"weight_shape", Ints{}, true});
    if (!isDepthwise(weights)) weights.attributes.push_back({"result", std::string(), false});
    weights.infer = inferBackwardWeights;
    data.maxInputs = weights.maxInputs = 2;
    data.gradient = backwardDataGradient;
    weights.noGradientReason = "second derivatives of convolutions are not implemented";
    for (OpDef* op : {&forward, &data, &weights})
      ops.push_back(std::move(*op));
  }
  return ops;
}

ValueId conv2d(Graph& g, ValueId x, ValueId w, const Window2D& window) {
  return convolve(g, "conv2d", x, w, window);
}
ValueId depthwiseConv2d(Graph& g, ValueId x, ValueId w, const Window2D& window) {
  return convolve(g, "depthwise_conv2d", x, w, window);
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// activation {kind, alpha} (x): y[i] = f(x[i]), with f by name from activation_kinds.h.
// activation_backward {kind, alpha} (dy, saved): dx[i] = dy[i] * f'(saved[i]).
//
// Inputs: x, dy, saved: f32 or f64, of one shape.
// Output: the same type.
// Gradient: activation_backward of the output or the input, depending on the kind. Second
// derivatives are not implemented.
// Errors: InvalidArgument for an unknown kind (with the nearest name) and for an alpha that is not
// above 0 if the kind has one.
// Numerics: the formulas of activation_kinds.h in the operand's dtype.
// Source: Keras 3.
#include "gpu/ops/activation_kinds.h"

#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

std::vector<TensorType> inferActivation(const ShapeContext& c) {
  requireFloating(c, 0);
  requireActivation(c, "kind");
  double least = 0;
  visitActivation(c.attributes.get<std::string>("kind"),
                  [&](auto kind) { least = decltype(kind)::kAlpha; });
  if (const double alpha = c.attributes.get<double>("alpha"); least > 0 && !(alpha > 0))
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "alpha of " + c.attributes.get<std::string>("kind") + " is " +
                    std::to_string(alpha) + " (expected above 0).");
  if (c.inputs.size() == 2 && c.inputs[0] != c.inputs[1])
    c.fail("the gradient has type " + c.inputs[0].toString() + ", but the saved value has " +
           c.inputs[1].toString() + " (expected the same type).");
  return inferSame(c);
}

std::vector<ValueId> activationGradient(const GradientContext& c) {
  const Attributes attributes = c.node().attributes;
  const std::string& kind = attributes.get<std::string>("kind");
  if (kind == "linear") return {c.outputGradients[0]};
  const ValueId saved = activationSaves(kind) == Saved::Output ? c.output(0) : c.input(0);
  return {c.graph.add(opNamed("activation_backward"), {c.outputGradients[0], saved}, attributes)};
}

Cost activationCost(const Graph& graph, const Node& node) {
  const double elements = static_cast<double>(graph.shape(node.outputs[0]).numElements());
  const double bytes = static_cast<double>(graph.type(node.outputs[0]).bytes());
  const std::string& kind = node.attributes.get<std::string>("kind");
  return {0, elements * (isPiecewiseLinear(kind) ? 1 : 10),
          bytes * static_cast<double>(node.inputs.size() + 1)};
}

}  // namespace

std::vector<OpDef> defineActivation() {
  OpDef forward;
  forward.name = "activation";
  forward.kind = OpKind::Elementwise;
  forward.minInputs = forward.maxInputs = 1;
  forward.attributes = {{"kind", std::string("linear"), true}, {"alpha", 0.0, false}};
  forward.infer = inferActivation;
  forward.gradient = activationGradient;
  forward.cost = activationCost;
  forward.mayAlias = {{0, 0}};
  forward.role = OpRole::Activation;
  forward.work = WorkKind::ActivationStep;
  forward.canBeStep = true;
  forward.precision = OpPrecision::Follows;
  OpDef backward = forward;
  backward.name = "activation_backward";
  backward.role = OpRole::ActivationBackward;
  backward.direction = OpDirection::Backward;
  backward.minInputs = backward.maxInputs = 2;
  backward.gradient = nullptr;
  backward.noGradientReason = "second derivatives of activations are not implemented";
  backward.mayAlias = {{0, 0}, {0, 1}};
  return {forward, backward};
}

ValueId activation(Graph& g, ValueId x, std::string_view kind, double alpha) {
  if (alpha == 0) visitActivation(kind, [&](auto k) { alpha = decltype(k)::kAlpha; });
  return g.add(opNamed("activation"), {x}, {{"kind", std::string(kind)}, {"alpha", alpha}});
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// fused_pointwise {program, dtype} (x0, x1, ..): y[i] is the result of the program, applied to
// x0[i], x1[i], .. after broadcasting. fused_pointwise.h describes programs.
//
// Inputs: 1 to 8 tensors, all f64, or each f32, bf16 or f16. Sizes are equal or 1, compared from
// the last axis.
// Output: the broadcast shape, with the type `dtype`, or the type of x0 if `dtype` is empty.
// Gradient: none, because a pass creates the op after differentiation.
// Errors: InvalidArgument (an invalid program, more than 16 steps, an input that no step reads),
// ShapeMismatch.
// Numerics: the result of each step is rounded to f64 if the inputs are f64, otherwise to f32, like
// the result of its op. With bf16 and f16, only the result of the program is rounded to 16 bits.
// Source: the ops of the steps.
#include "gpu/ops/fused_pointwise.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "gpu/base/error.h"
#include "gpu/ops/activation_kinds.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

bool isActivation(std::string_view op) { return op == "activation" || op == "activation_backward"; }

/// Returns the number of operands of a step, or 0 if the op cannot be a step.
int operandsOf(std::string_view op) {
  const OpDef* known = findOp(op);
  return known != nullptr && known->canBeStep ? known->minInputs : 0;
}

std::string numberText(double value) {
  std::array<char, 64> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

class Reader {
 public:
  Reader(std::string_view text, int numInputs)
      : m_text(text), m_numInputs(numInputs), m_isRead(static_cast<size_t>(numInputs)) {}

  std::vector<PointwiseStep> run() {
    do {
      if (m_steps.size() == kMaxPointwiseSteps)
        fail("more than " + std::to_string(kMaxPointwiseSteps) + " steps");
      m_steps.push_back(step());
    } while (!m_text.empty());
    for (int i = 0; i < m_numInputs; ++i)
      if (!m_isRead[static_cast<size_t>(i)]) fail("no step reads x" + std::to_string(i));
    return std::move(m_steps);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorCode::InvalidArgument, "fused_pointwise",
                "invalid program: " + what +
                    " (expected steps such as \"multiply x0 x1; activation relu 0 t0\").");
  }

  /// Reads the next word, up to a blank or the end of the step.
  std::string_view word() {
    const std::string_view found = m_text.substr(0, m_text.find_first_of(" ;"));
    if (found.empty()) fail("a word is missing in step " + std::to_string(m_steps.size()));
    m_text.remove_prefix(found.size());
    if (m_text.starts_with(' ')) m_text.remove_prefix(1);
    return found;
  }

  double number() {
    const std::string_view text = word();
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
      fail("\"" + std::string(text.substr(0, 40)) + "\" is not a number");
    return value;
  }

  int operand() {
    const std::string_view text = word();
    const bool isInput = text[0] == 'x';
    const int limit = isInput ? m_numInputs : static_cast<int>(m_steps.size());
    int index = -1;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), index);
    if ((!isInput && text[0] != 't') || error != std::errc() || end != text.data() + text.size() ||
        index < 0 || index >= limit)
      fail("\"" + std::string(text.substr(0, 40)) + "\" is neither an input nor an earlier step");
    if (isInput) m_isRead[static_cast<size_t>(index)] = true;
    return isInput ? index : m_numInputs + index;
  }

  PointwiseStep step() {
    PointwiseStep result;
    result.op = word();
    const int operands = operandsOf(result.op);
    if (operands == 0) fail("\"" + result.op.substr(0, 40) + "\" is not an operation");
    if (result.op == "affine") {
      result.first = number();
      result.second = number();
    }
    else if (isActivation(result.op)) {
      result.kind = word();
      if (!visitActivation(result.kind, [](auto) {}))
        fail("\"" + result.kind.substr(0, 40) + "\" is not an activation");
      result.first = number();
    }
    for (int i = 0; i < operands; ++i)
      result.operands.push_back(operand());
    if (m_text.empty()) return result;
    if (!m_text.starts_with("; ") || m_text.size() == 2)
      fail("step " + std::to_string(m_steps.size()) +
           " is followed by something other than \"; \"");
    m_text.remove_prefix(2);
    return result;
  }

  std::string_view m_text;
  int m_numInputs;
  std::vector<bool> m_isRead;
  std::vector<PointwiseStep> m_steps;
};

std::vector<TensorType> inferPointwise(const ShapeContext& c) {
  (void)parsePointwise(c.attributes.get<std::string>("program"), static_cast<int>(c.inputs.size()));
  // The shape rule for operands of one type checks the shapes
  std::vector<TensorType> wide(c.inputs.begin(), c.inputs.end());
  for (size_t i = 0; i < wide.size(); ++i) {
    requireFloating(c, static_cast<int>(i));
    wide[i].dtype = wideType(wide[i].dtype);
  }
  TensorType result = inferBroadcast(ShapeContext{c.op, wide, c.attributes, c.payload})[0];
  const std::string& name = c.attributes.get<std::string>("dtype");
  const std::optional<DType> dtype =
      name.empty() ? std::optional(c.inputs[0].dtype) : dtypeFromName(name);
  if (!dtype || !isFloating(*dtype) || wideType(*dtype) != result.dtype)
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "the output cannot be " + name.substr(0, 40) +
                    " (expected f32, bf16 or f16, or f64 "
                    "if the inputs are f64).");
  result.dtype = *dtype;
  return {result};
}

Cost pointwiseCost(const Graph& graph, const Node& node) {
  const auto elements = static_cast<double>(graph.shape(node.outputs[0]).numElements());
  Cost cost;
  for (const PointwiseStep& step : parsePointwise(node.attributes.get<std::string>("program"),
                                                  static_cast<int>(node.inputs.size())))
    cost.flops += elements * (isActivation(step.op) && !isPiecewiseLinear(step.kind) ? 10 : 1);
  cost.bytes = static_cast<double>(graph.type(node.outputs[0]).bytes());
  for (const ValueId input : node.inputs)
    cost.bytes += static_cast<double>(graph.type(input).bytes());
  return cost;
}

}  // namespace

Spread spreadOf(const Shape& operand, const Shape& out) {
  if (operand.numElements() == out.numElements()) return Spread::Same;
  if (operand.numElements() == 1) return Spread::Single;
  const int shift = out.rank() - operand.rank();
  // Of the output's dimensions with a size above 1, the operand must have either only leading ones
  // (Stretched) or only trailing ones (Repeated).
  int changes = 0, last = -1;
  bool startsWalked = false;
  for (int axis = 0; axis < out.rank(); ++axis) {
    if (out[axis] == 1) continue;
    const int isWalked = axis >= shift && operand[axis - shift] != 1;
    if (last < 0) startsWalked = isWalked != 0;
    changes += last >= 0 && isWalked != last;
    last = isWalked;
  }
  if (changes != 1) return Spread::Other;
  return startsWalked ? Spread::Stretched : Spread::Repeated;
}

bool canBePointwiseStep(const Graph& graph, const Node& node) {
  if (!node.op->canBeStep) return false;
  const DType dtype = graph.type(node.outputs[0]).dtype;
  return isFloating(dtype) &&
         std::all_of(node.inputs.begin(), node.inputs.end(),
                     [&](ValueId input) { return graph.type(input).dtype == dtype; });
}

bool isPointwiseCast(const Graph& graph, const Node& node) {
  const auto isHeldInF32 = [&](ValueId value) {
    return wideType(graph.type(value).dtype) == DType::F32;
  };
  return node.op->role == OpRole::Cast && isHeldInF32(node.inputs[0]) &&
         isHeldInF32(node.outputs[0]);
}

PointwiseStep pointwiseStepOf(const Node& node) {
  PointwiseStep step;
  step.op = node.op->name;
  if (node.op->role == OpRole::Affine) {
    step.first = node.attributes.get<double>("scale");
    step.second = node.attributes.get<double>("offset");
  }
  else if (node.op->work == WorkKind::ActivationStep) {
    step.kind = node.attributes.get<std::string>("kind");
    step.first = node.attributes.get<double>("alpha");
  }
  return step;
}

std::string printPointwise(const std::vector<PointwiseStep>& steps, int numInputs) {
  std::string text;
  for (const PointwiseStep& step : steps) {
    text += (text.empty() ? "" : "; ") + step.op;
    if (step.op == "affine") text += " " + numberText(step.first) + " " + numberText(step.second);
    if (isActivation(step.op)) text += " " + step.kind + " " + numberText(step.first);
    for (const int operand : step.operands)
      text += operand < numInputs ? " x" + std::to_string(operand)
                                  : " t" + std::to_string(operand - numInputs);
  }
  return text;
}

std::vector<PointwiseStep> parsePointwise(std::string_view program, int numInputs) {
  return Reader(program, numInputs).run();
}

std::vector<OpDef> definePointwise() {
  OpDef op;
  op.name = "fused_pointwise";
  op.kind = OpKind::Elementwise;
  op.minInputs = 1;
  op.maxInputs = kMaxPointwiseInputs;
  op.attributes = {{"program", std::string(), true}, {"dtype", std::string(), false}};
  op.infer = inferPointwise;
  op.noGradientReason = "a pass creates it after differentiation";
  op.cost = pointwiseCost;
  op.work = WorkKind::FusedSteps;
  for (int i = 0; i < kMaxPointwiseInputs; ++i)
    op.mayAlias.emplace_back(0, i);
  return {op};
}

}  // namespace strata

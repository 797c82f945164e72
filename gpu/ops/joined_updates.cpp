// SPDX-License-Identifier: Apache-2.0
// assigns, sgd_updates, adam_updates, rmsprop_updates, adagrad_updates: the updates of several
// variables by one op, which shares rate and step (update.cpp has the formulas).
//   (states of each variable.., gradients.., rate, step[, apply]) {copies, joined, and the
//   attributes of the single op} -> new states
// The states of a variable are those operands of the single op that it writes, in the order of its
// outputs. A gradient may have 16 bits. copies has one number for each variable. Where it is 1, one
// more state is a variable of bf16 or f16 with the shape of w, which becomes w rounded to this
// type. Variables whose number is 2 have no such state. They, and the variable with 1 before them,
// have the columns of one copy: a vector, or a matrix whose rows are those of each w.
// joined has one number for each variable, or none. Where it is 1, a variable has no gradient
// operand, but the next columns of the gradient of the variable before.
//
// Inputs and errors: as the single ops.
// Gradient: none, because updates of variables have no gradient.
// Source: own definition.
#include "gpu/ops/joined_updates.h"

#include <algorithm>
#include <array>
#include <map>

#include "gpu/base/error.h"
#include "gpu/ops/registry.h"

namespace strata {
namespace {

constexpr std::array<std::string_view, 5> kRules = {"assign", "sgd_update", "adam_update",
                                                    "rmsprop_update", "adagrad_update"};
constexpr size_t kGradient = 1;

size_t numStatesOf(std::string_view rule, const Attributes& attributes) {
  if (rule == "sgd_update") return attributes.get<double>("momentum") != 0 ? 2 : 1;
  if (rule == "adam_update") return attributes.get<bool>("amsgrad") ? 4 : 3;
  if (rule == "rmsprop_update")
    return 2 + (attributes.get<double>("momentum") != 0 ? 1u : 0u) +
           (attributes.get<bool>("centered") ? 1u : 0u);
  return rule == "adagrad_update" ? 2 : 1;
}

/// Counts the bytes that the update reads and writes. Copies are only written.
Cost joinedCost(const Graph& graph, const Node& node) {
  const JoinedUpdates joined = joinedUpdates(node.op->name, node.attributes);
  Cost cost;
  for (const ValueId input : node.inputs)
    cost.bytes += static_cast<double>(graph.type(input).bytes());
  for (const ValueId output : node.outputs) {
    cost.bytes += static_cast<double>(graph.type(output).bytes());
    cost.flops += static_cast<double>(graph.shape(output).numElements());
  }
  for (size_t i = 0; i < joined.numMembers(); ++i)
    if (joined.copies[i] == 1)
      cost.bytes -= static_cast<double>(
          graph.type(node.inputs[joined.firstState(i) + joined.numStates]).bytes());
  return cost;
}

size_t numOwnOperandsOf(const Node& node) {
  return joinedUpdates(node.op->name, node.attributes).numInputs();
}

bool sharesGradient(const JoinedUpdates& joined, size_t member) {
  return joined.joined[member] != 0 ||
         (member + 1 < joined.numMembers() && joined.joined[member + 1] != 0);
}

bool sharesCopy(const JoinedUpdates& joined, size_t member) {
  return joined.copies[member] == 2 ||
         (member + 1 < joined.numMembers() && joined.copies[member + 1] == 2);
}

int64_t rowsOf(const Shape& whole) { return whole.rank() > 1 ? whole[0] : 1; }

/// Requires that a variable of this shape can have columns of `whole`.
void requireColumns(const ShapeContext& c, const Shape& whole, const Shape& part) {
  if (whole.rank() < 1 || whole.rank() > 2 || rowsOf(whole) == 0 ||
      part.numElements() % rowsOf(whole) != 0)
    c.fail("a variable of shape " + part.toString() + " has no columns of an operand of shape " +
           whole.toString() + ".");
}

/// Requires that the variables that share an operand have all of its columns.
void requireWholeGroups(const ShapeContext& c, const JoinedUpdates& joined) {
  std::map<size_t, int64_t> elements;
  for (size_t i = 0; i < joined.numMembers(); ++i) {
    const int64_t own = c.inputs[joined.firstState(i)].shape.numElements();
    elements[joined.gradient(i)] += own;
    if (joined.copies[i] != 0) elements[joined.copy(i)] += own;
  }
  for (const auto& [operand, count] : elements)
    if (c.inputs[operand].shape.numElements() != count)
      c.fail("operand " + std::to_string(operand) + " has shape " +
             c.inputs[operand].shape.toString() + ", but its variables have " +
             std::to_string(count) + " elements.");
}

void requireAttributes(const ShapeContext& c, const JoinedUpdates& joined) {
  const auto begins = [](const std::vector<int64_t>& list, int64_t continued) {
    return !list.empty() && list.front() == continued;
  };
  bool isValid = joined.joined.size() == joined.copies.size() && !begins(joined.joined, 1) &&
                 !begins(joined.copies, 2);
  for (size_t i = 1; isValid && i < joined.copies.size(); ++i)
    isValid = joined.copies[i] != 2 || joined.copies[i - 1] != 0;
  if (!isValid)
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "copies and joined do not fit together (expected a number for each variable, and a "
                "variable before each one that continues an operand).");
}

std::vector<TensorType> inferJoined(const ShapeContext& c) {
  const JoinedUpdates joined = joinedUpdates(c.op.name, c.attributes);
  requireAttributes(c, joined);
  const size_t expected = joined.numInputs();
  if (joined.numMembers() == 0 || (c.inputs.size() != expected && c.inputs.size() != expected + 1))
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "got " + std::to_string(c.inputs.size()) + " operands (expected " +
                    std::to_string(expected) + " with these attributes).");
  const bool hasApply = c.inputs.size() > expected;
  std::vector<TensorType> results;
  for (size_t member = 0; member < joined.numMembers(); ++member) {
    std::vector<TensorType> operands;
    for (const size_t operand : joined.operandsOf(member))
      operands.push_back(c.inputs[operand]);
    if (isLowPrecision(operands[kGradient].dtype)) operands[kGradient].dtype = operands[0].dtype;
    if (sharesGradient(joined, member)) {
      requireColumns(c, operands[kGradient].shape, operands[0].shape);
      operands[kGradient].shape = operands[0].shape;
    }
    if (hasApply) operands.push_back(c.inputs.back());
    const std::vector<TensorType> states =
        joined.rule->infer(ShapeContext{*joined.rule, operands, c.attributes});
    results.insert(results.end(), states.begin(), states.end());
    if (joined.copies[member] == 0) continue;
    const TensorType& copy = c.inputs[joined.copy(member)];
    const bool isJoined = sharesCopy(joined, member);
    if (isJoined) requireColumns(c, copy.shape, operands[0].shape);
    if (!isLowPrecision(copy.dtype) || (!isJoined && copy.shape != operands[0].shape))
      c.fail("the copy of variable " + std::to_string(member) + " has type " + copy.toString() +
             " (expected bf16 or f16, and the shape " + operands[0].shape.toString() + ").");
    if (joined.copies[member] == 1) results.push_back(copy);
  }
  requireWholeGroups(c, joined);
  return results;
}

}  // namespace

size_t JoinedUpdates::firstState(size_t member) const {
  size_t result = member * numStates;
  for (size_t i = 0; i < member; ++i)
    result += copies[i] == 1 ? 1 : 0;
  return result;
}

size_t JoinedUpdates::gradient(size_t member) const {
  size_t result = numOutputs();
  for (size_t i = 1; i <= member; ++i)
    result += joined[i] == 0 ? 1 : 0;
  return result;
}

size_t JoinedUpdates::copy(size_t member) const {
  while (copies[member] == 2)
    --member;
  return firstState(member) + numStates;
}

size_t JoinedUpdates::firstShared() const {
  return numMembers() == 0 ? 0 : gradient(numMembers() - 1) + 1;
}

Columns JoinedUpdates::columnsIn(const Shape& whole, size_t first, size_t member,
                                 std::span<const TensorType> inputs) const {
  const int64_t rows = std::max<int64_t>(1, rowsOf(whole));
  Columns result;
  for (size_t i = first; i < member; ++i)
    result.first += inputs[firstState(i)].shape.numElements() / rows;
  result.width = inputs[firstState(member)].shape.numElements() / rows;
  result.pitch = whole.numElements() / rows;
  return result;
}

Columns JoinedUpdates::gradientColumns(size_t member, std::span<const TensorType> inputs) const {
  size_t first = member;
  while (joined[first] != 0)
    --first;
  return columnsIn(inputs[gradient(member)].shape, first, member, inputs);
}

Columns JoinedUpdates::copyColumns(size_t member, std::span<const TensorType> inputs) const {
  size_t first = member;
  while (copies[first] == 2)
    --first;
  return columnsIn(inputs[copy(member)].shape, first, member, inputs);
}

std::vector<size_t> JoinedUpdates::operandsOf(size_t member) const {
  std::vector<size_t> result(numStates + 1 + numShared);
  std::vector<char> isTaken(result.size());
  const auto put = [&](size_t place, size_t operand) {
    result[place] = operand;
    isTaken[place] = 1;
  };
  for (const auto& [output, input] : rule->mustAlias)
    if (static_cast<size_t>(output) < numStates)
      put(static_cast<size_t>(input), firstState(member) + static_cast<size_t>(output));
  put(kGradient, gradient(member));
  size_t shared = firstShared();
  for (size_t place = 0; place < result.size(); ++place)
    if (!isTaken[place]) put(place, shared++);
  return result;
}

std::string joinedName(std::string_view rule) {
  if (std::ranges::find(kRules, rule) == kRules.end()) return {};
  return std::string(rule) + "s";
}

JoinedUpdates joinedUpdates(std::string_view op, const Attributes& attributes) {
  JoinedUpdates result;
  result.rule = &opNamed(op.substr(0, op.size() - 1));
  result.numStates = numStatesOf(result.rule->name, attributes);
  result.copies = attributes.get<std::vector<int64_t>>("copies");
  result.joined = attributes.get<std::vector<int64_t>>("joined");
  if (result.joined.empty()) result.joined.assign(result.copies.size(), 0);
  // The operands of the rule without optional ones are states, gradient, rate and step
  result.numShared = static_cast<size_t>(result.rule->minInputs - result.rule->numOutputs) - 1;
  return result;
}

std::vector<OpDef> defineJoinedUpdates() {
  std::vector<OpDef> result;
  for (OpDef& rule : defineUpdate()) {
    if (joinedName(rule.name).empty()) continue;
    rule.name = joinedName(rule.name);
    rule.minInputs = 2;
    rule.maxInputs = -1;
    rule.numOutputs = 1;
    rule.infer = inferJoined;
    rule.cost = joinedCost;
    rule.mustAlias.clear();
    rule.updatesFirstOperands = true;
    rule.numOwnOperands = numOwnOperandsOf;
    rule.updateWithProduct.clear();
    rule.attributes.push_back({"copies", std::vector<int64_t>(), true});
    rule.attributes.push_back({"joined", std::vector<int64_t>(), false});
    rule.layerOperand = [](const Node&, int output) {
      return output;
    };
    result.push_back(std::move(rule));
  }
  return result;
}

}  // namespace strata

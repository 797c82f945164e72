// SPDX-License-Identifier: Apache-2.0
// Arithmetic that cancels, does nothing or can be done at once, as a table of rules.
//
//   before:  x -> negate -> negate -> y                after:  y = x
//            x -> reshape -> reshape -> y                      x -> reshape -> y
//            x -> affine {2, 1} -> affine {3, 0} -> y          x -> affine {6, 3} -> y
//            x -> add <- broadcast_to <- bias                  x -> add <- bias
//
// x * 0 is 0 for integers alone: a NaN must stay one. Results differ by rounding at most.
#include <algorithm>
#include <unordered_map>

#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

using Ints = std::vector<int64_t>;

struct Candidate {
  Graph& graph;
  NodeId id;
  const Node node;  // a copy: rules add nodes
  ValueId input(size_t i) const { return node.inputs[i]; }
  ValueId output() const { return node.outputs[0]; }
  const TensorType& type() const { return graph.type(output()); }
  bool is(ValueId value, std::string_view op) const { return producerOf(graph, value).op->name == op; }
  const Attributes& attributesOf(ValueId value) const { return producerOf(graph, value).attributes; }
  /// The value, where it has the output's type; else nothing.
  ValueId ifSameType(ValueId value) const { return graph.type(value) == type() ? value : ValueId{}; }
};

// Each rule answers what to read instead of the node's output; invalid: it does not apply.

ValueId doubleNegate(const Candidate& c) { return c.is(c.input(0), "negate") ? producerOf(c.graph, c.input(0)).inputs[0] : ValueId{}; }

ValueId reshapeOfReshape(const Candidate& c) {
  if (c.graph.type(c.input(0)) == c.type()) return c.input(0);
  return c.is(c.input(0), "reshape") ? reshape(c.graph, producerOf(c.graph, c.input(0)).inputs[0], c.type().shape) : ValueId{};
}

ValueId transposePair(const Candidate& c) {
  const Ints outer = c.node.attributes.get<Ints>("permutation");
  if (std::is_sorted(outer.begin(), outer.end())) return c.input(0);
  if (!c.is(c.input(0), "transpose")) return {};
  const Ints inner = c.attributesOf(c.input(0)).get<Ints>("permutation");
  Ints both(outer.size());
  for (size_t i = 0; i < outer.size(); ++i) both[i] = inner[static_cast<size_t>(outer[i])];
  const ValueId source = producerOf(c.graph, c.input(0)).inputs[0];
  return std::is_sorted(both.begin(), both.end()) ? source : transpose(c.graph, source, both);
}

ValueId castToSame(const Candidate& c) { return c.ifSameType(c.input(0)); }
ValueId toSameShape(const Candidate& c) { return c.ifSameType(c.input(0)); }  // broadcast_to, slice, pad, concatenate of one part

ValueId linearActivation(const Candidate& c) { return c.node.attributes.get<std::string>("kind") == "linear" ? c.input(0) : ValueId{}; }

ValueId emptyReduction(const Candidate& c) {
  return c.graph.shape(c.input(0)).numElements() == c.type().shape.numElements() && c.graph.type(c.input(0)).dtype == c.type().dtype
             ? (c.graph.type(c.input(0)) == c.type() ? c.input(0) : reshape(c.graph, c.input(0), c.type().shape))
             : ValueId{};
}

/// The number and the other operand of a node of two operands, where one is a constant of equal elements and the other has the output's type.
struct WithNumber {
  double number = 0;
  ValueId other;
  bool isFirst = false;  // the number is the first operand
};
std::optional<WithNumber> withNumber(const Candidate& c) {
  for (size_t i : {size_t{1}, size_t{0}}) {
    const std::optional<double> number = splatOf(c.graph, c.input(i));
    if (number && c.graph.type(c.input(1 - i)) == c.type() && !splatOf(c.graph, c.input(1 - i)))
      return WithNumber{*number, c.input(1 - i), i == 0};
  }
  return std::nullopt;
}

/// +, -, *, / with a number: nothing, or one affine that joins with its neighbours.
ValueId arithmeticWithNumber(const Candidate& c) {
  const std::optional<WithNumber> found = withNumber(c);
  if (!found) return {};
  const std::string& op = c.node.op->name;
  const auto [number, other, isFirst] = *found;
  const DType dtype = c.type().dtype;
  double scale = 1, offset = 0;
  if (op == "add")
    offset = number;
  else if (op == "subtract") {
    scale = isFirst ? -1 : 1;
    offset = isFirst ? number : -number;
  } else if (op == "multiply")
    scale = number;
  else if (isFirst || number == 0)
    return {};
  else
    scale = 1 / number;
  if (scale == 1 && offset == 0) return other;
  if (!isFloating(dtype)) return op == "multiply" && number == 0 ? constantFill(c.graph, c.type(), 0) : ValueId{};
  return affine(c.graph, other, scale, offset, dtype);
}

ValueId affineOfAffine(const Candidate& c) {
  const double scale = c.node.attributes.get<double>("scale"), offset = c.node.attributes.get<double>("offset");
  if (scale == 1 && offset == 0 && c.graph.type(c.input(0)) == c.type()) return c.input(0);
  if (c.graph.type(c.input(0)).dtype != c.type().dtype) return {};
  const Node& inner = producerOf(c.graph, c.input(0));
  // The inner result stays where others read it; then a chain saves nothing.
  if (!hasSingleUse(c.graph, c.input(0))) return {};
  if (inner.op->name == "negate") return affine(c.graph, inner.inputs[0], -scale, offset, c.type().dtype);
  if (inner.op->name != "affine") return {};
  const double innerScale = inner.attributes.get<double>("scale"), innerOffset = inner.attributes.get<double>("offset");
  return affine(c.graph, inner.inputs[0], scale * innerScale, scale * innerOffset + offset, c.type().dtype);
}

ValueId negateOfAffine(const Candidate& c) {
  if (const ValueId pair = doubleNegate(c); pair.isValid()) return pair;
  const Node& inner = producerOf(c.graph, c.input(0));
  if (inner.op->name != "affine" || !hasSingleUse(c.graph, c.input(0))) return {};
  return affine(c.graph, inner.inputs[0], -inner.attributes.get<double>("scale"), -inner.attributes.get<double>("offset"), c.type().dtype);
}

ValueId powerOfNumber(const Candidate& c) {
  const std::optional<double> exponent = splatOf(c.graph, c.input(1));
  if (!exponent || c.graph.type(c.input(0)) != c.type()) return {};
  if (*exponent == 1) return c.input(0);
  return *exponent == 2 ? square(c.graph, c.input(0)) : ValueId{};
}

/// An elementwise op repeats its operand itself: it need not be repeated in memory before.
ValueId broadcastOperand(const Candidate& c) {
  std::vector<ValueId> inputs = c.node.inputs;
  bool isChanged = false;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!c.is(inputs[i], "broadcast_to")) continue;
    const ValueId saved = inputs[i];
    inputs[i] = producerOf(c.graph, saved).inputs[0];
    Shape shape = c.graph.shape(inputs[0]);
    for (ValueId input : inputs) shape = broadcastShapes(shape, c.graph.shape(input)).value_or(shape);
    if (shape == c.type().shape)
      isChanged = true;
    else
      inputs[i] = saved;
  }
  return isChanged ? c.graph.add(*c.node.op, inputs, c.node.attributes) : ValueId{};
}

struct Rule {
  const char* op;
  ValueId (*apply)(const Candidate&);
};

constexpr Rule kRules[] = {
    {"negate", negateOfAffine},
    {"reshape", reshapeOfReshape},
    {"transpose", transposePair},
    {"cast", castToSame},
    {"broadcast_to", toSameShape},
    {"slice", toSameShape},
    {"pad", toSameShape},
    {"concatenate", toSameShape},
    {"activation", linearActivation},
    {"activation_backward", linearActivation},
    {"reduce_sum", emptyReduction},
    {"reduce_max", emptyReduction},
    {"add", arithmeticWithNumber},
    {"subtract", arithmeticWithNumber},
    {"multiply", arithmeticWithNumber},
    {"divide", arithmeticWithNumber},
    {"affine", affineOfAffine},
    {"power", powerOfNumber},
    {"add", broadcastOperand},
    {"subtract", broadcastOperand},
    {"multiply", broadcastOperand},
    {"divide", broadcastOperand},
    {"maximum", broadcastOperand},
    {"minimum", broadcastOperand},
    {"select", broadcastOperand},
    {"less", broadcastOperand},
    {"greater", broadcastOperand},
    {"equal", broadcastOperand},
};

/// Returns whether a rule changed the node.
bool simplifyNode(Graph& graph, NodeId id, PassReport& report) {
  for (const Rule& rule : kRules) {
    if (graph.node(id).op->name != rule.op) continue;
    const Candidate candidate{graph, id, graph.node(id)};
    const int before = graph.numNodes();
    ValueId result;
    {
      const ReplacementScope scope(graph, id);
      result = rule.apply(candidate);
    }
    if (!result.isValid()) continue;
    if (!canStandIn(graph, result, candidate.output())) {
      for (int made = graph.numNodes(); made-- > before;) removeIfUnused(graph, NodeId{made});
      continue;
    }
    note(report, candidate.node, "simplified " + candidate.node.op->name);
    replaceValue(graph, candidate.output(), result);
    return true;
  }
  return false;
}

}  // namespace

void simplifyArithmetic(Graph& graph, PassReport& report) {
  constexpr int kMostRounds = 16;  // each round is one walk; chains shorten from their start, so that two are the rule
  for (int round = 0; round < kMostRounds; ++round) {
    bool isChanged = false;
    const std::vector<NodeId> order = graph.order();
    for (NodeId id : order)
      if (graph.isAlive(id)) isChanged = simplifyNode(graph, id, report) || isChanged;
    if (!isChanged) return;
  }
}

}  // namespace strata

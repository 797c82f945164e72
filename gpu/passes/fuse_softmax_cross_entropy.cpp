// SPDX-License-Identifier: Apache-2.0
// Fuses softmax (or sigmoid) and the cross-entropy of its probabilities into one op on the logits.
// The op is numerically stable for all logits and reads them only once. Its gradient is
// dloss * (probabilities - target).
//
//   before:  x -> softmax -> clip -> log -> multiply <- target
//                                           |
//                                  reduce_sum -> negate -> loss
//            dloss -> (six ops of the backward part) -> dx
//   after:   x, target -> softmax_cross_entropy -> loss, probabilities
//            dloss, probabilities, target -> softmax_cross_entropy_backward -> dx
//
// The pass also matches log_softmax, p / sum(p), softmax_cross_entropy of log(clip(p)), and sigmoid
// with t * log(p) + (1 - t) * log(1 - p). It drops the clip, for example to [1e-7, 1 - 1e-7],
// because the fused op does not compute the logarithm that the clip protects from 0. To find the
// backward part, it differentiates the pattern again and searches the graph for each of the new
// nodes.
#include <unordered_map>
#include <utility>

#include "gpu/autodiff/autodiff.h"
#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

struct Match {
  ValueId logits, target, loss;
  bool isSigmoid = false;
  int64_t ignoreClass = -1;
};

class Matcher {
 public:
  explicit Matcher(const Graph& graph) : m_graph(graph) {}

  std::optional<Match> at(NodeId id) const {
    const Node& node = m_graph.node(id);
    if (node.op->role == OpRole::SoftmaxCrossEntropy) {
      Match match{logOfSoftmax(node.inputs[0]), node.inputs[1], node.outputs[0], false,
                  node.attributes.get<int64_t>("ignore_class")};
      return checked(match);
    }
    if (node.op->role != OpRole::Negate) return std::nullopt;
    Match match;
    match.loss = node.outputs[0];
    const ValueId inner = node.inputs[0];
    if (is(inner, OpRole::ReduceSum) && isLastAxis(producer(inner), "axes") &&
        is(operand(inner, 0), OpRole::Multiply)) {
      const ValueId product = operand(inner, 0);
      for (int i : {0, 1}) {
        match.logits = logOfSoftmax(operand(product, i));
        match.target = operand(product, 1 - i);
        if (const auto found = checked(match)) return found;
      }
      return std::nullopt;
    }
    return is(inner, OpRole::Add) ? sigmoidSum(match, inner) : std::nullopt;
  }

 private:
  const Node& producer(ValueId value) const { return producerOf(m_graph, value); }
  bool is(ValueId value, OpRole role) const { return isMadeBy(m_graph, value, role); }
  ValueId operand(ValueId value, int i) const {
    return producer(value).inputs[static_cast<size_t>(i)];
  }

  std::optional<Match> checked(const Match& match) const {
    if (!match.logits.isValid() || !isFloating(m_graph.type(match.logits).dtype))
      return std::nullopt;
    // The fused op has no gradient for the target, so the target must not depend on the logits
    if (isMadeFrom(match.target, match.logits)) return std::nullopt;
    const TensorType &logits = m_graph.type(match.logits), &target = m_graph.type(match.target);
    if (match.isSigmoid) return target == logits ? std::optional(match) : std::nullopt;
    const bool fits =
        target == logits || target == TensorType{DType::I32, logits.shape.without(-1)};
    return fits && m_graph.shape(match.loss) == logits.shape.without(-1) ? std::optional(match)
                                                                         : std::nullopt;
  }

  bool isMadeFrom(ValueId value, ValueId source) const {
    std::vector<ValueId> found{value};
    std::vector<char> isSeen(static_cast<size_t>(m_graph.numValues()));
    while (!found.empty()) {
      const ValueId next = found.back();
      found.pop_back();
      if (next == source) return true;
      if (std::exchange(isSeen[static_cast<size_t>(next.index)], 1)) continue;
      const std::vector<ValueId>& inputs = producer(next).inputs;
      found.insert(found.end(), inputs.begin(), inputs.end());
    }
    return false;
  }

  bool isLastAxis(const Node& node, const char* attribute) const {
    const int rank = m_graph.shape(node.inputs[0]).rank();
    if (node.op->role == OpRole::Softmax || node.op->role == OpRole::LogSoftmax)
      return m_graph.shape(node.inputs[0])
                 .normalizeAxis(static_cast<int>(node.attributes.get<int64_t>(attribute))) ==
             rank - 1;
    const auto& axes = node.attributes.get<std::vector<int64_t>>(attribute);
    return axes.size() == 1 && (axes[0] == -1 || axes[0] == rank - 1);
  }

  /// Returns x if the value is min(max(x, low), high) or max(min(x, high), low), where low is about
  /// 0 and high about 1. Otherwise returns the value itself.
  ValueId withoutClip(ValueId value) const {
    constexpr double kMaxClip = 1e-4;
    for (int level = 0; level < 2; ++level) {
      const bool isLow = is(value, OpRole::Maximum), isHigh = is(value, OpRole::Minimum);
      if (!isLow && !isHigh) return value;
      for (int i : {0, 1}) {
        const std::optional<double> bound = splatOf(m_graph, operand(value, i));
        if (!bound || m_graph.type(operand(value, 1 - i)) != m_graph.type(value)) continue;
        if (isLow ? (*bound < 0 || *bound > kMaxClip) : (*bound > 1 || *bound < 1 - kMaxClip))
          continue;
        value = operand(value, 1 - i);
        break;
      }
    }
    return value;
  }

  /// Returns p if the value is p / sum(p) over the last axis, otherwise the value itself.
  ValueId withoutNormalization(ValueId value) const {
    if (!is(value, OpRole::Divide) || !is(operand(value, 1), OpRole::ReduceSum)) return value;
    const Node& sum = producer(operand(value, 1));
    return sum.inputs[0] == operand(value, 0) && sum.attributes.get<bool>("keepdims") &&
                   isLastAxis(sum, "axes")
               ? sum.inputs[0]
               : value;
  }

  ValueId logOfSoftmax(ValueId value) const {
    if (is(value, OpRole::LogSoftmax) && isLastAxis(producer(value), "axis"))
      return operand(value, 0);
    if (!is(value, OpRole::Log)) return {};
    const ValueId probabilities = withoutNormalization(withoutClip(operand(value, 0)));
    return is(probabilities, OpRole::Softmax) && isLastAxis(producer(probabilities), "axis")
               ? operand(probabilities, 0)
               : ValueId{};
  }

  /// Returns x if the value is 1 - x, otherwise an invalid id.
  ValueId complementOf(ValueId value) const {
    if (is(value, OpRole::Affine) && producer(value).attributes.get<double>("scale") == -1 &&
        producer(value).attributes.get<double>("offset") == 1)
      return operand(value, 0);
    if (is(value, OpRole::Subtract) && splatOf(m_graph, operand(value, 0)) == 1.0)
      return operand(value, 1);
    return {};
  }

  /// Matches target * log(p) + (1 - target) * log(1 - p), with the operands of products and sum in
  /// any order.
  std::optional<Match> sigmoidSum(Match match, ValueId sum) const {
    match.isSigmoid = true;
    for (int i : {0, 1}) {
      const ValueId ones = operand(sum, i), zeros = operand(sum, 1 - i);
      if (!is(ones, OpRole::Multiply) || !is(zeros, OpRole::Multiply)) continue;
      for (int j : {0, 1})
        for (int k : {0, 1}) {
          const ValueId target = operand(ones, 1 - j), logOfOne = operand(ones, j),
                        logOfZero = operand(zeros, k);
          if (complementOf(operand(zeros, 1 - k)) != target || !is(logOfOne, OpRole::Log) ||
              !is(logOfZero, OpRole::Log))
            continue;
          const ValueId p = operand(logOfOne, 0);
          if (complementOf(operand(logOfZero, 0)) != p) continue;
          const ValueId probabilities = withoutClip(p);
          if (!is(probabilities, OpRole::Activation) ||
              producer(probabilities).attributes.get<std::string>("kind") != "sigmoid")
            continue;
          match.logits = operand(probabilities, 0);
          match.target = target;
          if (const auto found = checked(match)) return found;
        }
    }
    return std::nullopt;
  }

  const Graph& m_graph;
};

struct FoundBackward {
  ValueId lossGradient, logitsGradient;
};

/// Finds the gradient of the pattern in the graph. For every value that could be the gradient of
/// the loss, the function differentiates a copy of the pattern. It then searches the graph for each
/// of the new nodes.
std::optional<FoundBackward> findBackward(const Graph& graph, const Match& match) {
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.phase != Phase::Backward && node.op->role != OpRole::Constant) continue;
    for (ValueId candidate : node.outputs) {
      if (graph.type(candidate) != graph.type(match.loss) || candidate == match.loss) continue;
      Graph scratch = graph;
      const GradientSeed seed{match.loss, candidate};
      const ValueId dx =
          differentiate(scratch, std::span(&seed, 1), std::span(&match.logits, 1))[0];
      if (!dx.isValid()) continue;
      ComputedNodes known(scratch);
      std::unordered_map<ValueId, ValueId> same;
      for (NodeId each : scratch.order()) {
        if (each.index < graph.numNodes()) {
          (void)known.findOrRemember(each);
          continue;
        }
        std::vector<ValueId> inputs = scratch.node(each).inputs;
        for (ValueId& input : inputs)
          if (const auto at = same.find(input); at != same.end()) input = at->second;
        const NodeId equal = known.find(scratch.node(each), inputs);
        if (!equal.isValid()) break;
        for (size_t i = 0; i < scratch.node(each).outputs.size(); ++i)
          same[scratch.node(each).outputs[i]] = scratch.node(equal).outputs[i];
      }
      if (const auto at = same.find(dx); at != same.end())
        return FoundBackward{candidate, at->second};
    }
  }
  return std::nullopt;
}

/// Returns whether the backward pass uses the probabilities or log-probabilities of these logits.
/// It does if the graph contains a gradient of the pattern in any form.
bool hasBackwardReader(const Graph& graph, ValueId logits) {
  for (const Use& use : graph.value(logits).uses) {
    const Node& user = graph.node(use.node);
    if (user.op->role != OpRole::Softmax && user.op->role != OpRole::LogSoftmax &&
        user.op->role != OpRole::Activation)
      continue;
    for (const Use& later : graph.value(user.outputs[0]).uses)
      if (graph.node(later.node).phase == Phase::Backward) return true;
  }
  return false;
}

bool isBefore(const Graph& graph, NodeId first, NodeId second) {
  for (NodeId id : graph.order()) {
    if (id == first) return true;
    if (id == second) return false;
  }
  return false;
}

void fuse(Graph& graph, const Match& match, const std::optional<FoundBackward>& backward,
          PassReport& report) {
  const NodeId lossNode = graph.value(match.loss).producer;
  const Node before = graph.node(lossNode);
  ValueId loss;
  {
    const ReplacementScope scope(graph, lossNode);
    loss = match.isSigmoid
               ? sigmoidCrossEntropy(graph, match.logits, match.target)
               : softmaxCrossEntropy(graph, match.logits, match.target, match.ignoreClass);
  }
  if (backward) {
    const NodeId position = graph.value(backward->logitsGradient).producer;
    ValueId dx;
    {
      const ReplacementScope scope(graph, position);
      if (match.isSigmoid) {
        dx = multiply(graph, backward->lossGradient,
                      subtract(graph, activation(graph, match.logits, "sigmoid"), match.target));
      }
      else {
        const ValueId probabilities = producerOf(graph, loss).outputs[1];
        dx = graph.add(opNamed("softmax_cross_entropy_backward"),
                       {backward->lossGradient, probabilities, match.target},
                       {{"ignore_class", match.ignoreClass}});
      }
    }
    replaceValue(graph, backward->logitsGradient, dx);
  }
  // If the original node is softmax_cross_entropy, its probabilities equal those of the fused op
  if (before.outputs.size() == 2 && graph.value(before.outputs[1]).isUsed())
    graph.edit().replaceAllUses(before.outputs[1], producerOf(graph, loss).outputs[1]);
  note(report, before,
       std::string("fused ") + (match.isSigmoid ? "sigmoid" : "softmax") + " and cross-entropy" +
           (backward ? " and their gradient" : ""));
  replaceValue(graph, match.loss, loss);
}

}  // namespace

void fuseSoftmaxCrossEntropy(Graph& graph, PassReport& report) {
  const std::vector<NodeId> order = graph.order();
  for (NodeId id : order) {
    if (!graph.isAlive(id) || graph.node(id).phase == Phase::Backward) continue;
    const std::optional<Match> match = Matcher(graph).at(id);
    if (!match) continue;
    const std::optional<FoundBackward> backward = findBackward(graph, *match);
    // If the backward part was not found, it still needs the original probabilities. Fusing only
    // the forward part would compute them twice.
    if (!backward && hasBackwardReader(graph, match->logits)) continue;
    if (backward && !isBefore(graph, id, graph.value(backward->logitsGradient).producer)) continue;
    fuse(graph, *match, backward, report);
  }
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Computes the loss of a classifier, its accuracy and the gradient of its logits in one op. Only
// devices on which each op is a launch want this.
//
//   before:  logits, target -> softmax_cross_entropy -> rows, p
//            rows -> reduce_sum -> affine -> loss
//            p -> argmax -> equal -> cast -> reduce_sum -> correct
//            d, p, target -> softmax_cross_entropy_backward -> dlogits
//   after:   logits, target -> classification_loss -> loss, correct, dlogits
//
// The sum of the losses must be the only use of `rows`. The other parts are fused if they are
// there: a metric with another form stays, and so does a gradient whose upstream gradient `d` has
// different elements. If other nodes use p, the op also writes p. If the logits were 16-bit numbers
// and dlogits will be (mixed_precision.cpp), the op reads and writes 16-bit numbers. A sum of
// dlogits, such as the gradient of a bias, then adds 16-bit numbers, as in other layers.
#include <algorithm>
#include <optional>

#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

/// Returns the factor of an affine op without offset that keeps the type, otherwise nullopt.
std::optional<double> factorOf(const Graph& graph, const Node& node) {
  if (node.op->role != OpRole::Affine || node.attributes.get<double>("offset") != 0 ||
      graph.type(node.outputs[0]) != graph.type(node.inputs[0]))
    return std::nullopt;
  return node.attributes.get<double>("scale");
}

/// The number scale * (sum of all elements).
struct ScaledSum {
  ValueId value;
  double scale = 1;
};

/// Returns the scaled sum that is the only use of `elements`, without a value if there is none. The
/// sum of one element may be a view.
ScaledSum scaledSumOf(const Graph& graph, ValueId elements) {
  const NodeId user = onlyUser(graph, elements);
  if (!user.isValid()) return {};
  const Node& sum = graph.node(user);
  const bool isSum = sum.op->role == OpRole::ReduceSum || sum.op->role == OpRole::Reshape;
  const TensorType number{graph.type(elements).dtype, {}};
  if (!isSum || graph.type(sum.outputs[0]) != number) return {};
  ScaledSum result{sum.outputs[0]};
  const NodeId next = onlyUser(graph, result.value);
  if (!next.isValid()) return result;
  if (const std::optional<double> factor = factorOf(graph, graph.node(next)))
    result = {graph.node(next).outputs[0], *factor};
  return result;
}

/// An upstream gradient whose elements are all scale * factor. Without a factor, they are `scale`.
struct UniformGradient {
  double scale = 1;
  ValueId factor;
};

std::optional<UniformGradient> uniformGradient(const Graph& graph, ValueId value) {
  UniformGradient result;
  for (;;) {
    if (const std::optional<double> splat = splatOf(graph, value)) {
      result.scale *= *splat;
      return result;
    }
    const Node& node = producerOf(graph, value);
    if (node.op->kind == OpKind::Source && graph.shape(value).rank() == 0) {
      result.factor = value;
      return result;
    }
    const bool repeats = node.op->role == OpRole::Reshape || node.op->role == OpRole::BroadcastTo;
    const std::optional<double> factor = factorOf(graph, node);
    if (!repeats && !factor) return std::nullopt;
    result.scale *= factor.value_or(1);
    value = node.inputs[0];
  }
}

bool isArgmaxOfRows(const Graph& graph, const Node& node) {
  if (node.op->role != OpRole::ArgMax) return false;
  const Shape& shape = graph.shape(node.inputs[0]);
  return shape.normalizeAxis(static_cast<int>(node.attributes.get<int64_t>("axis"))) ==
         shape.rank() - 1;
}

/// Whether dlogits can have the type `low`. Its users are then casts to `low`, or take this type.
bool takesLow(const Graph& graph, ValueId dlogits, DType low) {
  if (graph.value(dlogits).names > 0) return false;
  return std::ranges::all_of(graph.value(dlogits).uses, [&](const Use& use) {
    const Node& user = graph.node(use.node);
    if (user.op->role == OpRole::Cast) return graph.type(user.outputs[0]).dtype == low;
    if (user.op->role == OpRole::Reshape) return takesLow(graph, user.outputs[0], low);
    return user.op->role == OpRole::ReduceSum && graph.type(dlogits).dtype == DType::F32;
  });
}

/// Lets the users of `wide` use `low` instead, which takesLow() allows.
void useLow(Graph& graph, ValueId wide, ValueId low) {
  // A copy, because the loop changes the uses
  const auto& all = graph.value(wide).uses;
  const std::vector<Use> uses(all.begin(), all.end());
  for (const Use& use : uses) {
    const Node user = graph.node(use.node);
    if (user.op->role == OpRole::Cast) {
      replaceValue(graph, user.outputs[0], low);
    }
    else if (user.op->role == OpRole::Reshape) {
      ValueId view;
      {
        const ReplacementScope scope(graph, use.node);
        view = graph.add(*user.op, {low}, user.attributes);
      }
      useLow(graph, user.outputs[0], view);
      removeIfUnused(graph, use.node);
    }
    else {
      graph.edit().setInput(use.node, use.operand, low);
    }
  }
}

class LossFusion {
 public:
  LossFusion(Graph& graph, NodeId id) : m_graph(graph), m_id(id), m_forward(graph.node(id)) {}

  void run(PassReport& report) {
    m_loss = scaledSumOf(m_graph, m_forward.outputs[0]);
    if (!m_loss.value.isValid()) return;
    findMetric(probabilities(), "probabilities");
    findMetric(logits(), "logits");
    findGradient();
    findLowLogits();
    m_keepsProbabilities = usesOfProbabilities() > 0;
    const NodeId fused = add();
    // A copy, because replace() adds nodes
    const std::vector<ValueId> outputs = m_graph.node(fused).outputs;
    replace(outputs);
    std::string parts = m_correct.value.isValid() ? "a loss and its metric" : "a loss";
    if (m_backward.isValid()) parts += " with the gradient";
    note(report, m_graph.node(fused), "computed " + parts + " in one op");
  }

 private:
  ValueId logits() const { return m_forward.inputs[0]; }
  ValueId target() const { return m_forward.inputs[1]; }
  ValueId probabilities() const { return m_forward.outputs[1]; }

  /// Looks for the number of rows in which `ranked` has its largest value at the target's class.
  void findMetric(ValueId ranked, const char* name) {
    if (m_correct.value.isValid()) return;
    for (const Use& use : m_graph.value(ranked).uses) {
      const Node& answer = m_graph.node(use.node);
      if (!isArgmaxOfRows(m_graph, answer)) continue;
      const NodeId user = onlyUser(m_graph, answer.outputs[0]);
      if (!user.isValid()) continue;
      const Node& comparison = m_graph.node(user);
      if (comparison.op->role != OpRole::Equal) continue;
      const bool isFirst = comparison.inputs[0] == answer.outputs[0];
      if (!isClassOfTarget(comparison.inputs[isFirst ? 1 : 0])) continue;
      const NodeId next = onlyUser(m_graph, comparison.outputs[0]);
      if (!next.isValid()) continue;
      const Node& cast = m_graph.node(next);
      if (cast.op->role != OpRole::Cast ||
          m_graph.type(cast.outputs[0]).dtype != m_graph.type(m_loss.value).dtype)
        continue;
      m_correct = scaledSumOf(m_graph, cast.outputs[0]);
      if (!m_correct.value.isValid()) continue;
      m_ranks = name;
      m_answer = use.node;
      return;
    }
  }

  bool isClassOfTarget(ValueId value) const {
    if (!isFloating(m_graph.type(target()).dtype)) return value == target();
    const Node& node = producerOf(m_graph, value);
    return isArgmaxOfRows(m_graph, node) && node.inputs[0] == target();
  }

  void findGradient() {
    for (const Use& use : m_graph.value(probabilities()).uses) {
      const Node& node = m_graph.node(use.node);
      if (node.op->role != OpRole::SoftmaxCrossEntropyBackward ||
          node.inputs[1] != probabilities() || node.inputs[2] != target() ||
          node.attributes.get<int64_t>("ignore_class") !=
              m_forward.attributes.get<int64_t>("ignore_class"))
        continue;
      const std::optional<UniformGradient> upstream = uniformGradient(m_graph, node.inputs[0]);
      if (!upstream || (upstream->factor.isValid() &&
                        m_graph.type(upstream->factor) != m_graph.type(m_loss.value)))
        continue;
      m_upstream = *upstream;
      m_backward = use.node;
      return;
    }
  }

  /// Takes the logits before a cast from 16-bit numbers, if the gradient can have their type.
  void findLowLogits() {
    m_logits = logits();
    const Node& cast = producerOf(m_graph, m_logits);
    if (cast.op->role != OpRole::Cast || m_graph.type(m_logits).dtype != DType::F32) return;
    const DType low = m_graph.type(cast.inputs[0]).dtype;
    if (!isLowPrecision(low)) return;
    if (m_backward.isValid() && !takesLow(m_graph, m_graph.node(m_backward).outputs[0], low))
      return;
    m_logits = cast.inputs[0];
    m_isLow = true;
  }

  /// Returns how many uses of the probabilities are not fused.
  size_t usesOfProbabilities() const {
    const auto others = std::ranges::count_if(
        m_graph.value(probabilities()).uses,
        [&](const Use& use) { return use.node != m_backward && use.node != m_answer; });
    return static_cast<size_t>(others + m_graph.value(probabilities()).names);
  }

  NodeId add() {
    if (m_upstream.factor.isValid()) putFirst(m_graph.value(m_upstream.factor).producer);
    std::vector<ValueId> inputs{m_logits, target()};
    if (m_upstream.factor.isValid()) inputs.push_back(m_upstream.factor);
    const ReplacementScope scope(m_graph, m_id);
    return m_graph.addNode(opNamed("classification_loss"), std::move(inputs),
                           {{"ignore_class", m_forward.attributes.get<int64_t>("ignore_class")},
                            {"loss_scale", m_loss.scale},
                            {"ranks", std::string(m_ranks)},
                            {"correct_scale", m_correct.scale},
                            {"gradient", m_backward.isValid()},
                            {"gradient_scale", m_upstream.scale},
                            {"probabilities", m_keepsProbabilities}});
  }

  /// Moves a source before the loss.
  void putFirst(NodeId source) {
    std::vector<NodeId> order = m_graph.order();
    const auto at = std::ranges::find(order, source), loss = std::ranges::find(order, m_id);
    if (at < loss) return;
    std::rotate(loss, at, at + 1);
    m_graph.edit().setOrder(std::move(order));
  }

  void replace(const std::vector<ValueId>& outputs) {
    size_t next = 2;
    if (m_backward.isValid()) {
      const ValueId dlogits = m_graph.node(m_backward).outputs[0], fused = outputs[next++];
      m_graph.edit().setCategory(fused, m_graph.value(dlogits).category);
      if (m_isLow)
        useLow(m_graph, dlogits, fused);
      else
        replaceValue(m_graph, dlogits, fused);
      removeIfUnused(m_graph, m_backward);
    }
    if (m_correct.value.isValid()) replaceValue(m_graph, m_correct.value, outputs[1]);
    if (m_keepsProbabilities) {
      m_graph.edit().setCategory(outputs[next], m_graph.value(probabilities()).category);
      replaceValue(m_graph, probabilities(), outputs[next]);
    }
    replaceValue(m_graph, m_loss.value, outputs[0]);
  }

  Graph& m_graph;
  const NodeId m_id;
  // A copy, because references to nodes become invalid when nodes are added
  const Node m_forward;
  ScaledSum m_loss, m_correct;
  const char* m_ranks = "none";
  UniformGradient m_upstream;
  ValueId m_logits;
  // The argmax of the metric, and the gradient
  NodeId m_answer, m_backward;
  bool m_isLow = false, m_keepsProbabilities = false;
};

}  // namespace

void fuseLoss(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (!device.fusesLossAndMetrics) return;
  const std::vector<NodeId> order = graph.order();
  for (const NodeId id : order)
    if (graph.isAlive(id) && graph.node(id).op->role == OpRole::SoftmaxCrossEntropy)
      LossFusion(graph, id).run(report);
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "gpu/autodiff/autodiff.h"

#include "gpu/base/error.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {
namespace {

class ReverseWalk {
 public:
  ReverseWalk(Graph& graph, std::span<const ValueId> targets)
      : m_graph(graph),
        m_dependsOnTarget(static_cast<size_t>(graph.numValues())),
        m_gradients(static_cast<size_t>(graph.numValues())) {
    for (ValueId target : targets)
      m_dependsOnTarget[at(target)] = 1;
    for (NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      for (ValueId input : node.inputs)
        if (m_dependsOnTarget[at(input)])
          for (ValueId output : node.outputs)
            if (isFloating(graph.type(output).dtype)) m_dependsOnTarget[at(output)] = 1;
    }
  }

  void run(std::span<const GradientSeed> seeds) {
    const std::vector<NodeId> order = m_graph.order();
    for (const GradientSeed& seed : seeds) {
      if (!m_dependsOnTarget[at(seed.value)]) continue;
      Scope scope(m_graph, m_graph.node(m_graph.value(seed.value).producer).layer, Phase::Backward,
                  Category::Temporary);
      accumulate(seed.value, seed.gradient.isValid()
                                 ? seed.gradient
                                 : constantFill(m_graph, m_graph.type(seed.value), 1));
    }
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      m_graph.checkStop();
      differentiateNode(*id);
    }
  }

  ValueId gradient(ValueId value) const { return m_gradients[at(value)]; }

 private:
  static size_t at(ValueId value) { return static_cast<size_t>(value.index); }

  // The first contribution becomes the gradient and later ones are added to it. The graph therefore
  // needs no gradients filled with zeros.
  void accumulate(ValueId value, ValueId gradient) {
    require(m_graph.type(gradient) == m_graph.type(value),
            "a gradient has the same type as its value");
    ValueId& total = m_gradients[at(value)];
    total = total.isValid() ? add(m_graph, total, gradient) : gradient;
  }

  void differentiateNode(NodeId id) {
    const std::vector<ValueId> inputs = m_graph.node(id).inputs, outputs = m_graph.node(id).outputs;
    std::vector<ValueId> outputGradients;
    bool hasGradient = false, isNeeded = false;
    for (ValueId output : outputs) {
      outputGradients.push_back(m_gradients[at(output)]);
      hasGradient |= outputGradients.back().isValid();
    }
    std::vector<char> needs;
    for (ValueId input : inputs) {
      needs.push_back(m_dependsOnTarget[at(input)]);
      isNeeded |= needs.back() != 0;
    }
    if (!hasGradient || !isNeeded) return;

    const OpDef& op = *m_graph.node(id).op;
    const std::string layer = m_graph.node(id).layer;
    if (op.gradient == nullptr)
      throw Error(ErrorCode::UnsupportedOp, layer.empty() ? op.name : layer,
                  "op " + op.name + " cannot be differentiated: " + op.noGradientReason + ".");
    Scope scope(m_graph, layer, Phase::Backward, Category::Temporary);
    const std::vector<ValueId> results =
        op.gradient(GradientContext{m_graph, id, outputGradients, needs});
    require(results.size() == inputs.size(), "a gradient rule returns one gradient per input");
    for (size_t i = 0; i < inputs.size(); ++i)
      if (needs[i] && results[i].isValid()) accumulate(inputs[i], results[i]);
  }

  Graph& m_graph;
  // Both vectors are indexed by the values of the original graph
  std::vector<char> m_dependsOnTarget;
  std::vector<ValueId> m_gradients;
};

/// Gives a parameter's gradient the category Gradient. If the gradient is a view, the viewed value
/// gets this category too.
void markGradient(Graph& graph, ValueId gradient) {
  for (;;) {
    graph.edit().setCategory(gradient, Category::Gradient);
    const Node& producer = graph.node(graph.value(gradient).producer);
    if (producer.op->kind != OpKind::View ||
        graph.value(producer.inputs[0]).category != Category::Temporary)
      return;
    gradient = producer.inputs[0];
  }
}

}  // namespace

std::vector<ValueId> differentiate(Graph& graph, std::span<const GradientSeed> seeds,
                                   std::span<const ValueId> targets) {
  ReverseWalk walk(graph, targets);
  walk.run(seeds);
  std::vector<ValueId> results;
  for (ValueId target : targets) {
    const ValueId gradient = walk.gradient(target);
    const Value& value = graph.value(target);
    if (gradient.isValid() && value.category == Category::Parameter &&
        graph.node(value.producer).op->kind == OpKind::Source)
      markGradient(graph, gradient);
    results.push_back(gradient);
  }
  return results;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Stores the weights of convolutions, [R,S,C,K] in Strata, as [K,R,S,C], which libraries of cards
// read and write without a copy.
//
//   before:  x, w [R,S,C,K] -> conv2d
//            x, dy -> conv2d_backward_weights -> dw [R,S,C,K]
//            w, dw, v -> sgd_update -> w', v'
//   after:   x, w [K,R,S,C] -> conv2d {weights="krsc"}
//            x, dy -> conv2d_backward_weights {weights="krsc"} -> dw [K,R,S,C]
//            w, dw, v -> sgd_update -> w', v'
//
// Variables get the attribute `axes`, so that files stay as they are (gpu/exec/state.h). Values
// that are computed element by element from weights and their gradients have the new order, too.
// Other ops read a transposed copy. All programs of a network choose the same variables: those
// whose value, also after ops that keep its shape, is the weights of a forward convolution, and
// those that are combined with them.
#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"
#include "gpu/tensor/permute.h"

namespace strata {
namespace {

using Axes = std::vector<int64_t>;

const Axes kStored = {3, 0, 1, 2}, kPlain = {1, 2, 3, 0};

/// Returns whether a node is a convolution with weights in the order of files.
bool isConvolution(const Node& node) {
  return node.op->work == WorkKind::Convolution &&
         node.attributes.getOr<std::string>("weights", {}) == "rsck";
}

class FilterStorer {
 public:
  FilterStorer(Graph& graph, PassReport& report) : m_graph(graph), m_report(report) {}

  void run() {
    findFilters();
    if (m_reordered.empty()) return;
    spread();
    for (const ValueId value : m_reordered)
      if (const Node& node = producerOf(m_graph, value); node.op->role == OpRole::Variable) {
        const std::string name = node.attributes.get<std::string>("name");
        note(m_report, node, "stores " + name + " as [K,R,S,C]");
        m_graph.edit().reorderVariable(name, kStored);
        m_twins[value] = value;
      }
    const std::vector<NodeId> order = m_graph.order();
    for (const NodeId id : order)
      rewrite(id);
    finish(order);
  }

 private:
  static bool isFilterShape(const Shape& shape) { return shape.rank() == 4; }

  /// Finds the variables whose values become the weights of convolutions.
  void findFilters() {
    for (const NodeId id : m_graph.order()) {
      const Node& node = m_graph.node(id);
      if (!isConvolution(node) || node.op->direction == OpDirection::BackwardWeights ||
          node.phase != Phase::Forward)
        continue;
      findFiltersOf(node.inputs[1]);
    }
  }

  void findFiltersOf(ValueId value) {
    const Node& node = producerOf(m_graph, value);
    if (node.op->role == OpRole::Variable) m_reordered.insert(value);
    if (node.op->kind != OpKind::Elementwise) return;
    for (const ValueId input : node.inputs)
      if (m_graph.shape(input) == m_graph.shape(value)) findFiltersOf(input);
  }

  /// Returns whether a node computes an element of its outputs from the same element of operands.
  /// Other operands are scalars.
  bool isElementByElement(const Node& node) const {
    if (node.op->kind != OpKind::Elementwise && node.op->kind != OpKind::Update) return false;
    const Shape& shape = m_graph.shape(node.outputs[0]);
    if (!isFilterShape(shape)) return false;
    const auto fits = [&](ValueId value) {
      return m_graph.shape(value) == shape || m_graph.shape(value).rank() == 0;
    };
    return std::ranges::all_of(node.inputs, fits) && std::ranges::all_of(node.outputs, fits);
  }

  /// Adds the values that are computed from reordered ones, until there are no more.
  void spread() {
    std::set<Shape, decltype([](const Shape& a, const Shape& b) {
               return std::ranges::lexicographical_compare(a.dims(), b.dims());
             })>
        shapes;
    for (const ValueId value : m_reordered)
      shapes.insert(m_graph.shape(value));
    for (const NodeId id : m_graph.order())
      if (const Node& node = m_graph.node(id); isConvolution(node) &&
                                               node.op->direction == OpDirection::BackwardWeights &&
                                               shapes.contains(m_graph.shape(node.outputs[0])))
        m_reordered.insert(node.outputs[0]);
    for (size_t before = 0; before != m_reordered.size();) {
      before = m_reordered.size();
      for (const NodeId id : m_graph.order()) {
        const Node& node = m_graph.node(id);
        if (!isElementByElement(node) || !std::ranges::any_of(node.inputs, [&](ValueId input) {
              return m_reordered.contains(input);
            }))
          continue;
        for (const ValueId output : node.outputs)
          if (m_graph.shape(output).rank() > 0) m_reordered.insert(output);
        for (const ValueId input : node.inputs)
          if (m_graph.shape(input).rank() > 0 && isMadeBy(m_graph, input, OpRole::Variable))
            m_reordered.insert(input);
      }
    }
  }

  void rewrite(NodeId id) {
    const Node node = m_graph.node(id);
    if (node.op->kind == OpKind::Source) return;
    const bool isReordered = std::ranges::any_of(
        node.outputs, [&](ValueId output) { return m_reordered.contains(output); });
    if (isConvolution(node) &&
        (isReordered || (node.inputs.size() > 1 && m_twins.contains(node.inputs[1]) &&
                         node.op->direction != OpDirection::BackwardWeights))) {
      replaceConvolution(id, isReordered);
      return;
    }
    if (isReordered) {
      replaceElementwise(id);
      return;
    }
    // The order of elements does not matter for sums of all of them
    const bool readsAny = observesGradients(node) || isFullReduction(node);
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (m_twins.contains(node.inputs[i]))
        m_graph.edit().setInput(id, static_cast<int>(i),
                                readsAny ? m_twins.at(node.inputs[i]) : plain(node.inputs[i], id));
  }

  bool isFullReduction(const Node& node) const {
    return node.op->kind == OpKind::Reduction && m_graph.shape(node.outputs[0]).rank() == 0;
  }

  /// Replaces a convolution by one with the new order. Other operands keep their order.
  void replaceConvolution(NodeId id, bool makesWeights) {
    const Node node = m_graph.node(id);
    Attributes attributes = node.attributes;
    attributes.set("weights", std::string("krsc"));
    if (makesWeights) {
      const Shape shape = permutedShape(m_graph.shape(node.outputs[0]), kStored);
      attributes.set("weight_shape", Axes(shape.dims().begin(), shape.dims().end()));
    }
    std::vector<ValueId> inputs = node.inputs;
    if (!makesWeights) inputs[1] = m_twins.at(inputs[1]);
    const NodeId made = replaced(id, std::move(inputs), std::move(attributes));
    const ValueId output = m_graph.node(made).outputs[0];
    if (makesWeights)
      m_twins[node.outputs[0]] = output;
    else
      m_graph.edit().replaceAllUses(node.outputs[0], output);
  }

  void replaceElementwise(NodeId id) {
    const Node node = m_graph.node(id);
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs)
      inputs.push_back(m_graph.shape(input).rank() == 0 ? input : stored(input, id));
    const NodeId made = replaced(id, std::move(inputs), node.attributes);
    for (size_t i = 0; i < node.outputs.size(); ++i)
      if (m_graph.shape(node.outputs[i]).rank() > 0)
        m_twins[node.outputs[i]] = m_graph.node(made).outputs[i];
      else
        m_graph.edit().replaceAllUses(node.outputs[i], m_graph.node(made).outputs[i]);
  }

  NodeId replaced(NodeId id, std::vector<ValueId> inputs, Attributes attributes) {
    m_replaced.push_back(id);
    return replacementOf(m_graph, id, std::move(inputs), std::move(attributes));
  }

  /// Returns a value in the new order.
  ValueId stored(ValueId value, NodeId user) {
    if (const auto twin = m_twins.find(value); twin != m_twins.end()) return twin->second;
    const ReplacementScope scope(m_graph, user);
    return transpose(m_graph, value, kStored);
  }

  /// Returns a value in the order of files.
  ValueId plain(ValueId value, NodeId user) {
    const ReplacementScope scope(m_graph, user);
    m_graph.context.category = Category::Temporary;
    return transpose(m_graph, m_twins.at(value), kPlain);
  }

  /// Removes the nodes that were replaced. Outputs of the graph keep their order.
  void finish(const std::vector<NodeId>& order) {
    for (const Variable& variable : std::vector<Variable>(m_graph.variables()))
      if (const auto twin = m_twins.find(variable.next);
          twin != m_twins.end() && variable.next != twin->second)
        m_graph.setNext(variable.name, twin->second);
    for (const NamedValue& output : std::vector<NamedValue>(m_graph.outputs()))
      if (m_twins.contains(output.value) && m_twins.at(output.value) != output.value) {
        const NodeId last = order.back();
        m_graph.edit().replaceAllUses(output.value, plain(output.value, last));
      }
    for (const NodeId id : std::views::reverse(m_replaced))
      m_graph.edit().removeNode(id);
  }

  Graph& m_graph;
  PassReport& m_report;
  // Values whose elements have the new order
  std::set<ValueId> m_reordered;
  // The values in the new order; variables are their own
  std::map<ValueId, ValueId> m_twins;
  std::vector<NodeId> m_replaced;
};

}  // namespace

void storeFilters(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (device.storesFiltersAsKrsc) FilterStorer(graph, report).run();
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "gpu/base/error.h"
#include "gpu/graph/graph.h"
#include "gpu/graph/op.h"
#include "gpu/tensor/permute.h"

namespace strata {

void GraphEditor::setOrder(std::vector<NodeId> order) {
  std::vector<int> position(m_graph.m_nodes.size(), -1);
  for (size_t i = 0; i < order.size(); ++i) {
    const NodeId id = order[i];
    require(id.isValid() && id.index < m_graph.numNodes() && m_graph.isAlive(id) &&
                position[static_cast<size_t>(id.index)] < 0,
            "an order names each live node once");
    for (ValueId input : m_graph.node(id).inputs)
      require(position[static_cast<size_t>(m_graph.value(input).producer.index)] >= 0,
              "an order is topological");
    position[static_cast<size_t>(id.index)] = static_cast<int>(i);
  }
  require(order.size() == m_graph.m_order.size(), "an order names each live node once");
  m_graph.m_order.assign(std::move(order));
}

void GraphEditor::replaceAllUses(ValueId from, ValueId to) {
  if (from == to) return;
  require(m_graph.type(from) == m_graph.type(to), "a value is replaced by one of the same type");
  Value& source = m_graph.m_values[static_cast<size_t>(from.index)];
  Value& target = m_graph.m_values[static_cast<size_t>(to.index)];
  for (const Use& use : source.uses) {
    m_graph.m_nodes[static_cast<size_t>(use.node.index)].inputs[static_cast<size_t>(use.operand)] =
        to;
    target.uses.push_back(use);
  }
  source.uses.clear();
  if (source.names == 0) return;
  target.names += std::exchange(source.names, 0);
  for (NamedValue& output : m_graph.m_outputs)
    if (output.value == from) output.value = to;
  int last = source.firstVariable;
  if (last < 0) return;
  for (int at = last; at >= 0; at = m_graph.m_variables[static_cast<size_t>(at)].sameNext) {
    m_graph.m_variables[static_cast<size_t>(at)].next = to;
    last = at;
  }
  m_graph.m_variables[static_cast<size_t>(last)].sameNext = target.firstVariable;
  target.firstVariable = std::exchange(source.firstVariable, -1);
}

void GraphEditor::reorderVariable(std::string_view name, const std::vector<int64_t>& axes) {
  const Variable* variable = m_graph.findVariable(name);
  require(variable != nullptr, "a variable with this name exists");
  Value& value = m_graph.m_values[static_cast<size_t>(variable->value.index)];
  value.type.shape = permutedShape(value.type.shape, axes);
  mutableNode(value.producer).attributes.set("axes", axes);
}

void GraphEditor::removeVariable(std::string_view name) {
  const auto at = m_graph.m_variableAt.find(std::string(name));
  require(at != m_graph.m_variableAt.end(), "a variable with this name exists");
  const size_t index = at->second;
  m_graph.clearNext(index);
  const ValueId value = m_graph.m_variables[index].value;
  require(!m_graph.value(value).isUsed(), "a removed variable is not used");
  const NodeId id = m_graph.value(value).producer;
  mutableNode(id) = Node{};
  m_graph.m_order.remove(id);
  if (m_graph.m_insertionPoint == id) m_graph.m_insertionPoint = {};
  m_graph.m_variables.erase(m_graph.m_variables.begin() + static_cast<std::ptrdiff_t>(index));
  m_graph.m_variableAt.erase(at);
  // The others have moved by one
  const auto move = [index](int& other) {
    if (other > static_cast<int>(index)) --other;
  };
  for (auto& [other, place] : m_graph.m_variableAt)
    if (place > index) --place;
  for (Variable& other : m_graph.m_variables)
    move(other.sameNext);
  for (Value& other : m_graph.m_values)
    move(other.firstVariable);
}

void GraphEditor::removeUse(ValueId value, Use use) {
  UseList& uses = m_graph.m_values[static_cast<size_t>(value.index)].uses;
  const auto at = std::find(uses.begin(), uses.end(), use);
  require(at != uses.end(), "uses are consistent");
  uses.erase(at);
}

void GraphEditor::setInput(NodeId id, int operand, ValueId value) {
  ValueId& slot = mutableNode(id).inputs[static_cast<size_t>(operand)];
  removeUse(slot, {id, operand});
  slot = value;
  m_graph.m_values[static_cast<size_t>(value.index)].uses.push_back({id, operand});
}

void GraphEditor::appendInput(NodeId id, ValueId value) {
  std::vector<ValueId>& inputs = mutableNode(id).inputs;
  m_graph.m_values[static_cast<size_t>(value.index)].uses.push_back(
      {id, static_cast<int>(inputs.size())});
  inputs.push_back(value);
}

void GraphEditor::removeNode(NodeId id) {
  Node& removed = mutableNode(id);
  require(removed.op != nullptr, "a node is removed once");
  require(removed.op->role != OpRole::Input && removed.op->role != OpRole::Variable,
          "inputs and variables are not removed");
  for (ValueId output : removed.outputs)
    require(!m_graph.value(output).isUsed(), "a removed node is not used");
  for (size_t i = 0; i < removed.inputs.size(); ++i)
    removeUse(removed.inputs[i], {id, static_cast<int>(i)});
  removed = Node{};
  m_graph.m_order.remove(id);
  if (m_graph.m_insertionPoint == id) m_graph.m_insertionPoint = {};
}

}  // namespace strata

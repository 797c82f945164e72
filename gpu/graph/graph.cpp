// SPDX-License-Identifier: Apache-2.0
#include "gpu/graph/graph.h"

#include <algorithm>
#include <utility>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

constexpr std::string_view kCategoryNames[] = {"parameter",  "gradient",     "optimizer",
                                               "activation", "input",        "temporary",
                                               "workspace",  "communication"};
constexpr std::string_view kPhaseNames[] = {"forward", "backward", "update"};

std::string subjectOf(const Graph& graph, const OpDef& op) {
  return graph.context.layer.empty() ? op.name : graph.context.layer;
}

/// Checks names and types and adds default values, so that equal nodes have equal attributes.
Attributes completed(const OpDef& op, Attributes given) {
  for (const auto& [name, value] : given.entries()) {
    const auto spec = std::find_if(op.attributes.begin(), op.attributes.end(),
                                   [&](const AttributeSpec& s) { return s.name == name; });
    if (spec == op.attributes.end())
      throw Error(ErrorCode::InvalidArgument, op.name,
                  "op " + op.name + " has no attribute \"" + name + "\".");
    if (spec->defaultValue.index() != value.index())
      throw Error(ErrorCode::InvalidArgument, op.name,
                  "attribute \"" + name + "\" of op " + op.name + " has the wrong type.");
  }
  for (const AttributeSpec& spec : op.attributes) {
    if (given.has(spec.name)) continue;
    if (spec.required)
      throw Error(ErrorCode::InvalidArgument, op.name,
                  "op " + op.name + " needs the attribute \"" + spec.name + "\".");
    given.set(spec.name, copyOf(spec.defaultValue));
  }
  return given;
}

}  // namespace

std::string_view categoryName(Category category) {
  return kCategoryNames[static_cast<size_t>(category)];
}

std::optional<Category> categoryFromName(std::string_view name) {
  for (size_t i = 0; i < std::size(kCategoryNames); ++i)
    if (kCategoryNames[i] == name) return static_cast<Category>(i);
  return std::nullopt;
}

std::string_view phaseName(Phase phase) { return kPhaseNames[static_cast<size_t>(phase)]; }

std::optional<Phase> phaseFromName(std::string_view name) {
  for (size_t i = 0; i < std::size(kPhaseNames); ++i)
    if (kPhaseNames[i] == name) return static_cast<Phase>(i);
  return std::nullopt;
}

NodeId Graph::addNode(const OpDef& op, std::vector<ValueId> inputs, Attributes attributes,
                      std::shared_ptr<const Tensor> payload) {
  const std::string subject = subjectOf(*this, op);
  const int count = static_cast<int>(inputs.size());
  if (count < op.minInputs || (op.maxInputs >= 0 && count > op.maxInputs)) {
    std::string expected = std::to_string(op.minInputs);
    if (op.maxInputs < 0)
      expected += " or more";
    else if (op.maxInputs != op.minInputs)
      expected += " to " + std::to_string(op.maxInputs);
    throw Error(
        ErrorCode::InvalidArgument, subject,
        "[" + op.name + "] got " + std::to_string(count) + " inputs (expected " + expected + ").");
  }
  std::vector<TensorType> types;
  for (ValueId input : inputs) {
    if (!input.isValid() || input.index >= numValues())
      throw Error(ErrorCode::InvalidArgument, subject,
                  "[" + op.name + "] an input does not exist.");
    types.push_back(type(input));
  }
  if (op.infer == nullptr)
    throw Error(ErrorCode::InvalidArgument, subject,
                "[" + op.name + "] can only be created by addInput or addVariable.");
  std::vector<TensorType> results;
  try {
    attributes = completed(op, std::move(attributes));
    results = op.infer(ShapeContext{op, types, attributes, payload.get()});
    for (const TensorType& result : results)
      (void)result.bytes();
  }
  catch (const Error& error) {
    const std::string prefix = "[" + op.name + "] ";
    const std::string what = error.what();
    throw Error(error.code(), subject, what.starts_with(prefix) ? what : prefix + what,
                error.where());
  }
  return append(op, std::move(inputs), std::move(attributes), results, context.category,
                std::move(payload));
}

void Graph::stopped() { throw Error(ErrorCode::Stopped, "compile", "compiling was stopped."); }

NodeId Graph::append(const OpDef& op, std::vector<ValueId> inputs, Attributes attributes,
                     std::span<const TensorType> types, Category category,
                     std::shared_ptr<const Tensor> payload) {
  checkStop();
  const NodeId id{numNodes()};
  Node made;
  made.op = &op;
  made.inputs = std::move(inputs);
  made.attributes = std::move(attributes);
  made.layer = context.layer;
  made.phase = context.phase;
  made.payload = std::move(payload);
  for (size_t i = 0; i < made.inputs.size(); ++i)
    m_values[static_cast<size_t>(made.inputs[i].index)].uses.push_back({id, static_cast<int>(i)});
  for (const TensorType& outputType : types) {
    Value value;
    value.type = outputType;
    value.category = category;
    value.producer = id;
    value.outputIndex = static_cast<int>(made.outputs.size());
    made.outputs.push_back(ValueId{numValues()});
    m_values.push_back(std::move(value));
  }
  m_nodes.push_back(std::move(made));
  m_neighbours.emplace_back();
  link(id, m_insertionPoint);
  return id;
}

void Graph::link(NodeId id, NodeId before) {
  const auto at = [&](NodeId node) -> Neighbours& {
    return m_neighbours[static_cast<size_t>(node.index)];
  };
  at(id) = {before.isValid() ? at(before).previous : m_last, before};
  (at(id).previous.isValid() ? at(at(id).previous).next : m_first) = id;
  (before.isValid() ? at(before).previous : m_last) = id;
  ++m_numLive;
  if (before.isValid())
    m_isOrderStale = true;
  else if (!m_isOrderStale)
    m_order.push_back(id);
}

void Graph::unlink(NodeId id) {
  const Neighbours neighbours = m_neighbours[static_cast<size_t>(id.index)];
  (neighbours.previous.isValid() ? m_neighbours[static_cast<size_t>(neighbours.previous.index)].next
                                 : m_first) = neighbours.next;
  (neighbours.next.isValid() ? m_neighbours[static_cast<size_t>(neighbours.next.index)].previous
                             : m_last) = neighbours.previous;
  --m_numLive;
  m_isOrderStale = true;
}

const std::vector<NodeId>& Graph::order() const {
  if (m_isOrderStale) {
    m_order.clear();
    m_order.reserve(m_numLive);
    for (NodeId id = m_first; id.isValid(); id = m_neighbours[static_cast<size_t>(id.index)].next)
      m_order.push_back(id);
    m_isOrderStale = false;
  }
  return m_order;
}

ValueId Graph::add(const OpDef& op, std::vector<ValueId> inputs, Attributes attributes) {
  return node(addNode(op, std::move(inputs), std::move(attributes))).outputs[0];
}

ValueId Graph::addInput(std::string name, TensorType type) {
  if (findInput(name).isValid())
    throw Error(ErrorCode::InvalidArgument, name,
                "the graph has two inputs named \"" + name + "\". Rename one.");
  const NodeId id =
      append(opNamed("input"), {}, {{"name", name}}, std::span(&type, 1), Category::Input, nullptr);
  m_inputs.push_back({std::move(name), node(id).outputs[0]});
  return m_inputs.back().value;
}

ValueId Graph::addConstant(Tensor tensor) {
  const Category saved = context.category;
  context.category = Category::Temporary;
  const NodeId id =
      addNode(opNamed("constant"), {}, {}, std::make_shared<const Tensor>(std::move(tensor)));
  context.category = saved;
  return node(id).outputs[0];
}

ValueId Graph::addVariable(std::string name, TensorType type, Category category, bool trainable) {
  if (findVariable(name) != nullptr)
    throw Error(ErrorCode::InvalidArgument, name,
                "the graph has two variables named \"" + name + "\". Rename one.");
  const NodeId id = append(opNamed("variable"), {}, {{"name", name}, {"trainable", trainable}},
                           std::span(&type, 1), category, nullptr);
  m_variableAt.emplace(name, m_variables.size());
  m_variables.push_back({std::move(name), node(id).outputs[0], {}, trainable});
  return m_variables.back().value;
}

void Graph::setNext(std::string_view variable, ValueId next) {
  const auto at = m_variableAt.find(std::string(variable));
  if (at == m_variableAt.end())
    throw Error(ErrorCode::InvalidArgument, std::string(variable),
                "the graph has no variable with this name.");
  Variable& entry = m_variables[at->second];
  if (type(next) != type(entry.value))
    throw Error(ErrorCode::ShapeMismatch, entry.name,
                "the next value has type " + type(next).toString() + " (expected " +
                    type(entry.value).toString() + ").");
  const auto index = static_cast<int>(at->second);
  if (entry.next.isValid()) {
    Value& before = m_values[static_cast<size_t>(entry.next.index)];
    --before.names;
    int* link = &before.firstVariable;
    while (*link != index)
      link = &m_variables[static_cast<size_t>(*link)].sameNext;
    *link = entry.sameNext;
  }
  Value& after = m_values[static_cast<size_t>(next.index)];
  ++after.names;
  entry.sameNext = std::exchange(after.firstVariable, index);
  entry.next = next;
}

void Graph::addOutput(std::string name, ValueId value) {
  if (findOutput(name).isValid())
    throw Error(ErrorCode::InvalidArgument, name,
                "the graph has two outputs named \"" + name + "\". Rename one.");
  ++m_values[static_cast<size_t>(value.index)].names;
  m_outputs.push_back({std::move(name), value});
}

void Graph::setOrder(std::vector<NodeId> order) {
  std::vector<int> position(m_nodes.size(), -1);
  for (size_t i = 0; i < order.size(); ++i) {
    const NodeId id = order[i];
    require(id.isValid() && id.index < numNodes() && isAlive(id) &&
                position[static_cast<size_t>(id.index)] < 0,
            "an order names each live node once");
    for (ValueId input : node(id).inputs)
      require(position[static_cast<size_t>(value(input).producer.index)] >= 0,
              "an order is topological");
    position[static_cast<size_t>(id.index)] = static_cast<int>(i);
  }
  require(order.size() == m_numLive, "an order names each live node once");
  m_first = m_last = {};
  m_numLive = 0;
  for (NodeId id : order)
    link(id, {});
  m_order = std::move(order);
  m_isOrderStale = false;
}

const Variable* Graph::findVariable(std::string_view name) const {
  const auto at = m_variableAt.find(std::string(name));
  return at == m_variableAt.end() ? nullptr : &m_variables[at->second];
}

ValueId Graph::findInput(std::string_view name) const {
  for (const NamedValue& entry : m_inputs)
    if (entry.name == name) return entry.value;
  return {};
}

ValueId Graph::findOutput(std::string_view name) const {
  for (const NamedValue& entry : m_outputs)
    if (entry.name == name) return entry.value;
  return {};
}

void Graph::replaceAllUses(ValueId from, ValueId to) {
  if (from == to) return;
  require(type(from) == type(to), "a value is replaced by one of the same type");
  Value& source = m_values[static_cast<size_t>(from.index)];
  Value& target = m_values[static_cast<size_t>(to.index)];
  for (const Use& use : source.uses) {
    m_nodes[static_cast<size_t>(use.node.index)].inputs[static_cast<size_t>(use.operand)] = to;
    target.uses.push_back(use);
  }
  source.uses.clear();
  if (source.names == 0) return;
  target.names += std::exchange(source.names, 0);
  for (NamedValue& output : m_outputs)
    if (output.value == from) output.value = to;
  int last = source.firstVariable;
  if (last < 0) return;
  for (int at = last; at >= 0; at = m_variables[static_cast<size_t>(at)].sameNext) {
    m_variables[static_cast<size_t>(at)].next = to;
    last = at;
  }
  m_variables[static_cast<size_t>(last)].sameNext = target.firstVariable;
  target.firstVariable = std::exchange(source.firstVariable, -1);
}

void Graph::removeUse(ValueId value, Use use) {
  UseList& uses = m_values[static_cast<size_t>(value.index)].uses;
  const auto at = std::find(uses.begin(), uses.end(), use);
  require(at != uses.end(), "uses are consistent");
  uses.erase(at);
}

void Graph::setInput(NodeId id, int operand, ValueId value) {
  ValueId& slot = m_nodes[static_cast<size_t>(id.index)].inputs[static_cast<size_t>(operand)];
  removeUse(slot, {id, operand});
  slot = value;
  m_values[static_cast<size_t>(value.index)].uses.push_back({id, operand});
}

bool Graph::isUsed(ValueId id) const { return !value(id).uses.empty() || value(id).names > 0; }

void Graph::removeNode(NodeId id) {
  Node& removed = m_nodes[static_cast<size_t>(id.index)];
  require(removed.op != nullptr, "a node is removed once");
  require(removed.op->name != "input" && removed.op->name != "variable",
          "inputs and variables are not removed");
  for (ValueId output : removed.outputs)
    require(!isUsed(output), "a removed node is not used");
  for (size_t i = 0; i < removed.inputs.size(); ++i)
    removeUse(removed.inputs[i], {id, static_cast<int>(i)});
  removed = Node{};
  unlink(id);
  if (m_insertionPoint == id) m_insertionPoint = {};
}

}  // namespace strata

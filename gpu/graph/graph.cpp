// SPDX-License-Identifier: Apache-2.0
#include "gpu/graph/graph.h"

#include <algorithm>
#include <utility>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

std::string subjectOf(const Graph& graph, const OpDef& op) {
  return graph.context.layer.empty() ? op.name : graph.context.layer;
}

/// Checks the names and types of attributes, and adds default values. Equal nodes then have equal
/// attributes.
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
  m_order.insert(id, m_insertionPoint);
  return id;
}

ValueId Graph::add(const OpDef& op, std::vector<ValueId> inputs, Attributes attributes) {
  return node(addNode(op, std::move(inputs), std::move(attributes))).outputs[0];
}

ValueId Graph::addInput(std::string name, TensorType type) {
  if (findInput(*this, name).isValid())
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
  const NodeId id = append(opNamed("variable"), {},
                           {{"name", name},
                            {"trainable", trainable},
                            {"axes", std::vector<int64_t>()},
                            {"copy_of", std::string()}},
                           std::span(&type, 1), category, nullptr);
  m_variableAt.emplace(name, m_variables.size());
  m_variables.push_back({std::move(name), node(id).outputs[0], {}, trainable});
  return m_variables.back().value;
}

void Graph::clearNext(size_t index) {
  Variable& entry = m_variables[index];
  if (!entry.next.isValid()) return;
  Value& before = m_values[static_cast<size_t>(entry.next.index)];
  --before.names;
  int* link = &before.firstVariable;
  while (*link != static_cast<int>(index))
    link = &m_variables[static_cast<size_t>(*link)].sameNext;
  *link = std::exchange(entry.sameNext, -1);
  entry.next = {};
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
  clearNext(at->second);
  Value& after = m_values[static_cast<size_t>(next.index)];
  ++after.names;
  entry.sameNext = std::exchange(after.firstVariable, index);
  entry.next = next;
}

void Graph::addOutput(std::string name, ValueId value) {
  if (findOutput(*this, name).isValid())
    throw Error(ErrorCode::InvalidArgument, name,
                "the graph has two outputs named \"" + name + "\". Rename one.");
  ++m_values[static_cast<size_t>(value.index)].names;
  m_outputs.push_back({std::move(name), value});
}

const Variable* Graph::findVariable(std::string_view name) const {
  const auto at = m_variableAt.find(std::string(name));
  return at == m_variableAt.end() ? nullptr : &m_variables[at->second];
}

ValueId findInput(const Graph& graph, std::string_view name) {
  for (const NamedValue& entry : graph.inputs())
    if (entry.name == name) return entry.value;
  return {};
}

ValueId findOutput(const Graph& graph, std::string_view name) {
  for (const NamedValue& entry : graph.outputs())
    if (entry.name == name) return entry.value;
  return {};
}

}  // namespace strata

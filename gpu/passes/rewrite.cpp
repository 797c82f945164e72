// SPDX-License-Identifier: Apache-2.0
#include "gpu/passes/rewrite.h"

#include <algorithm>

#include "gpu/ops/activation_kinds.h"

namespace strata {
namespace {

template <class T>
std::optional<double> splatOf(const Tensor& tensor) {
  const std::span<const T> elements = tensor.as<T>();
  for (const T& element : elements)
    if (!(element == elements[0])) return std::nullopt;
  return static_cast<double>(elements[0]);
}

bool isMergeable(const OpDef& op) {
  return op.kind != OpKind::Update && (op.kind != OpKind::Source || op.infer != nullptr);
}

std::vector<ValueId> sortedOperands(const Node& node, std::vector<ValueId> inputs) {
  if (node.op->isCommutative) std::sort(inputs.begin(), inputs.end());
  return inputs;
}

bool isSamePayload(const Node& a, const Node& b) {
  if (a.payload == b.payload) return true;
  return a.payload && b.payload && a.payload->isBitEqual(*b.payload);
}

}  // namespace

const Node& producerOf(const Graph& graph, ValueId value) {
  return graph.node(graph.value(value).producer);
}

bool hasSingleUse(const Graph& graph, ValueId value) {
  return graph.value(value).uses.size() == 1 && graph.value(value).names == 0;
}

NodeId onlyUser(const Graph& graph, ValueId value) {
  return hasSingleUse(graph, value) ? graph.value(value).uses[0].node : NodeId{};
}

ValueId viewedBy(const Graph& graph, ValueId value) {
  while (producerOf(graph, value).op->kind == OpKind::View)
    value = producerOf(graph, value).inputs[0];
  return value;
}

bool isState(const Graph& graph, ValueId value) {
  const OpDef& source = *producerOf(graph, viewedBy(graph, value)).op;
  return source.kind == OpKind::Update || source.role == OpRole::Variable;
}

int putUpdatesLast(Graph& graph) {
  std::vector<NodeId> head, tail;
  std::vector<char> isAfter(static_cast<size_t>(graph.numNodes()));
  int moved = 0;
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    bool isTail = node.op->kind == OpKind::Update;
    for (ValueId input : node.inputs)
      isTail = isTail || isAfter[static_cast<size_t>(graph.value(input).producer.index)];
    isAfter[static_cast<size_t>(id.index)] = isTail;
    if (!isTail && !tail.empty()) ++moved;
    (isTail ? tail : head).push_back(id);
  }
  if (moved == 0) return 0;
  head.insert(head.end(), tail.begin(), tail.end());
  graph.edit().setOrder(std::move(head));
  return moved;
}

std::optional<double> splatOf(const Graph& graph, ValueId value) {
  const Node& node = producerOf(graph, value);
  if (!node.payload || node.payload->numElements() == 0) return std::nullopt;
  switch (node.payload->dtype()) {
    case DType::F32: return splatOf<float>(*node.payload);
    case DType::F64: return splatOf<double>(*node.payload);
    case DType::I32: return splatOf<int32_t>(*node.payload);
    case DType::I64: return splatOf<int64_t>(*node.payload);
    case DType::U8: return splatOf<uint8_t>(*node.payload);
    case DType::BF16:
    case DType::F16: return splatOf<float>(node.payload->converted(DType::F32));
  }
  return std::nullopt;
}

bool canStandIn(const Graph& graph, ValueId to, ValueId from) {
  const ValueId root = viewedBy(graph, to);
  const Node& source = producerOf(graph, root);
  if (source.op->kind != OpKind::Update && source.op->role != OpRole::Variable) return true;
  // `to` shares memory with a variable, so its bytes are valid only until the next update
  std::vector<NodeId> writers;
  std::vector<ValueId> views{root};
  for (size_t i = 0; i < views.size(); ++i)
    for (const Use& use : graph.value(views[i]).uses) {
      const Node& user = graph.node(use.node);
      if (user.op->kind == OpKind::View)
        views.push_back(user.outputs[0]);
      else if (user.op->kind == OpKind::Update &&
               std::ranges::any_of(sharedPairs(user),
                                   [&](auto pair) { return pair.second == use.operand; }))
        writers.push_back(use.node);
    }
  if (writers.empty()) return true;
  for (const NamedValue& output : graph.outputs())
    if (output.value == from) return false;
  for (const Variable& variable : graph.variables())
    if (variable.next == from) return false;
  bool isWritten = false;
  for (NodeId id : graph.order()) {
    const std::vector<ValueId>& inputs = graph.node(id).inputs;
    if (isWritten && std::find(inputs.begin(), inputs.end(), from) != inputs.end()) return false;
    isWritten = isWritten || std::find(writers.begin(), writers.end(), id) != writers.end();
  }
  return true;
}

void replaceValue(Graph& graph, ValueId from, ValueId to) {
  if (graph.value(from).category == Category::Gradient &&
      graph.value(to).category == Category::Temporary)
    graph.edit().setCategory(to, Category::Gradient);
  graph.edit().replaceAllUses(from, to);
  removeIfUnused(graph, graph.value(from).producer);
}

void removeIfUnused(Graph& graph, NodeId id) {
  std::vector<NodeId> candidates{id};
  while (!candidates.empty()) {
    const NodeId candidate = candidates.back();
    candidates.pop_back();
    if (!graph.isAlive(candidate)) continue;
    const Node& node = graph.node(candidate);
    if (node.op->kind == OpKind::Update || node.op->infer == nullptr) continue;
    if (std::any_of(node.outputs.begin(), node.outputs.end(),
                    [&](ValueId output) { return graph.value(output).isUsed(); }))
      continue;
    for (ValueId input : node.inputs)
      candidates.push_back(graph.value(input).producer);
    graph.edit().removeNode(candidate);
  }
}

bool keepsType(const Graph& graph, const Node& product) {
  return graph.type(product.outputs[0]).dtype == graph.type(product.inputs[0]).dtype;
}

bool isFused(FusedActivations activations, std::string_view kind) {
  switch (activations) {
    case FusedActivations::None: return false;
    case FusedActivations::PiecewiseLinear: return isPiecewiseLinear(kind);
    case FusedActivations::All: return true;
  }
  return false;
}

Graph::Context contextOf(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  return {node.layer, node.phase, graph.value(node.outputs[0]).category};
}

NodeId replacementOf(Graph& graph, NodeId id, std::vector<ValueId> inputs, Attributes attributes) {
  const Node node = graph.node(id);
  NodeId made;
  {
    const ReplacementScope scope(graph, id);
    made = graph.addNode(*node.op, std::move(inputs), std::move(attributes));
  }
  for (size_t i = 0; i < node.outputs.size(); ++i)
    graph.edit().setCategory(graph.node(made).outputs[i], graph.value(node.outputs[i]).category);
  return made;
}

void note(PassReport& report, const Node& node, const std::string& text) {
  ++report.rewrites;
  report.details.push_back((node.layer.empty() ? "" : node.layer + ": ") + text);
}

size_t ComputedNodes::hashOf(const Node& node, const std::vector<ValueId>& inputs) const {
  size_t hash = std::hash<const void*>()(node.op);
  const auto mix = [&](size_t value) {
    hash = (hash ^ value) * 0x100000001b3u;
  };
  for (ValueId input : inputs)
    mix(static_cast<size_t>(input.index));
  for (const auto& [name, value] : node.attributes.entries()) {
    mix(std::hash<std::string>()(name));
    if (const auto* text = std::get_if<std::string>(&value)) mix(std::hash<std::string>()(*text));
    if (const auto* number = std::get_if<int64_t>(&value)) mix(static_cast<size_t>(*number));
    if (const auto* real = std::get_if<double>(&value)) mix(std::hash<double>()(*real));
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value))
      for (int64_t item : *list)
        mix(static_cast<size_t>(item));
  }
  if (node.payload) mix(node.payload->bytes());
  return hash;
}

NodeId ComputedNodes::find(const Node& node, std::vector<ValueId> inputs) const {
  inputs = sortedOperands(node, std::move(inputs));
  const auto [begin, end] = m_nodes.equal_range(hashOf(node, inputs));
  for (auto at = begin; at != end; ++at) {
    const auto& [other, otherInputs] = at->second;
    const Node& known = m_graph.node(other);
    if (known.op == node.op && otherInputs == inputs && known.attributes == node.attributes &&
        isSamePayload(known, node))
      return other;
  }
  return {};
}

NodeId ComputedNodes::findOrRemember(NodeId id) {
  const Node& node = m_graph.node(id);
  if (!isMergeable(*node.op)) return {};
  if (const NodeId known = find(node, node.inputs); known.isValid()) return known;
  std::vector<ValueId> inputs = sortedOperands(node, node.inputs);
  const size_t hash = hashOf(node, inputs);
  m_nodes.emplace(hash, std::pair{id, std::move(inputs)});
  return {};
}

}  // namespace strata

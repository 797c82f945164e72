// SPDX-License-Identifier: Apache-2.0
// Prints graphs. text_parse.cpp parses them.
#include "gpu/graph/text.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <unordered_map>

#include "gpu/graph/op.h"

namespace strata {
namespace {

constexpr int64_t kMaxElements = 4096;

template <class T>
std::string numberText(T value) {
  char buffer[64];
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "nan";
    std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
    if (text.find_first_of(".ein") == std::string::npos) text += ".0";
    return text;
  }
  else {
    return std::string(
        buffer, std::to_chars(buffer, buffer + sizeof buffer, static_cast<int64_t>(value)).ptr);
  }
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7f) {
      constexpr char kDigits[] = "0123456789abcdef";
      result += std::string("\\x") + kDigits[byte >> 4] + kDigits[byte & 15];
    }
    else
      result += c;
  }
  return result + "\"";
}

std::string attributeText(const AttributeValue& value) {
  if (const bool* b = std::get_if<bool>(&value)) return *b ? "true" : "false";
  if (const int64_t* i = std::get_if<int64_t>(&value)) return numberText(*i);
  if (const double* d = std::get_if<double>(&value)) return numberText(*d);
  if (const std::string* s = std::get_if<std::string>(&value)) return quoted(*s);
  std::string text = "[";
  for (int64_t i : std::get<std::vector<int64_t>>(value))
    text += (text.size() > 1 ? "," : "") + numberText(i);
  return text + "]";
}

template <class T>
std::string payloadText(const Tensor& tensor) {
  const std::span<const T> elements = tensor.as<T>();
  bool isSplat = !elements.empty();
  for (const T& element : elements)
    isSplat = isSplat && std::memcmp(&element, &elements[0], sizeof(T)) == 0;
  if (isSplat) return "splat " + numberText(elements[0]);
  if (tensor.numElements() > kMaxElements) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (std::byte b : std::span(tensor.data(), tensor.bytes()))
      hash = (hash ^ static_cast<uint64_t>(b)) * 0x100000001b3u;
    char buffer[32];
    return "hash " +
           std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, hash, 16).ptr);
  }
  std::string text = "data [";
  for (size_t i = 0; i < elements.size(); ++i)
    text += (i > 0 ? "," : "") + numberText(elements[i]);
  return text + "]";
}

std::string payloadText(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::F32: return payloadText<float>(tensor);
    case DType::F64: return payloadText<double>(tensor);
    case DType::I32: return payloadText<int32_t>(tensor);
    case DType::I64: return payloadText<int64_t>(tensor);
    case DType::U8: return payloadText<uint8_t>(tensor);
    // Each number of these types is a float, too
    case DType::BF16:
    case DType::F16: return payloadText<float>(tensor.converted(DType::F32));
  }
  return {};
}

class Printer {
 public:
  explicit Printer(const Graph& graph) : m_graph(graph) {}

  std::string run() {
    m_text = "strata-graph 1\n";
    for (NodeId id : m_graph.order())
      printNode(m_graph.node(id));
    for (const Variable& variable : m_graph.variables())
      if (variable.next.isValid())
        m_text += "next " + quoted(variable.name) + " = " + name(variable.next) + "\n";
    for (const NamedValue& output : m_graph.outputs())
      m_text += "output " + quoted(output.name) + " = " + name(output.value) + "\n";
    return std::move(m_text);
  }

 private:
  /// Returns the name of a value. Values are numbered in the order in which they are printed, so
  /// removed nodes do not change the text.
  std::string name(ValueId id) {
    return "%" + std::to_string(m_numbers.try_emplace(id, m_numbers.size()).first->second);
  }

  template <class Items, class Text>
  void printList(const Items& items, const char* separator, Text text) {
    bool isFirst = true;
    for (const auto& item : items) {
      if (!isFirst) m_text += separator;
      isFirst = false;
      m_text += text(item);
    }
  }

  void printNode(const Node& node) {
    std::string operands;
    for (ValueId input : node.inputs)
      operands += (operands.empty() ? "" : ", ") + name(input);
    printList(node.outputs, ", ", [&](ValueId id) { return name(id); });
    m_text += " = " + node.op->name + "(" + operands + ")";
    if (const std::string text = attributesText(node); !text.empty()) m_text += " " + text;
    if (node.payload) m_text += " " + payloadText(*node.payload);
    m_text += " : ";
    printList(node.outputs, ", ", [&](ValueId id) { return m_graph.type(id).toString(); });
    m_text += " !";
    printList(node.outputs, ",",
              [&](ValueId id) { return std::string(categoryName(m_graph.value(id).category)); });
    if (!node.layer.empty()) m_text += " @" + quoted(node.layer);
    if (node.op->kind != OpKind::Source || node.phase != Phase::Forward)
      m_text += " " + std::string(phaseName(node.phase));
    m_text += "\n";
  }

  const Graph& m_graph;
  std::string m_text;
  std::unordered_map<ValueId, size_t> m_numbers;
};

std::string dotEscaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return result;
}

}  // namespace

std::string attributesText(const Node& node) {
  std::string text;
  Attributes withSlices;
  if (node.slices != 1) {
    withSlices = node.attributes;
    withSlices.set("slices", node.slices);
  }
  const Attributes& printed = node.slices == 1 ? node.attributes : withSlices;
  for (const auto& [attribute, value] : printed.entries()) {
    bool isDefault = false;
    for (const AttributeSpec& spec : node.op->attributes)
      isDefault |= spec.name == attribute && !spec.required && spec.defaultValue == value;
    if (!isDefault) text += (text.empty() ? "" : ", ") + attribute + "=" + attributeText(value);
  }
  return text.empty() ? text : "{" + text + "}";
}

std::string printGraph(const Graph& graph) { return Printer(graph).run(); }

std::string toDot(const Graph& graph) {
  // Indexed by phase
  constexpr const char* kColors[] = {"#dbe9f6", "#fde5cf", "#dcefdc"};
  std::string text =
      "digraph strata {\n  rankdir=TB;\n  node [shape=box, style=filled, "
      "fontname=\"sans-serif\"];\n";
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    std::string label = node.op->name;
    if (node.op->infer == nullptr) label = dotEscaped(node.attributes.get<std::string>("name"));
    if (!node.layer.empty()) label += "\\n" + dotEscaped(node.layer);
    text +=
        "  n" + std::to_string(id.index) + " [label=\"" + label + "\", fillcolor=\"" +
        (node.op->kind == OpKind::Source ? "#eeeeee" : kColors[static_cast<size_t>(node.phase)]) +
        "\"" + (node.op->kind == OpKind::Source ? ", shape=ellipse" : "") + "];\n";
    for (ValueId input : node.inputs)
      text += "  n" + std::to_string(graph.value(input).producer.index) + " -> n" +
              std::to_string(id.index) + " [label=\"" + graph.type(input).toString() + "\"];\n";
  }
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    const NamedValue& output = graph.outputs()[i];
    text += "  o" + std::to_string(i) + " [label=\"" + dotEscaped(output.name) +
            "\", shape=ellipse, fillcolor=\"#ffffff\"];\n";
    text += "  n" + std::to_string(graph.value(output.value).producer.index) + " -> o" +
            std::to_string(i) + " [label=\"" + graph.type(output.value).toString() + "\"];\n";
  }
  return text + "}\n";
}

}  // namespace strata

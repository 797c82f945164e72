// SPDX-License-Identifier: Apache-2.0
// Parses the text form of a graph. The text may come from users, so sizes are checked before memory
// is allocated, and every error has a line and column. Categories, layer and phase are optional,
// and so are types, except those of sources. The default types are the results of the shape rules.
// The default category is `input` for inputs, `parameter` for variables, `temporary` for constants
// and `activation` for other values. The default layer is "", and the default phase is `forward`.
#include <charconv>
#include <cstring>
#include <map>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"
#include "gpu/graph/verify.h"

namespace strata {
namespace {

constexpr size_t kMaxConstantBytes = size_t{256} << 20;
constexpr size_t kMaxNodes = 1'000'000;

class Parser {
 public:
  explicit Parser(std::string_view text) : m_text(text) {}

  Graph run() {
    if (word() != "strata-graph" || (skipSpaces(), word()) != "1")
      fail(0, "the text does not begin with \"strata-graph 1\".");
    endLine();
    while (skipBlankLines(), m_at < m_text.size())
      line();
    try {
      verify(m_graph);
    }
    catch (const Error& error) {
      fail(m_at, error.what());
    }
    return std::move(m_graph);
  }

 private:
  [[noreturn]] void fail(size_t at, const std::string& message) const {
    size_t row = 1, start = 0;
    for (size_t i = 0; i < at && i < m_text.size(); ++i)
      if (m_text[i] == '\n') {
        ++row;
        start = i + 1;
      }
    const std::string place =
        "line " + std::to_string(row) + ", column " + std::to_string(at - start + 1);
    throw Error(ErrorCode::InvalidFile, place, "graph text, " + place + ": " + message);
  }

  // --- Tokens
  char peek() const { return m_at < m_text.size() ? m_text[m_at] : '\0'; }
  void skipSpaces() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r')
      ++m_at;
  }
  bool takes(char c) {
    skipSpaces();
    if (peek() != c) return false;
    ++m_at;
    return true;
  }
  void expect(char c) {
    if (!takes(c)) fail(m_at, std::string("expected '") + c + "', got " + nextText() + ".");
  }
  std::string nextText() const {
    if (m_at >= m_text.size()) return "the end";
    if (peek() == '\n') return "the end of the line";
    return std::string("'") + peek() + "'";
  }
  static bool isWordCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  }
  std::string_view word() {
    skipSpaces();
    const size_t begin = m_at;
    while (isWordCharacter(peek()))
      ++m_at;
    return m_text.substr(begin, m_at - begin);
  }
  void skipBlankLines() {
    for (;;) {
      skipSpaces();
      if (peek() == '#')
        while (m_at < m_text.size() && peek() != '\n')
          ++m_at;
      if (peek() != '\n') return;
      ++m_at;
    }
  }
  void endLine() {
    skipSpaces();
    if (peek() == '#')
      while (m_at < m_text.size() && peek() != '\n')
        ++m_at;
    if (m_at < m_text.size() && peek() != '\n') fail(m_at, "expected the end of the line.");
  }
  std::string string() {
    expect('"');
    std::string result;
    for (;;) {
      const char c = peek();
      if (m_at >= m_text.size() || c == '\n') fail(m_at, "the closing quote is missing.");
      ++m_at;
      if (c == '"') return result;
      if (c != '\\') {
        result += c;
        continue;
      }
      const char escaped = peek();
      ++m_at;
      if (escaped == '"' || escaped == '\\') {
        result += escaped;
        continue;
      }
      unsigned byte = 0;
      const char* first = m_text.data() + std::min(m_at, m_text.size());
      const char* last = m_text.data() + std::min(m_at + 2, m_text.size());
      if (escaped != 'x' || last - first != 2 || std::from_chars(first, last, byte, 16).ptr != last)
        fail(m_at - 2, "unknown escape (expected \\\", \\\\ or \\xNN).");
      result += static_cast<char>(byte);
      m_at += 2;
    }
  }
  std::string_view numberToken() {
    skipSpaces();
    const size_t begin = m_at;
    while (isWordCharacter(peek()) || peek() == '.' || peek() == '+')
      ++m_at;
    if (begin == m_at) fail(begin, "expected a number.");
    return m_text.substr(begin, m_at - begin);
  }
  template <class T>
  T number() {
    const std::string_view token = numberToken();
    T value{};
    if constexpr (std::is_same_v<T, uint8_t>) {
      unsigned wide = 0;
      const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), wide);
      if (error != std::errc{} || end != token.data() + token.size() || wide > 255)
        fail(m_at - token.size(), "\"" + std::string(token) + "\" is not a number from 0 to 255.");
      value = static_cast<T>(wide);
    }
    else {
      const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
      if (error != std::errc{} || end != token.data() + token.size())
        fail(m_at - token.size(),
             "\"" + std::string(token) + "\" is not a number of the type expected here.");
    }
    return value;
  }

  // --- Parts of a line
  int valueNumber() {
    expect('%');
    return number<int>();
  }
  ValueId definedValue() {
    skipSpaces();
    const size_t at = m_at;
    const auto found = m_values.find(valueNumber());
    if (found == m_values.end()) fail(at, "this value is used before it is defined.");
    return found->second;
  }
  std::vector<int64_t> intList() {
    expect('[');
    std::vector<int64_t> result;
    if (takes(']')) return result;
    do
      result.push_back(number<int64_t>());
    while (takes(','));
    expect(']');
    return result;
  }
  TensorType tensorType() {
    skipSpaces();
    const size_t at = m_at;
    const std::string_view name = word();
    const std::optional<DType> dtype = dtypeFromName(name);
    if (!dtype)
      fail(at, "unknown dtype \"" + std::string(name) + "\" (expected f32, f64, i32, i64 or u8).");
    const std::vector<int64_t> dims = intList();
    try {
      const TensorType type{*dtype, Shape(std::span<const int64_t>(dims))};
      if (type.shape.numElements() > INT64_MAX / 8)
        fail(at, "the shape has too many elements to fit in memory.");
      return type;
    }
    catch (const Error& error) {
      if (error.code() == ErrorCode::InvalidFile) throw;
      fail(at, error.what());
    }
  }

  AttributeValue attributeValue(const OpDef& op, const std::string& name, size_t at) {
    const AttributeSpec* spec = nullptr;
    for (const AttributeSpec& candidate : op.attributes)
      if (candidate.name == name) spec = &candidate;
    if (spec == nullptr) fail(at, "op " + op.name + " has no attribute \"" + name + "\".");
    if (std::holds_alternative<std::string>(spec->defaultValue)) return string();
    if (std::holds_alternative<std::vector<int64_t>>(spec->defaultValue)) return intList();
    if (std::holds_alternative<int64_t>(spec->defaultValue)) return number<int64_t>();
    if (std::holds_alternative<double>(spec->defaultValue)) return number<double>();
    skipSpaces();
    const size_t valueAt = m_at;
    const std::string_view token = word();
    if (token != "true" && token != "false") fail(valueAt, "expected true or false.");
    return token == "true";
  }

  /// Parses the attributes of a node, and Node::slices among them into `slices`.
  Attributes attributes(const OpDef& op, int64_t& slices) {
    Attributes result;
    slices = 1;
    bool hasSlices = false;
    if (!takes('{')) return result;
    if (takes('}')) return result;
    do {
      skipSpaces();
      const size_t at = m_at;
      const std::string name(word());
      const bool isSlices = name == "slices";
      if (isSlices ? hasSlices : result.has(name))
        fail(at, "attribute \"" + name + "\" is given twice.");
      expect('=');
      if (!isSlices) {
        result.set(name, attributeValue(op, name, at));
        continue;
      }
      hasSlices = true;
      slices = number<int64_t>();
      if (slices < 1) fail(at, "slices is " + std::to_string(slices) + " (expected 1 or more).");
    } while (takes(','));
    expect('}');
    return result;
  }

  /// The elements of a constant as text, because they precede its type in the line.
  struct Payload {
    bool isSplat = false;
    // The position and the text of each element
    std::vector<std::pair<size_t, std::string_view>> tokens;
  };

  Payload payload() {
    Payload result;
    skipSpaces();
    const size_t at = m_at;
    const std::string_view kind = word();
    const auto token = [&] {
      skipSpaces();
      const size_t tokenAt = m_at;
      result.tokens.emplace_back(tokenAt, numberToken());
    };
    if (kind == "splat") {
      result.isSplat = true;
      token();
    }
    else if (kind == "data") {
      expect('[');
      if (takes(']')) return result;
      do
        token();
      while (takes(','));
      expect(']');
    }
    else if (kind == "hash") {
      fail(at, "this constant was too large to print in full; its elements are not in the text.");
    }
    else {
      fail(at, "a constant needs \"splat NUMBER\" or \"data [NUMBERS]\".");
    }
    return result;
  }

  template <class T>
  void fill(Tensor& tensor, const Payload& payload) {
    const size_t end = m_at;
    const std::span<T> elements = tensor.as<T>();
    for (size_t i = 0; i < elements.size(); ++i) {
      if (payload.isSplat && i > 0) {
        elements[i] = elements[0];
        continue;
      }
      m_at = payload.tokens[i].first;
      elements[i] = number<T>();
    }
    m_at = end;
  }

  Tensor constantTensor(const TensorType& type, const Payload& payload, size_t at) {
    if (type.bytes() > kMaxConstantBytes)
      fail(at, "a constant of " + type.toString() + " is too large for a graph text.");
    const auto count = static_cast<size_t>(type.shape.numElements());
    if (!payload.isSplat && payload.tokens.size() != count)
      fail(at, "the constant has " + std::to_string(payload.tokens.size()) +
                   " elements, its type " + type.toString() + " needs " + std::to_string(count) +
                   ".");
    Tensor tensor(type);
    switch (type.dtype) {
      case DType::F32: fill<float>(tensor, payload); break;
      case DType::F64: fill<double>(tensor, payload); break;
      case DType::I32: fill<int32_t>(tensor, payload); break;
      case DType::I64: fill<int64_t>(tensor, payload); break;
      case DType::U8: fill<uint8_t>(tensor, payload); break;
      case DType::BF16:
      case DType::F16: {
        Tensor wide(DType::F32, type.shape);
        fill<float>(wide, payload);
        return wide.converted(type.dtype);
      }
    }
    return tensor;
  }

  struct Suffix {
    size_t typesAt = 0;
    std::vector<TensorType> types;
    std::vector<Category> categories;
    std::string layer;
    Phase phase = Phase::Forward;
  };

  Suffix suffix() {
    Suffix result;
    skipSpaces();
    result.typesAt = m_at;
    if (takes(':')) {
      do {
        skipSpaces();
        if (result.types.empty()) result.typesAt = m_at;
        result.types.push_back(tensorType());
      } while (takes(','));
    }
    if (takes('!')) {
      do {
        skipSpaces();
        const size_t at = m_at;
        const std::optional<Category> category = categoryFromName(word());
        if (!category)
          fail(at,
               "unknown category (expected parameter, gradient, optimizer, activation, input, "
               "temporary, workspace or communication).");
        result.categories.push_back(*category);
      } while (takes(','));
    }
    if (takes('@')) result.layer = string();
    skipSpaces();
    const size_t at = m_at;
    if (const std::string_view phase = word(); !phase.empty()) {
      const std::optional<Phase> known = phaseFromName(phase);
      if (!known)
        fail(at, "unknown phase \"" + std::string(phase) +
                     "\" (expected forward, backward or update).");
      result.phase = *known;
    }
    return result;
  }

  // --- Lines
  void line() {
    skipSpaces();
    if (peek() == '%') return nodeLine();
    const size_t at = m_at;
    const std::string_view kind = word();
    if (kind != "next" && kind != "output")
      fail(at, "expected a node (%N = op(...)), next or output.");
    const std::string name = string();
    expect('=');
    const ValueId value = definedValue();
    endLine();
    try {
      if (kind == "next")
        m_graph.setNext(name, value);
      else
        m_graph.addOutput(name, value);
    }
    catch (const Error& error) {
      fail(at, error.what());
    }
  }

  void nodeLine() {
    std::vector<std::pair<size_t, int>> names;
    do {
      skipSpaces();
      names.emplace_back(m_at, 0);
      names.back().second = valueNumber();
    } while (takes(','));
    expect('=');
    skipSpaces();
    const size_t opAt = m_at;
    const std::string opName(word());
    const OpDef* op = nullptr;
    try {
      op = &opNamed(opName);
    }
    catch (const Error& error) {
      fail(opAt, error.what());
    }
    std::vector<ValueId> operands;
    expect('(');
    if (!takes(')')) {
      do
        operands.push_back(definedValue());
      while (takes(','));
      expect(')');
    }
    int64_t slices = 1;
    const Attributes given = attributes(*op, slices);
    const bool isConstant = op->role == OpRole::Constant;
    const Payload elements = isConstant ? payload() : Payload{};
    const Suffix rest = suffix();
    endLine();
    if (static_cast<size_t>(m_graph.numNodes()) >= kMaxNodes)
      fail(opAt, "the graph has more than a million nodes.");
    const std::vector<ValueId> made =
        makeNode(*op, opAt, std::move(operands), given, elements, rest);
    if (!made.empty()) m_graph.edit().mutableNode(m_graph.value(made[0]).producer).slices = slices;
    if (made.size() != names.size())
      fail(names[0].first, "op " + op->name + " has " + std::to_string(made.size()) +
                               " outputs, but " + std::to_string(names.size()) + " are named.");
    if (!rest.types.empty()) {
      if (rest.types.size() != made.size())
        fail(rest.typesAt, "expected " + std::to_string(made.size()) + " types.");
      for (size_t i = 0; i < made.size(); ++i)
        if (rest.types[i] != m_graph.type(made[i]))
          fail(rest.typesAt,
               "the type is " + rest.types[i].toString() +
                   " (expected by the shape rule: " + m_graph.type(made[i]).toString() + ").");
    }
    if (rest.categories.size() != 1 && rest.categories.size() != made.size() &&
        !rest.categories.empty())
      fail(rest.typesAt, "expected one category per output.");
    for (size_t i = 0; i < made.size() && !rest.categories.empty(); ++i)
      m_graph.edit().setCategory(made[i], rest.categories[rest.categories.size() == 1 ? 0 : i]);
    for (size_t i = 0; i < made.size(); ++i)
      if (!m_values.emplace(names[i].second, made[i]).second)
        fail(names[i].first, "value %" + std::to_string(names[i].second) + " is defined twice.");
  }

  std::vector<ValueId> makeNode(const OpDef& op, size_t opAt, std::vector<ValueId> operands,
                                const Attributes& given, const Payload& elements,
                                const Suffix& rest) {
    const Scope scope(m_graph, rest.layer, rest.phase, Category::Activation);
    if (op.kind == OpKind::Source && !operands.empty()) fail(opAt, "a source has no operands.");
    if (op.kind == OpKind::Source && rest.types.size() != 1)
      fail(rest.typesAt, "a source needs one type after ':'.");
    try {
      if (op.role == OpRole::Input)
        return {m_graph.addInput(given.get<std::string>("name"), rest.types[0])};
      if (op.role == OpRole::Variable) return {parsedVariable(given, rest.types[0])};
      if (op.role == OpRole::Constant)
        return {m_graph.addConstant(constantTensor(rest.types[0], elements, rest.typesAt))};
      return m_graph.node(m_graph.addNode(op, std::move(operands), given)).outputs;
    }
    catch (const Error& error) {
      if (error.code() == ErrorCode::InvalidFile) throw;
      fail(opAt, error.what());
    }
  }

  ValueId parsedVariable(const Attributes& given, const TensorType& type) {
    const ValueId value = m_graph.addVariable(given.get<std::string>("name"), type,
                                              Category::Parameter, given.getOr("trainable", false));
    Node& node = m_graph.edit().mutableNode(m_graph.value(value).producer);
    for (const char* name : {"axes", "copy_of"})
      if (const AttributeValue* attribute = given.find(name))
        node.attributes.set(name, copyOf(*attribute));
    return value;
  }

  std::string_view m_text;
  size_t m_at = 0;
  Graph m_graph;
  std::map<int, ValueId> m_values;
};

}  // namespace

Graph parseGraph(std::string_view text) { return Parser(text).run(); }

}  // namespace strata

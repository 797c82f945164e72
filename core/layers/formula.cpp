// SPDX-License-Identifier: Apache-2.0
// Parses formulas by recursive descent with this grammar:
//   comparison = sum [(< | <= | > | >= | == | !=) sum]
//   sum = product {(+ | -) product}
//   product = sign {(* | /) sign}
//   sign = (- | +) sign | power
//   power = atom [^ sign]
//   atom = number | name | function "(" [comparison {, comparison}] ")" | "(" comparison ")"
#include "core/layers/formula.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "core/project/text.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

constexpr size_t kMaxFormulaLength = 4000;
constexpr int kMaxFormulaDepth = 100;

using FormulaFunction = ValueId (*)(Graph&, const std::vector<ValueId>&);

struct FunctionRow {
  size_t count;
  FormulaFunction build;
};

template <ValueId (*kUnary)(Graph&, ValueId)>
ValueId one(Graph& g, const std::vector<ValueId>& x) {
  return kUnary(g, x[0]);
}
template <ValueId (*kBinary)(Graph&, ValueId, ValueId)>
ValueId two(Graph& g, const std::vector<ValueId>& x) {
  return kBinary(g, x[0], x[1]);
}

const std::map<std::string, FunctionRow, std::less<>>& formulaTable() {
  using X = const std::vector<ValueId>&;
  static const std::map<std::string, FunctionRow, std::less<>> table = {
      {"exp", {1, one<exp>}},
      {"expm1", {1, one<expm1>}},
      {"log", {1, one<log>}},
      {"log1p", {1, one<log1p>}},
      {"sqrt", {1, one<sqrt>}},
      {"rsqrt", {1, one<rsqrt>}},
      {"square", {1, one<square>}},
      {"abs", {1, one<abs>}},
      {"sign", {1, one<sign>}},
      {"sin", {1, one<sin>}},
      {"cos", {1, one<cos>}},
      {"erf", {1, one<erf>}},
      {"floor", {1, one<floor>}},
      {"tanh",
       {1,
        [](Graph& g, X x) {
          return activation(g, x[0], "tanh");
        }}},
      {"sigmoid",
       {1,
        [](Graph& g, X x) {
          return activation(g, x[0], "sigmoid");
        }}},
      {"relu",
       {1,
        [](Graph& g, X x) {
          return activation(g, x[0], "relu");
        }}},
      {"gelu",
       {1,
        [](Graph& g, X x) {
          return activation(g, x[0], "gelu");
        }}},
      {"silu",
       {1,
        [](Graph& g, X x) {
          return activation(g, x[0], "silu");
        }}},
      {"softplus",
       {1,
        [](Graph& g, X x) {
          return activation(g, x[0], "softplus");
        }}},
      {"min", {2, two<minimum>}},
      {"max", {2, two<maximum>}},
      {"pow", {2, two<power>}},
      {"where",
       {3,
        [](Graph& g, X x) {
          return select(g, x[0], x[1], x[2]);
        }}},
      {"clip",
       {3,
        [](Graph& g, X x) {
          return minimum(g, maximum(g, x[0], x[1]), x[2]);
        }}},
  };
  return table;
}

class FormulaReader {
 public:
  FormulaReader(Graph& graph, const std::string& text,
                const std::function<ValueId(const std::string&)>& value)
      : m_graph(graph), m_text(text), m_value(value) {}

  ValueId read() {
    if (m_text.size() > kMaxFormulaLength)
      fail(FormulaProblem::Kind::TooLong, std::to_string(m_text.size()),
           std::to_string(kMaxFormulaLength));
    const ValueId result = comparison();
    if (!atEnd()) unexpected("the end or an operator");
    return result;
  }

 private:
  [[noreturn]] void fail(FormulaProblem::Kind kind, std::string found, std::string expected,
                         size_t place = std::string::npos) const {
    throw FormulaProblem{kind, (place == std::string::npos ? m_at : place) + 1, std::move(found),
                         std::move(expected)};
  }
  [[noreturn]] void unexpected(std::string expected) {
    skip();
    fail(FormulaProblem::Kind::Unexpected,
         m_at < m_text.size() ? m_text.substr(m_at, std::max<size_t>(1, utf8Length(m_text, m_at)))
                              : "the end",
         std::move(expected));
  }

  void skip() {
    while (m_at < m_text.size() &&
           (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\n'))
      ++m_at;
  }
  bool atEnd() {
    skip();
    return m_at >= m_text.size();
  }
  bool take(std::string_view token) {
    skip();
    if (m_text.compare(m_at, token.size(), token) != 0) return false;
    m_at += token.size();
    return true;
  }

  ValueId comparison() {
    const ValueId left = sum();
    if (take("<=")) return lessEqual(m_graph, left, sum());
    if (take(">=")) return greaterEqual(m_graph, left, sum());
    if (take("==")) return equal(m_graph, left, sum());
    if (take("!=")) return notEqual(m_graph, left, sum());
    if (take("<")) return less(m_graph, left, sum());
    if (take(">")) return greater(m_graph, left, sum());
    return left;
  }

  ValueId sum() {
    ValueId result = product();
    for (;;) {
      if (take("+"))
        result = add(m_graph, result, product());
      else if (take("-"))
        result = subtract(m_graph, result, product());
      else
        return result;
    }
  }

  ValueId product() {
    ValueId result = signedValue();
    for (;;) {
      if (take("*"))
        result = multiply(m_graph, result, signedValue());
      else if (take("/"))
        result = divide(m_graph, result, signedValue());
      else
        return result;
    }
  }

  ValueId signedValue() {
    if (++m_depth > kMaxFormulaDepth) unexpected("fewer nested signs, powers and brackets");
    ValueId result;
    if (take("-"))
      result = negate(m_graph, signedValue());
    else if (take("+"))
      result = signedValue();
    else
      result = powers();
    --m_depth;
    return result;
  }

  ValueId powers() {
    const ValueId base = atom();
    if (!take("^")) return base;
    skip();
    const size_t start = m_at;
    const ValueId exponent = signedValue();
    const std::string_view written = std::string_view(m_text).substr(start, m_at - start);
    // Squares and cubes are products, which also work for negative bases
    if (written == "2") return square(m_graph, base);
    if (written == "3") return multiply(m_graph, base, square(m_graph, base));
    return power(m_graph, base, exponent);
  }

  ValueId atom() {
    skip();
    if (take("(")) {
      const ValueId inner = comparison();
      if (!take(")")) unexpected(")");
      return inner;
    }
    const char c = m_at < m_text.size() ? m_text[m_at] : '\0';
    if ((c >= '0' && c <= '9') || c == '.') return number();
    if (isNameStart(c)) return named();
    unexpected("a number, a name or a bracket");
  }

  ValueId number() {
    double value = 0;
    const char* const end = m_text.data() + m_text.size();
    const auto [rest, error] = std::from_chars(m_text.data() + m_at, end, value);
    if (error == std::errc::invalid_argument) unexpected("a number");
    const size_t start = std::exchange(m_at, static_cast<size_t>(rest - m_text.data()));
    if (error != std::errc() || !std::isfinite(static_cast<float>(value)))
      fail(FormulaProblem::Kind::Unexpected,
           excerpt(std::string_view(m_text).substr(start, m_at - start), 60),
           "a number in the range of float32", start);
    return constantScalar(m_graph, DType::F32, value);
  }

  static bool isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  ValueId named() {
    const size_t start = m_at;
    while (m_at < m_text.size() &&
           (isNameStart(m_text[m_at]) || (m_text[m_at] >= '0' && m_text[m_at] <= '9')))
      ++m_at;
    const std::string name = m_text.substr(start, m_at - start);
    if (!take("(")) {
      if (name == "pi") return constantScalar(m_graph, DType::F32, 3.14159265358979323846);
      const ValueId value = m_value(name);
      if (!value.isValid()) fail(FormulaProblem::Kind::UnknownName, excerpt(name, 60), "", start);
      return value;
    }
    const auto row = formulaTable().find(name);
    if (row == formulaTable().end())
      fail(FormulaProblem::Kind::UnknownFunction, excerpt(name, 60), "", start);
    std::vector<ValueId> arguments;
    if (!take(")")) {
      do
        arguments.push_back(comparison());
      while (take(","));
      if (!take(")")) unexpected(") or ,");
    }
    if (arguments.size() != row->second.count)
      fail(FormulaProblem::Kind::WrongCount,
           name + " with " + counted(static_cast<int64_t>(arguments.size()), "argument"),
           std::to_string(row->second.count), start);
    return row->second.build(m_graph, arguments);
  }

  Graph& m_graph;
  const std::string& m_text;
  const std::function<ValueId(const std::string&)>& m_value;
  size_t m_at = 0;
  int m_depth = 0;
};

}  // namespace

const std::vector<std::string>& formulaFunctions() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> result;
    for (const auto& [name, row] : formulaTable())
      result.push_back(name);
    return result;
  }();
  return names;
}

ValueId appendFormula(Graph& graph, const std::string& text,
                      const std::function<ValueId(const std::string&)>& value) {
  return FormulaReader(graph, text, value).read();
}

}  // namespace strata

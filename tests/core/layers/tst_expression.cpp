// SPDX-License-Identifier: Apache-2.0
// Tests the values of formulas, their gradients against central differences, and the errors that
// invalid formulas cause.
#include <doctest/doctest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/compile/compile.h"
#include "core/layers/formula.h"
#include "gpu/autodiff/autodiff.h"
#include "gpu/ops/build.h"
#include "gpu/reference/evaluate.h"

using namespace strata;

namespace {

/// Returns the value of a formula in x and a, and its derivative with respect to x.
std::pair<double, double> valueOf(const std::string& formula, double x, double a) {
  Graph g;
  const ValueId xs = g.addInput("x", {DType::F32, Shape{1}}),
                as = g.addInput("a", {DType::F32, {}});
  const ValueId y = appendFormula(g, formula, [&](const std::string& name) {
    return name == "x" ? xs : name == "a" ? as : ValueId();
  });
  const ValueId sum = sumAll(g, broadcastTo(g, y, {1}));
  g.addOutput("y", sum);
  const GradientSeed seed{sum, {}};
  const std::vector<ValueId> gradients = differentiate(g, {&seed, 1}, {&xs, 1});
  if (gradients[0].isValid()) g.addOutput("dx", gradients[0]);
  const auto outputs =
      evaluateGraph(g,
                    {{"x", Tensor::from<float>({1}, std::vector<float>{static_cast<float>(x)})},
                     {"a", Tensor::scalar(static_cast<float>(a))}},
                    {})
          .outputs;
  return {static_cast<double>(outputs.at("y").as<float>()[0]),
          outputs.contains("dx") ? static_cast<double>(outputs.at("dx").as<float>()[0]) : 0.0};
}

std::string problemOf(const char* fields, Shape shape = {4, 3}) {
  Json layer = {{"type", "Expression"}, {"name", "f"}},
       input = {{"type", "Input"}, {"name", "in"}, {"shape", Json::array()}};
  for (const int64_t size : shape.dims())
    input["shape"].push_back(size);
  const Json given = Json::parse(fields);
  for (const auto& [key, value] : given.items())
    layer[key] = value;
  const Project project(Json{{"model", {{"layers", {input, layer}}}}});
  Diagnostics diagnostics;
  const Model model = parseModel(project, diagnostics);
  summarizeModel(model, project, 2, diagnostics);
  std::string text;
  for (const auto& each : diagnostics)
    text += each.code + "|" + each.field + "|" + each.line() + "\n";
  return text;
}

}  // namespace

TEST_SUITE("expression") {
  TEST_CASE("formulas have the right precedence, functions and derivatives") {
    struct Row {
      const char* formula;
      double (*expected)(double, double);
    };
    const Row rows[] = {
        {"x",
         [](double x, double) {
           return x;
         }},
        {"1 + 2 * x - a / 4",
         [](double x, double a) {
           return 1 + 2 * x - a / 4;
         }},
        {"-x^2 + 2^3^0.5",
         [](double x, double) {
           return -x * x + std::pow(2, std::sqrt(3));
         }},
        {"(x + a) * (x - a)",
         [](double x, double a) {
           return (x + a) * (x - a);
         }},
        {"x * sigmoid(a * x)",
         [](double x, double a) {
           return x / (1 + std::exp(-a * x));
         }},
        {"tanh(x) + sin(x) * cos(a) + erf(x)",
         [](double x, double a) {
           return std::tanh(x) + std::sin(x) * std::cos(a) + std::erf(x);
         }},
        {"exp(-x ^ 2 / 2) / sqrt(2 * pi)",
         [](double x, double) {
           return std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
         }},
        {"where(x > 0.25, log(x + 1), a * x)",
         [](double x, double a) {
           return x > 0.25 ? std::log(x + 1) : a * x;
         }},
        {"max(x, a) + min(x, 0.1) + clip(x, -0.5, 0.5)",
         [](double x, double a) {
           return std::max(x, a) + std::min(x, 0.1) + std::clamp(x, -0.5, 0.5);
         }},
        {"pow(abs(x) + 1, 1.5) + softplus(x) + relu(x) + silu(x)",
         [](double x, double) {
           return std::pow(std::abs(x) + 1, 1.5) + std::log1p(std::exp(x)) + std::max(x, 0.0) +
                  x / (1 + std::exp(-x));
         }},
        {"1e-1 * x + .5 - -x",
         [](double x, double) {
           return 0.1 * x + 0.5 + x;
         }},
    };
    for (const Row& row : rows)
      for (const double x : {-0.8, 0.4, 0.9}) {
        CAPTURE(row.formula);
        CAPTURE(x);
        constexpr double kAway = 1e-4, kA = 0.7;
        const auto [value, slope] = valueOf(row.formula, x, kA);
        CHECK(value == doctest::Approx(row.expected(x, kA)).epsilon(1e-5));
        CHECK(slope == doctest::Approx((row.expected(x + kAway, kA) - row.expected(x - kAway, kA)) /
                                       (2 * kAway))
                           .epsilon(1e-3));
      }
  }

  TEST_CASE("errors name the layer, the field, the place and what was expected") {
    CHECK(problemOf(R"({"formula": "x * y"})") ==
          "invalid_formula|formula|f: error at character 5 of the formula (expected x, x1, got y). "
          "Correct it.\n");
    CHECK(problemOf(R"({"formula": "x + "})")
              .find("error at character 5 of the formula (expected a number, a name or a bracket, "
                    "got the end)") != std::string::npos);
    CHECK(problemOf(R"({"formula": "(x"})").find("expected )") != std::string::npos);
    CHECK(problemOf(R"_({"formula": "tahn(x)"})_")
              .find("error at character 1 of the formula (expected ") != std::string::npos);
    CHECK(problemOf(R"_({"formula": "max(x)"})_")
              .find("(expected 2 arguments, got max with 1 argument)") != std::string::npos);
    CHECK(problemOf(R"({"formula": "x x"})").find("character 3") != std::string::npos);
    CHECK(problemOf(R"({"formula": ""})").starts_with("invalid_formula|formula|"));
    CHECK(problemOf(R"({"formula": "a", "parameters": ["x"]})")
              .starts_with("invalid_name|parameters|"));
    CHECK(problemOf(R"({"formula": "a", "parameters": ["a", "b"], "initial_values": [1, 2, 3]})")
              .starts_with("shape_mismatch|initial_values|f: initial_values has 3 numbers for 2 "
                           "parameters (expected one number, or one per parameter)"));
    CHECK(problemOf(R"({"formula": "a", "parameters": ["a", "b"], "initial_values": [1, 2]})")
              .empty());
    CHECK(problemOf(R"({"formula": "x", "initial_values": [1, 2]})")
              .starts_with("shape_mismatch|initial_values|"));
    CHECK(problemOf(R"({"formula": "x"})").empty());
    CHECK(problemOf(R"({"formula": "a", "parameters": ["a", "b", "a"]})") ==
          "invalid_name|parameters|f: parameters lists a twice (expected each name once). Remove "
          "one of them.\n");
    CHECK(problemOf(R"({"formula": "a", "parameters": ["a", "b", "c"], "initial_values": [1, 2]})")
              .starts_with("shape_mismatch|initial_values|"));
    CHECK(problemOf(("{\"formula\": \"" + std::string(3000, '(') + "\"}").c_str())
              .starts_with("invalid_formula|formula|"));
    CHECK(problemOf(("{\"formula\": \"" + std::string(3000, '-') + "x\"}").c_str())
              .starts_with("invalid_formula|formula|"));
    CHECK(problemOf(R"({"formula": "a * x", "parameters": ["a"]})").empty());
  }

  TEST_CASE("errors quote non-finite numbers, letters of other scripts and long texts correctly") {
    for (const char* number : {"1e999", "1e39", "1e-999"})
      CHECK(problemOf((R"({"formula": "x * )" + std::string(number) + R"( + 1"})").c_str()) ==
            "invalid_formula|formula|f: error at character 5 of the formula (expected a number in "
            "the "
            "range of float32, got " +
                std::string(number) + "). Correct it.\n");
    CHECK(problemOf(R"({"formula": "x * 1e38 + 1e-40"})").empty());
    CHECK(problemOf(R"({"formula": "x * ж"})") ==
          "invalid_formula|formula|f: error at character 5 of the formula (expected a number, a "
          "name or a "
          "bracket, got ж). Correct it.\n");
    CHECK(problemOf(R"({"formula": "x 学 2"})") ==
          "invalid_formula|formula|f: error at character 3 of the formula (expected the end or an "
          "operator, got 学). Correct it.\n");
    CHECK(problemOf(R"({"formula": "x", "parameters": ["学"]})")
              .starts_with("invalid_name|parameters|f: the parameter 学 has an invalid name"));
    const std::string name(3000, 'q'), digits(3000, '9');
    for (const std::string& text : {name, name + "(x)", digits, "x + " + std::string(5000, '1')}) {
      const std::string problem = problemOf(("{\"formula\": \"" + text + "\"}").c_str());
      CAPTURE(problem);
      CHECK(problem.starts_with("invalid_formula|formula|"));
      CHECK(problem.size() < 500);
    }
    CHECK(
        problemOf(("{\"formula\": \"x + " + std::string(5000, '1') + "\"}").c_str()) ==
        "invalid_formula|formula|f: the formula is 5004 bytes long (expected at most 4000). Split "
        "it into several layers.\n");
    CHECK(problemOf((R"({"formula": "x", "parameters": ["1)" + name + "\"]}").c_str()).size() <
          300);
  }
}

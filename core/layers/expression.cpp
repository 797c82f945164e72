// SPDX-License-Identifier: Apache-2.0
// Expression computes an element-wise formula that the user writes. It parses the formula and never
// loads code.
// Formula: as written. x, y, z or x1, x2, ... are the inputs; the names in `parameters` are
//   weights.
// Inputs: [N, ...], with shapes that broadcast.
// Output: the broadcast shape of the inputs.
// Variables: one for each parameter, [] or, with `per_channel`, [C].
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: invalid_formula with the position of the character, invalid_name, shape_mismatch.
// Source: Strata.
#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/formula.h"
#include "core/layers/layer.h"
#include "core/project/text.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

std::string joinedNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool isFormulaName(const std::string& name) {
  const auto isLetter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && isLetter(name[0]) && std::all_of(name.begin(), name.end(), [&](char c) {
    return isLetter(c) || (c >= '0' && c <= '9');
  });
}

[[noreturn]] void failFormula(const LayerContext& context, const FormulaProblem& problem,
                              const std::map<std::string, ValueId, std::less<>>& names) {
  std::vector<std::string> known;
  for (const auto& [name, value] : names)
    known.push_back(name);
  std::string expected = problem.expected;
  if (problem.kind == FormulaProblem::Kind::UnknownName) expected = joinedNames(known);
  if (problem.kind == FormulaProblem::Kind::UnknownFunction)
    expected = joinedNames(formulaFunctions());
  if (problem.kind == FormulaProblem::Kind::WrongCount)
    context.fail(
        "invalid_formula", "formula",
        STRATA_TEXT(
            "problem",
            "error at character %1 of the formula (expected %3 arguments, got %2). Correct it."),
        {std::to_string(problem.place), problem.found, expected});
  if (problem.kind == FormulaProblem::Kind::TooLong)
    context.fail(
        "invalid_formula", "formula",
        STRATA_TEXT(
            "problem",
            "the formula is %1 bytes long (expected at most %2). Split it into several layers."),
        {problem.found, expected});
  context.fail(
      "invalid_formula", "formula",
      STRATA_TEXT("problem",
                  "error at character %1 of the formula (expected %3, got %2). Correct it."),
      {std::to_string(problem.place), problem.found, expected});
}

ValueId lowerExpression(LayerContext& context) {
  Graph& g = context.graph;
  std::map<std::string, ValueId, std::less<>> names;
  Shape wide = context.inputShape();
  constexpr const char* kShort[] = {"x", "y", "z"};
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    const ValueId x = context.floatInput(static_cast<int>(i));
    const auto both = broadcastShapes(wide, context.inputShape(static_cast<int>(i)));
    if (!both || context.inputShape(static_cast<int>(i)).rank() != context.inputShape().rank())
      context.fail("shape_mismatch", "inputs",
                   STRATA_TEXT("problem",
                               "the input %1 has the shape %2 (expected %3, the shape of %4). Make "
                               "the two shapes equal."),
                   {context.inputNames[i],
                    shapeWithoutBatch(context.inputShape(static_cast<int>(i))).toString(),
                    shapeWithoutBatch(context.inputShape()).toString(), context.inputNames[0]});
    wide = *both;
    if (i < std::size(kShort)) names[kShort[i]] = x;
    names["x" + std::to_string(i + 1)] = x;
  }
  const auto parameters = context.fields.at("parameters").get<std::vector<std::string>>();
  auto starts = context.fields.at("initial_values").get<std::vector<double>>();
  if (starts.size() == 1) starts.resize(parameters.size(), starts[0]);
  if (starts.size() != parameters.size())
    context.fail("shape_mismatch", "initial_values",
                 STRATA_TEXT("problem",
                             "initial_values has %1 numbers for %2 parameters (expected one "
                             "number, or one per parameter). Change initial_values."),
                 {std::to_string(starts.size()), std::to_string(parameters.size())});
  const Shape shape = context.boolean("per_channel") ? Shape{wide[wide.rank() - 1]} : Shape{};
  const auto& functions = formulaFunctions();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const std::string& name = parameters[i];
    if (std::count(parameters.begin(), parameters.end(), name) > 1)
      context.fail(
          "invalid_name", "parameters",
          STRATA_TEXT("problem",
                      "parameters lists %1 twice (expected each name once). Remove one of them."),
          {excerpt(name, 60)});
    if (!isFormulaName(name) || names.contains(name) || name == "pi" ||
        std::find(functions.begin(), functions.end(), name) != functions.end())
      context.fail("invalid_name", "parameters",
                   STRATA_TEXT("problem",
                               "the parameter %1 has an invalid name (expected letters and digits, "
                               "and not the name of an input or function). Rename it."),
                   {excerpt(name, 60)});
    names[name] = context.variable(name, shape, "constant");
    context.variables.back().initializer.numbers["value"] = starts[i];
  }
  ValueId y;
  try {
    y = appendFormula(g, context.string("formula"), [&](const std::string& name) {
      const auto found = names.find(name);
      return found == names.end() ? ValueId() : found->second;
    });
  }
  catch (const FormulaProblem& problem) {
    failFormula(context, problem, names);
  }
  return g.shape(y) == wide ? y : broadcastTo(g, y, wide);
}

}  // namespace

const LayerDef& expressionLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "Expression",
           .group = "Structure",
           .help = STRATA_TEXT("layers", "Custom element-wise formula with trainable parameters"),
           .formula = "as written; x, y, z are the inputs; + - * / ^, comparisons, exp, log, sqrt, "
                      "tanh, sigmoid, min, max, where, ...",
           .source = "Strata",
           .fields = {{.name = "formula",
                       .type = FieldType::String,
                       .exampleJson = "\"x * sigmoid(a * x)\"",
                       .help = STRATA_TEXT(
                           "layers",
                           "Formula of the inputs x, y, z (or x1, x2, ...) and the parameters"),
                       .title = STRATA_TEXT("layers", "Formula")},
                      {.name = "parameters",
                       .type = FieldType::StringList,
                       .defaultJson = "[]",
                       .exampleJson = "[\"a\"]",
                       .help = STRATA_TEXT("layers", "Names of the trainable parameters"),
                       .title = STRATA_TEXT("layers", "Parameters")},
                      {.name = "initial_values",
                       .type = FieldType::NumberList,
                       .defaultJson = "[1.0]",
                       .help = STRATA_TEXT(
                           "layers",
                           "Initial values of the parameters: one number for all, or one for each"),
                       .title = STRATA_TEXT("layers", "Initial values")},
                      switchField(
                          "per_channel", "false",
                          STRATA_TEXT("layers",
                                      "Separate parameters for each channel (the last dimension)"),
                          STRATA_TEXT("layers", "Per channel"))}},
      .maxInputs = -1,
      .ports = {"x", "y", "z"},
      .lower = lowerExpression,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata

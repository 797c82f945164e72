// SPDX-License-Identifier: Apache-2.0
// Tests the problems of layers with wrong fields, inputs or shapes: each error names the layer, the
// field and what was expected.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/layers/layer.h"
#include "core/layers/objects.h"
#include "core/model/model.h"
#include "tests/core/layers/layer_rows.h"

using namespace strata;
using test::jsonOf;
using test::LayerRow;
using test::layerRows;
using test::layersOf;
using test::projectOf;

namespace {

/// Returns the fields of the errors about the layer "own". Each error must say what was expected,
/// and also the actual value if `hasValue` is set.
std::set<std::string> fieldsInError(const Json& layers, bool hasValue) {
  std::set<std::string> fields;
  for (const Diagnostic& each : validate(projectOf(layers))) {
    if (each.severity != Severity::Error || each.layer.substr(0, 3) != "own") continue;
    const std::string text = formatText(each.message, each.arguments);
    CAPTURE(text);
    CHECK(text.find("expected") != std::string::npos);
    if (hasValue) CHECK(text.find("got") != std::string::npos);
    fields.insert(each.field.substr(each.field.rfind('/') + 1));
  }
  return fields;
}

/// Returns a value of a type that the field does not accept.
Json wrongValue(const FieldSchema& field) {
  switch (field.type) {
    case FieldType::Integer:
    case FieldType::Number: return "three";
    case FieldType::Boolean: return "yes";
    case FieldType::String: return 7;
    case FieldType::Choice: return "no such choice";
    case FieldType::Object: return 7.5;
    default: return Json{{"nonsense", 1}};
  }
}

/// Returns the problems of a network with an Input "x" of this shape and the layer.
Diagnostics problemsOf(const char* shape, const char* layer) {
  Diagnostics diagnostics;
  const Project project = projectOf(Json::array(
      {{{"type", "Input"}, {"name", "x"}, {"shape", Json::parse(shape)}}, Json::parse(layer)}));
  summarizeModel(parseModel(project, diagnostics), project, 2, diagnostics);
  return diagnostics;
}

/// Checks that the layer has one problem with this code, whose text starts with `text`.
void checkProblem(const char* shape, const char* layer, const char* code, const char* text) {
  CAPTURE(layer);
  const Diagnostics diagnostics = problemsOf(shape, layer);
  REQUIRE(diagnostics.size() == 1);
  CHECK(diagnostics[0].code == code);
  CHECK(diagnostics[0].line().starts_with(text));
}

}  // namespace

TEST_SUITE("layer problems") {
  TEST_CASE("a wrong type, value, input or rank is an error that says what was expected") {
    for (const LayerRow& row : layerRows()) {
      const std::string type = row.type;
      CAPTURE(type);
      if (type == "Input") continue;
      const Json good = layersOf(row, jsonOf(row.input));
      REQUIRE(fieldsInError(good, false).empty());
      for (const FieldSchema& field : findLayer(type)->schema.fields) {
        CAPTURE(field.name);
        const auto with = [&](const Json& value) {
          Json layers = good;
          layers[1][field.name] = value;
          return fieldsInError(layers, true);
        };
        if (field.name != "layers") CHECK(with(wrongValue(field)).contains(field.name));
        const bool isWhole = field.type == FieldType::Integer;
        if (!isWhole && field.type != FieldType::Number) continue;
        if (field.minimum)
          CHECK(with(isWhole ? Json(static_cast<int64_t>(*field.minimum) - 1)
                             : Json(*field.minimum - 1))
                    .contains(field.name));
        if (field.maximum && *field.maximum < 1e15)
          CHECK(with(isWhole ? Json(static_cast<int64_t>(*field.maximum) + 1)
                             : Json(*field.maximum * 2 + 1))
                    .contains(field.name));
      }
      Json withoutInput = good, withUnknownInput = good;
      withoutInput[1]["inputs"] = Json::array();
      withUnknownInput[1]["inputs"] = Json::array({"nothing"});
      CHECK_FALSE(fieldsInError(withoutInput, false).empty());
      CHECK_FALSE(fieldsInError(withUnknownInput, false).empty());
      // These shapes may be wrong for the layer. Errors must then say what was expected.
      for (const int64_t size : {0, 1, 2, 40}) {
        Json equal = Json::array(), more = jsonOf(row.input), fewer = more;
        for (int i = 0; i < row.input.rank(); ++i)
          equal.push_back(size);
        more.push_back(size);
        if (!fewer.empty()) fewer.erase(fewer.size() - 1);
        for (const Json& shape : {equal, more, fewer})
          fieldsInError(layersOf(row, shape), false);
      }
    }
  }

  TEST_CASE("SpectralNormalization offers exactly the layers that it accepts") {
    const std::vector<const Schema*> offered =
        schemasOf(*findLayer("SpectralNormalization")->schema.field("layer"));
    const std::vector<LayerRow>& rows = layerRows();
    for (const Schema* schema : wrappableSchemas()) {
      if (findLayer(schema->type)->minInputs > 1) continue;
      const auto row = std::find_if(rows.begin(), rows.end(), [&](const LayerRow& each) {
        return each.type == schema->type;
      });
      REQUIRE(row != rows.end());
      CAPTURE(schema->type);
      Json inner = Json::parse(row->fields);
      inner["type"] = row->type;
      Json layers = layersOf(*row, jsonOf(row->input));
      layers[1] = {{"type", "SpectralNormalization"},
                   {"name", "own"},
                   {"layer", inner},
                   {"inputs", layers[1]["inputs"]}};
      const bool isAccepted = fieldsInError(layers, false).empty(),
                 isOffered = std::find(offered.begin(), offered.end(), schema) != offered.end();
      CHECK(isAccepted == isOffered);
    }
  }

  TEST_CASE("an equation with spaces is an error, as in Keras") {
    checkProblem(
        "[3]",
        R"({"type": "EinsumDense", "name": "own", "equation": "ab, bc -> ac", "output_shape": 2})",
        "out_of_range",
        "own: the equation is \"ab, bc -> ac\" (expected "
        "the form input,weights->output without spaces, such as");
  }

  TEST_CASE("a Dot whose result has too many dimensions is an error") {
    const Diagnostics diagnostics = problemsOf(
        "[2, 2, 2, 2, 2]", R"({"type": "Dot", "name": "own", "axes": -1, "inputs": ["x", "x"]})");
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].code == "shape_mismatch");
    CHECK(diagnostics[0].line() ==
          "own: the output would have 9 dimensions (expected at most 8). Insert a Reshape or "
          "Flatten before this layer.");
  }

  TEST_CASE("an axis that is listed twice is an error where Keras refuses it") {
    const auto checkAxis = [](const char* layer, const char* text) {
      checkProblem("[3, 4]", layer, "out_of_range", text);
    };
    checkAxis(R"({"type": "LayerNormalization", "name": "own", "axis": [2, -1]})",
              "own: axis lists dimension 2 twice");
    checkAxis(R"({"type": "Softmax", "name": "own", "axis": [1, 1]})",
              "own: axis lists dimension 1 twice");
    checkAxis(R"({"type": "UnitNormalization", "name": "own", "axis": [1, -2]})",
              "own: axis lists dimension 1 twice");
    CHECK(
        problemsOf("[3, 4]", R"({"type": "PReLU", "name": "own", "shared_axes": [1, 1]})").empty());
  }

  TEST_CASE("bin boundaries that decrease are an error, and equal ones are not") {
    checkProblem("[3, 4]",
                 R"({"type": "Discretization", "name": "own", "bin_boundaries": [0, 2, 1]})",
                 "out_of_range",
                 "own: bin_boundaries is [0,2,1] (expected increasing numbers, such as [0, 1, 2]). "
                 "Sort them.");
    CHECK(problemsOf("[3, 4]",
                     R"({"type": "Discretization", "name": "own", "bin_boundaries": [0, 1, 1]})")
              .empty());
  }
}

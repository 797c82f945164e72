// SPDX-License-Identifier: Apache-2.0
// Tests every layer of the registry: its schema, and the shape, weights and multiply-adds of its
// rows in layer_rows_table.cpp.
#include <doctest/doctest.h>

#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/objects.h"
#include "core/model/model.h"
#include "tests/core/layers/layer_rows.h"

using namespace strata;

TEST_SUITE("layers") {
  TEST_CASE("every layer of the registry has a row, help texts and a complete schema") {
    std::set<std::string> rows, seen;
    for (const test::LayerRow& row : test::layerRows())
      rows.insert(row.type);
    for (const LayerDef* definition : allLayers()) {
      const Schema& schema = definition->schema;
      CAPTURE(schema.type);
      CHECK(rows.contains(schema.type));
      CHECK(seen.insert(schema.type).second);
      CHECK(findLayer(schema.type) == definition);
      CHECK_FALSE(schema.help.isEmpty());
      CHECK_FALSE(schema.group.empty());
      CHECK_FALSE(schema.formula.empty());
      CHECK_FALSE(schema.source.empty());
      CHECK(static_cast<bool>(definition->lower));
      CHECK(static_cast<int>(definition->ports.size()) >= definition->minInputs);
      std::set<std::string> names;
      for (const FieldSchema& field : schema.fields) {
        CAPTURE(field.name);
        CHECK(names.insert(field.name).second);
        CHECK_FALSE(field.help.isEmpty());
        CHECK_FALSE(field.title.isEmpty());
        CHECK((field.type != FieldType::Choice || !field.choices.empty()));
        CHECK((field.type != FieldType::Object || !objectsOf(field).empty()));
        CHECK((field.type != FieldType::Integer ||
               (field.minimum && (field.maximum || field.isNullable))));
        // The default and the example must pass the field's check. Each field needs one of them as
        // the value in a new layer.
        for (const std::string& json : {field.defaultJson, field.exampleJson}) {
          if (json.empty()) continue;
          Diagnostics diagnostics;
          checkField(field, Json::parse(json), "/f", "layer", diagnostics);
          CHECK(diagnostics.empty());
        }
        CHECK_FALSE((field.defaultJson.empty() && field.exampleJson.empty()));
      }
      CHECK(names.contains("trainable"));
      CHECK(names.contains("device"));
      CHECK(schemaToJson(schema)["fields"].size() == schema.fields.size());
    }
  }

  TEST_CASE("every row has the expected output shape, weights and multiply-adds") {
    for (const test::LayerRow& row : test::layerRows()) {
      CAPTURE(row.type);
      CAPTURE(row.fields);
      REQUIRE(findLayer(row.type) != nullptr);
      Diagnostics diagnostics;
      const Project project = test::projectOf(test::layersOf(row, test::jsonOf(row.input)));
      const Model model = parseModel(project, diagnostics);
      const ModelSummary summary = summarizeModel(model, project, 2, diagnostics);
      for (const Diagnostic& each : diagnostics)
        MESSAGE(each.line());
      CHECK(diagnostics.empty());
      const LayerSummary& last = summary.layers.back();
      REQUIRE(last.isKnown);
      CHECK(last.outputShape->toString() == row.output.toString());
      CHECK(last.parameters == row.parameters);
      CHECK(last.multiplyAdds == row.multiplyAdds);
    }
  }

  TEST_CASE("the variables of a layer have Keras's names, fans, initializers and regularizers") {
    Graph graph;
    const Json shape = Json::parse(
        R"({"shape": [9, 8, 4], "dtype": "float32", "trainable": true, "learning_rate_factor": 1.0})");
    const LoweredLayer image = lowerLayer(graph, {*findLayer("Input"), "image", shape, {}, {}});
    Diagnostics diagnostics;
    const Json fields = checkFields(
        findLayer("Conv2D")->schema,
        Json::parse(
            R"({"filters": 6, "kernel_size": [3, 5], "kernel_regularizer": {"type": "l2", "factor": 0.02}, "bias_initializer": "ones", "learning_rate_factor": 0.5})"),
        "/l", "conv", diagnostics);
    CHECK(diagnostics.empty());
    const LoweredLayer conv =
        lowerLayer(graph, {*findLayer("Conv2D"), "conv", fields, {image.value}, {"image"}});
    REQUIRE(conv.variables.size() == 2);
    const VariableRequest &kernel = conv.variables[0], &bias = conv.variables[1];
    CHECK(kernel.name == "conv/kernel");
    CHECK(kernel.shape.toString() == "[3,5,4,6]");
    CHECK(kernel.fanIn == 60);
    CHECK(kernel.fanOut == 90);
    CHECK(kernel.regularizer.l2 == 0.02);
    CHECK(kernel.learningRateFactor == 0.5);
    CHECK(kernel.initializer.type == "glorot_uniform");
    CHECK(bias.name == "conv/bias");
    CHECK(bias.initializer.type == "ones");
    CHECK(graph.node(graph.value(conv.value).producer).layer == "conv");
  }
}

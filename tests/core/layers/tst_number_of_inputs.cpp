// SPDX-License-Identifier: Apache-2.0
// Tests every layer with different numbers of inputs, alone and inside each layer that wraps other
// layers. Each network must have a reported problem or a known shape.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/layers/layer.h"
#include "core/model/model.h"
#include "gpu/base/error.h"
#include "tests/support/diagnostic_lines.h"
#include "tests/support/has.h"

using namespace strata;

namespace {

constexpr size_t kMaxInputs = 4;

/// Returns a layer with example values for its fields.
Json layerOf(const LayerDef& definition) {
  Json layer{{"type", definition.schema.type}};
  for (const FieldSchema& field : definition.schema.fields)
    if (!field.exampleJson.empty()) layer[field.name] = parseJson(field.exampleJson, field.name);
  return layer;
}

Json named(Json layer, const char* name) {
  layer["name"] = name;
  return layer;
}

Json blockOf(const Json& layer) {
  return {{"type", "Block"}, {"layers", Json::array({named(layer, "inside")})}};
}

/// Returns the layer alone and inside each layer that wraps other layers.
std::vector<Json> usesOf(const LayerDef& definition) {
  const Json own = layerOf(definition);
  Json repeated = blockOf(own);
  repeated["repeat"] = 2;
  return {own,
          blockOf(own),
          repeated,
          blockOf(blockOf(own)),
          {{"type", "Bidirectional"}, {"layer", own}},
          {{"type", "TimeDistributed"}, {"layer", own}},
          {{"type", "SpectralNormalization"}, {"layer", own}},
          blockOf({{"type", "TimeDistributed"}, {"layer", own}})};
}

/// Returns a project with `inputs` Input layers of the given shape and the layer "taker". If
/// isListed is set, "taker" lists all Input layers as its inputs.
Project projectOf(const Json& layer, size_t inputs, const Json& shape, bool isListed) {
  Json layers = Json::array(), names = Json::array();
  for (size_t i = 0; i < inputs; ++i) {
    names.push_back("x" + std::to_string(i));
    layers.push_back({{"type", "Input"}, {"name", names.back()}, {"shape", shape}});
  }
  Json taker = named(layer, "taker");
  if (isListed) taker["inputs"] = names;
  layers.push_back(taker);
  return Project(
      Json{{"format", "strata-project"},
           {"version", 1},
           {"data",
            {{"source", {{"type", "random"}, {"samples", 4}, {"shape", shape}, {"classes", 2}}}}},
           {"model", {{"layers", layers}}},
           {"training", {{"loss", "mean_squared_error"}, {"optimizer", "sgd"}}}});
}

bool isReportedFor(const Diagnostics& diagnostics, const std::string& layer) {
  for (const Diagnostic& each : diagnostics)
    if (each.severity == Severity::Error &&
        (each.layer == layer || each.layer.starts_with(layer + "/")))
      return true;
  return false;
}

const std::vector<Json> kShapes{Json::array({8}), Json::array({6, 4}), Json::array({4, 4, 3}),
                                Json::array({4, 6, 6, 2})};

}  // namespace

TEST_SUITE("number of inputs") {
  TEST_CASE("a network with any layer and 0 to 4 inputs has a reported problem or a known shape") {
    int problems = 0, shapes = 0;
    for (const LayerDef* definition : allLayers()) {
      size_t next = 0;
      for (const Json& layer : usesOf(*definition)) {
        for (size_t inputs = 0; inputs <= kMaxInputs; ++inputs) {
          const Json& shape = kShapes[next++ % kShapes.size()];
          for (const bool isListed : {true, false}) {
            if (!isListed && inputs > 1) continue;
            const Project project = projectOf(layer, inputs, shape, isListed);
            CAPTURE(printJson(project.document()["model"]));
            Inspection found;
            REQUIRE_NOTHROW(found = inspectProject(project));
            const bool isReported = isReportedFor(found.diagnostics, "taker"),
                       isShaped = found.summary.layers.back().outputShape.has_value();
            CHECK((isReported || isShaped));
            ++(isShaped ? shapes : problems);
          }
        }
      }
    }
    CHECK(problems > 1000);
    CHECK(shapes > 300);
  }

  TEST_CASE(
      "lowering a layer with 0 to 4 inputs fails with a problem of the layer, or gives a value") {
    for (const LayerDef* definition : allLayers()) {
      // A Block is lowered together with its layers.
      if (definition->schema.type == "Block") continue;
      Diagnostics ignored;
      const Json fields =
          checkFields(definition->schema, layerOf(*definition), "", "layer", ignored, {"type"});
      CAPTURE(definition->schema.type);
      for (const StepMode mode : {StepMode::Train, StepMode::Predict}) {
        for (const Json& shape : kShapes) {
          for (size_t inputs = 0; inputs <= kMaxInputs; ++inputs) {
            Graph graph;
            std::vector<int64_t> dims = shape.get<std::vector<int64_t>>();
            dims.insert(dims.begin(), 3);
            std::vector<ValueId> values;
            for (size_t i = 0; i < inputs; ++i)
              values.push_back(graph.addInput("x" + std::to_string(i), {DType::F32, Shape(dims)}));
            try {
              const LoweredLayer lowered =
                  lowerLayer(graph, {*definition, "layer", fields, values, {}, mode, 3});
              CHECK(definition->takes(inputs));
              CHECK(graph.shape(lowered.value).rank() > 0);
            }
            catch (const LayerProblem& problem) {
              CHECK(problem.diagnostic().layer == "layer");
              if (definition->takes(inputs)) continue;
              CHECK(problem.diagnostic().code == (static_cast<int>(inputs) < definition->minInputs
                                                      ? "missing_input"
                                                      : "too_many_inputs"));
            }
          }
        }
      }
    }
  }

  TEST_CASE("a layer's access to its inputs is checked") {
    Graph graph;
    const Json fields = Json::object();
    LayerContext context(graph, StepMode::Predict, "pair", fields,
                         {graph.addInput("x", {DType::F32, {2, 3}})});
    CHECK(context.inputShape() == Shape{2, 3});
    const auto expectProblem = [&](const std::function<void()>& read) {
      try {
        read();
        FAIL_CHECK("not refused");
      }
      catch (const Error& error) {
        CHECK(error.subject() == "pair");
        CHECK(has(error.what(), "expected at least 2, got 1"));
      }
    };
    expectProblem([&] { context.inputShape(1); });
    expectProblem([&] { context.floatInput(1); });
    expectProblem([&] { context.requireRank(2, 1); });
    expectProblem([&] { (void)context.inputs[1]; });
  }

  TEST_CASE("a Block whose first layer needs more inputs than the Block has one problem") {
    for (const char* type :
         {"Attention", "AdditiveAttention", "MultiHeadAttention", "GroupQueryAttention", "Dot"}) {
      const Json layer = layerOf(*findLayer(type));
      for (const Json& block : {blockOf(layer), blockOf(blockOf(layer))}) {
        const Diagnostics found =
            inspectProject(projectOf(block, 1, Json::array({6, 4}), false)).diagnostics;
        CAPTURE(linesWithPointers(found));
        int missing = 0;
        for (const Diagnostic& each : found)
          if (each.code == "missing_input") {
            ++missing;
            CHECK(each.layer == "taker");
            CHECK(has(each.line(), "expected at least 2"));
          }
        CHECK(missing == 1);
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/model/model.h"
#include "core/project/edit.h"

using namespace strata;

namespace {

Json documentOf(const std::string& layers) { return Json{{"model", {{"layers", parseJson("[" + layers + "]", "layers")}}}}; }

const char* const kChain = R"({"type": "Input", "name": "x", "shape": [8]}, {"type": "Dense", "name": "a", "units": 8},
  {"type": "Dense", "name": "b", "units": 8}, {"type": "Add", "name": "c", "inputs": ["a", "b"]}, {"type": "Dense", "name": "d", "units": 3, "inputs": ["c"]})";

/// What is learned, by layer and shape of the output.
std::string figures(const Json& document) {
  Diagnostics diagnostics;
  const Project project(document);
  const Model model = parseModel(project, diagnostics);
  const ModelSummary summary = summarizeModel(model, project, 4, diagnostics);
  for (const auto& each : diagnostics) FAIL_CHECK(each.line());
  return std::to_string(summary.parameters) + " " + std::to_string(summary.multiplyAdds) + " " +
         summary.layers.back().outputShape.value_or(Shape()).toString();
}

}  // namespace

TEST_SUITE("block edits") {
  TEST_CASE("group, ungroup, and undo of both") {
    const Json before = documentOf(kChain);
    Json document = before;
    const ProjectEdit undoGroup = applyEdit(document, groupLayersEdit(document, {"a", "b", "c"}));
    const Json& layers = document["model"]["layers"];
    REQUIRE(layers.size() == 3);
    CHECK(layers[1]["type"] == "Block");
    CHECK(layers[1]["layers"].size() == 3);
    CHECK(layers[2]["inputs"][0] == layers[1]["name"]);
    CHECK(figures(document) == figures(before));
    Json again = document;
    applyEdit(again, ungroupBlockEdit(again, "block"));
    CHECK(figures(again) == figures(before));
    CHECK(again["model"]["layers"].size() == 5);
    CHECK(again["model"]["layers"][3]["name"] == "c");
    applyEdit(document, undoGroup);
    CHECK(printJson(document) == printJson(before));
  }

  TEST_CASE("a repeated block is written out with names of its own, frozen and slowed as it was") {
    Json document = documentOf(kChain);
    applyEdit(document, groupLayersEdit(document, {"b", "a", "c"}));
    Json& block = document["model"]["layers"][1];
    block["repeat"] = 3;
    block["trainable"] = false;
    block["learning_rate_factor"] = 0.5;
    const std::string wanted = figures(document);
    applyEdit(document, ungroupBlockEdit(document, "block"));
    CHECK(figures(document) == wanted);
    const Json& layers = document["model"]["layers"];
    REQUIRE(layers.size() == 11);
    CHECK(layers[4]["name"] == "a_2");
    CHECK(layers[6]["inputs"] == Json::array({"a_2", "b_2"}));
    CHECK(layers[10]["inputs"] == Json::array({"c_3"}));
    CHECK(layers[5]["trainable"] == false);
    CHECK(layers[5]["learning_rate_factor"] == 0.5);
  }

  TEST_CASE("what cannot be a block, and why") {
    const Json document = documentOf(kChain);
    const auto whyNot = [&](const std::vector<std::string>& names) {
      try {
        groupLayersEdit(document, names);
      } catch (const Error& error) { return error.subject() + ": " + error.what(); }
      return std::string("it can");
    };
    CHECK(whyNot({}).find("no layers are selected") != std::string::npos);
    CHECK(whyNot({"a", "c"}).find("do not follow each other") != std::string::npos);
    CHECK(whyNot({"x", "a"}).find("an Input cannot be in a Block") != std::string::npos);
    CHECK(whyNot({"a", "b"}).find("only the last layer of a Block gives its output") != std::string::npos);
    CHECK(whyNot({"b", "c"}).find("it takes \"a\" from outside") != std::string::npos);
    CHECK(whyNot({"d"}) == "it can");
    CHECK_THROWS_AS(ungroupBlockEdit(document, "a"), Error);
    CHECK_THROWS_AS(ungroupBlockEdit(document, "nothing"), Error);
    Json large = document;
    applyEdit(large, groupLayersEdit(large, {"a", "b", "c"}));
    large["model"]["layers"][1]["repeat"] = 1000000000;
    CHECK_THROWS_AS(ungroupBlockEdit(large, "block"), Error);
  }
}

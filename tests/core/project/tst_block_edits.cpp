// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/model/layer_edits.h"
#include "core/model/model.h"
#include "core/project/edit.h"

using namespace strata;

namespace {

Json documentOf(const std::string& layers) {
  return Json{{"model", {{"layers", parseJson("[" + layers + "]", "layers")}}}};
}

const char* const kChain =
    R"({"type": "Input", "name": "x", "shape": [8]}, {"type": "Dense", "name": "a", "units": 8},
  {"type": "Dense", "name": "b", "units": 8}, {"type": "Add", "name": "c", "inputs": ["a", "b"]}, {"type": "Dense", "name": "d", "units": 3, "inputs": ["c"]})";

/// Returns the number of parameters, the multiply-adds and the output shape of the network.
std::string sizes(const Json& document) {
  Diagnostics diagnostics;
  const Project project(document);
  const Model model = parseModel(project, diagnostics);
  const ModelSummary summary = summarizeModel(model, project, 4, diagnostics);
  for (const auto& each : diagnostics)
    FAIL_CHECK(each.line());
  return std::to_string(summary.parameters) + " " + std::to_string(summary.multiplyAdds) + " " +
         summary.layers.back().outputShape.value_or(Shape()).toString();
}

const LayerList kInside{"/model/layers/1/layers", "block/"};

/// Returns a project with an Input of 8 values, a Block that repeats the given layers three times,
/// and a Dense layer.
Json around(const std::string& layers) {
  return documentOf(
      R"({"type": "Input", "name": "x", "shape": [8]}, {"type": "Block", "name": "block", "repeat": 3, "layers": [)" +
      layers + R"(]}, {"type": "Dense", "name": "out", "units": 3})");
}

std::string dense(const std::string& name, const std::string& inputs = "") {
  return R"({"type": "Dense", "name": ")" + name + R"(", "units": 8)" +
         (inputs.empty() ? "" : R"(, "inputs": )" + inputs) + "}";
}

std::string problems(const Json& document) {
  Diagnostics diagnostics;
  parseModel(Project(document), diagnostics);
  std::string lines;
  for (const auto& each : diagnostics)
    lines += each.line() + "\n";
  return lines;
}

/// Returns the inputs of each layer of the Block, for example "b< a<b". A "*" marks layers with a
/// field `inputs`.
std::string wiringInside(const Json& document) {
  Diagnostics diagnostics;
  const Model model = parseModel(Project(document), diagnostics);
  std::string text;
  const Json& layers = document.at(Json::json_pointer(kInside.pointer));
  for (size_t i = 0; i < layers.size(); ++i) {
    text += (i ? " " : "") + layers[i]["name"].get<std::string>() +
            (layers[i].contains("inputs") ? "*" : "") + "<";
    const Layer* block = model.find("block");
    const Layer* layer = block ? block->inner->at(static_cast<int>(i)) : nullptr;
    for (size_t k = 0; layer && k < layer->inputs.size(); ++k)
      text += (k ? "," : "") + layer->inputs[k];
  }
  return text;
}

/// Returns the document after the edit, and checks that undo restores the same bytes.
Json after(const Json& before, const ProjectEdit& edit) {
  Json document = before;
  const ProjectEdit inverse = applyEdit(document, edit);
  Json undone = document;
  applyEdit(undone, inverse);
  CHECK(printJson(undone) == printJson(before));
  return document;
}

}  // namespace

TEST_SUITE("block edits") {
  TEST_CASE("layers are grouped and ungrouped, and both can be undone") {
    const Json before = documentOf(kChain);
    Json document = before;
    const ProjectEdit undoGroup = applyEdit(document, groupLayersEdit(document, {"a", "b", "c"}));
    const Json& layers = document["model"]["layers"];
    REQUIRE(layers.size() == 3);
    CHECK(layers[1]["type"] == "Block");
    CHECK(layers[1]["layers"].size() == 3);
    CHECK(layers[2]["inputs"][0] == layers[1]["name"]);
    CHECK(sizes(document) == sizes(before));
    Json again = document;
    applyEdit(again, ungroupBlockEdit(again, "block"));
    CHECK(sizes(again) == sizes(before));
    CHECK(again["model"]["layers"].size() == 5);
    CHECK(again["model"]["layers"][3]["name"] == "c");
    applyEdit(document, undoGroup);
    CHECK(printJson(document) == printJson(before));
  }

  TEST_CASE(
      "ungrouping a repeated block gives unique names, and keeps trainable and "
      "learning_rate_factor") {
    Json document = documentOf(kChain);
    applyEdit(document, groupLayersEdit(document, {"b", "a", "c"}));
    Json& block = document["model"]["layers"][1];
    block["repeat"] = 3;
    block["trainable"] = false;
    block["learning_rate_factor"] = 0.5;
    const std::string wanted = sizes(document);
    applyEdit(document, ungroupBlockEdit(document, "block"));
    CHECK(sizes(document) == wanted);
    const Json& layers = document["model"]["layers"];
    REQUIRE(layers.size() == 11);
    CHECK(layers[4]["name"] == "a_2");
    CHECK(layers[6]["inputs"] == Json::array({"a_2", "b_2"}));
    CHECK(layers[10]["inputs"] == Json::array({"c_3"}));
    CHECK(layers[5]["trainable"] == false);
    CHECK(layers[5]["learning_rate_factor"] == 0.5);
  }

  TEST_CASE("the error says why layers cannot become a block") {
    const Json document = documentOf(kChain);
    const auto reason = [&](const std::vector<LayerRef>& names) {
      try {
        groupLayersEdit(document, names);
      }
      catch (const Error& error) {
        return error.subject() + ": " + error.what();
      }
      return std::string("it can");
    };
    CHECK(reason({}).find("no layers are selected") != std::string::npos);
    CHECK(reason({"a", "c"}).find("are not adjacent") != std::string::npos);
    CHECK(reason({"x", "a"}).find("a Block cannot contain an Input") != std::string::npos);
    CHECK(reason({"a", "b"}).find("only the last layer of a Block gives the output of the Block") !=
          std::string::npos);
    CHECK(reason({"b", "c"}).find("it takes \"a\" from outside") != std::string::npos);
    CHECK(reason({"d"}) == "it can");
    CHECK_THROWS_AS(ungroupBlockEdit(document, "a"), Error);
    CHECK_THROWS_AS(ungroupBlockEdit(document, "nothing"), Error);
    Json large = document;
    applyEdit(large, groupLayersEdit(large, {"a", "b", "c"}));
    large["model"]["layers"][1]["repeat"] = 1000000000;
    CHECK_THROWS_AS(ungroupBlockEdit(large, "block"), Error);
  }

  TEST_CASE("after every move in a block, its chain starts with the block's input") {
    for (const std::string& first : {std::string(), std::string("[]")}) {
      for (const bool isExplicit : {false, true}) {
        const Json document =
            around(dense("a", first) + ", " + dense("b", isExplicit ? R"(["a"])" : "") + ", " +
                   dense("c") + ", " + dense("d"));
        REQUIRE(problems(document) == "");
        for (int from = 0; from < 4; ++from) {
          for (int to = 0; to < 4; ++to) {
            CAPTURE(first);
            CAPTURE(isExplicit);
            CAPTURE(from);
            CAPTURE(to);
            const Json moved = after(document, moveLayerEdit(document, from, to, kInside));
            // Because "b" names "a" as its input, some moves cause other problems. Only moves of
            // "b", moves to the top and the swap of "a" and "b" are checked.
            if (isExplicit && from != 1 && to > 0 && !(from == 0 && to == 1)) continue;
            if (isExplicit && (from == 0 || from == 1)) {
              CHECK(problems(moved).find("first layer of a Block") == std::string::npos);
              CHECK(problems(moved).find("circle") == std::string::npos);
              continue;
            }
            CHECK(problems(moved) == "");
          }
        }
      }
    }
    const Json two = around(dense("a") + ", " + dense("b"));
    CHECK(wiringInside(after(two, moveLayerEdit(two, 1, 0, kInside))) == "b< a<b");
    const Json three = around(dense("a") + ", " + dense("b") + ", " + dense("c"));
    CHECK(wiringInside(after(three, moveLayerEdit(three, 0, 1, kInside))) == "b< a<b c<a");
    const Json written =
        around(dense("a", "[]") + ", " + dense("b", R"(["a"])") + ", " + dense("c"));
    CHECK(wiringInside(after(written, moveLayerEdit(written, 1, 0, kInside))) == "b< a<b c<a");
    // If the first layer of a branched Block moves down, it takes the new first layer as its input.
    const Json branch = around(dense("a") + ", " + dense("b") +
                               R"(, {"type": "Add", "name": "sum", "inputs": ["b", "a"]})");
    CHECK(wiringInside(after(branch, moveLayerEdit(branch, 0, 1, kInside))) == "b< a<b sum*<b,a");
    CHECK(problems(after(branch, moveLayerEdit(branch, 1, 0, kInside))) == "");
  }

  TEST_CASE("layers can be removed from a block and added at its beginning") {
    const Json chain = around(dense("a", "[]") + ", " + dense("b") + ", " + dense("c", R"(["b"])"));
    CHECK(wiringInside(after(chain, removeLayersEdit(chain, {"a"}, kInside))) == "b< c*<b");
    CHECK(wiringInside(after(chain, removeLayersEdit(chain, {"a", "b"}, kInside))) == "c<");
    CHECK(removeLayersEdit(chain, {"a"}, kInside).layers == std::vector<std::string>{"block/b"});
    const Json branch = around(dense("a") + ", " + dense("b") +
                               R"(, {"type": "Add", "name": "sum", "inputs": ["b", "a"]})");
    CHECK(wiringInside(after(branch, removeLayersEdit(branch, {"a"}, kInside))) == "b< sum*<b,b");
    CHECK(wiringInside(after(chain, addLayerEdit(chain, "Dropout", 0, kInside))) ==
          "dropout< a<dropout b<a c*<b");
    for (const Json& document : {chain, branch}) {
      for (int place = 0; place < 3; ++place) {
        CAPTURE(place);
        // The removal of "sum" is not tested.
        if (document == branch && place == 2) continue;
        CHECK(problems(after(document, removeLayersEdit(document, {place}, kInside))) == "");
        // A layer before "c" would not be used, because "c" names its input.
        if (document == branch || place < 2)
          CHECK(problems(after(document, addLayerEdit(document, "Dropout", place, kInside))) == "");
      }
    }
  }

  TEST_CASE(
      "if layers have the same name, the chosen one is edited, in the network and in a block") {
    const std::string rows = dense("a") + ", " + dense("a") + ", " + dense("a") + ", " + dense("z");
    const Json network = documentOf(R"({"type": "Input", "name": "x", "shape": [8]}, )" + rows),
               block = around(rows);
    for (const bool isInside : {false, true}) {
      CAPTURE(isInside);
      const LayerList list = isInside ? kInside : LayerList();
      Json document = isInside ? block : network;
      const int first = isInside ? 0 : 1;
      const Json::json_pointer at(list.pointer);
      for (int i = 0; i < 3; ++i)
        document[at][static_cast<size_t>(first + i)]["units"] = 10 + i;
      const auto unitsAfter = [&](const ProjectEdit& edit) {
        std::string text;
        const Json edited = after(document, edit);
        for (const Json& layer : edited[at]) {
          const bool isBlock = layer["type"] == "Block";
          if (isBlock) text += "(";
          for (const Json& each : isBlock ? layer["layers"] : Json::array({layer}))
            text += each.value("units", Json("x")).dump() + (each.contains("inputs") ? "* " : " ");
          if (isBlock) text += ") ";
        }
        return text;
      };
      const std::string top = isInside ? "" : "\"x\" ";
      CHECK(unitsAfter(removeLayersEdit(document, {first + 1}, list)) == top + "10 12 8 ");
      CHECK(unitsAfter(removeLayersEdit(document, {first + 1, first + 2}, list)) == top + "10 8 ");
      CHECK(unitsAfter(removeLayersEdit(document, {first, first + 2}, list)) == top + "11 8 ");
      CHECK(unitsAfter(moveLayerEdit(document, first + 2, first, list)) == top + "12 10 11 8 ");
      CHECK(unitsAfter(moveLayerEdit(document, first + 1, first + 3, list)) == top + "10 12 8 11 ");
      CHECK(unitsAfter(groupLayersEdit(document, {first + 1, first + 2}, list)) ==
            top + "10 (11 12 ) 8 ");
      CHECK(unitsAfter(setFieldEdit(document, first + 1, "units", 5, list)) == top + "10 5 12 8 ");
      CHECK(unitsAfter(resetFieldEdit(document, first + 1, "units", list)) ==
            top + "10 \"x\" 12 8 ");
      CHECK(unitsAfter(connectEdit(document, first + 2, {"z"}, list)) == top + "10 11 12* 8 ");
      Json renamed = after(document, renameLayerEdit(document, first + 1, "b", list));
      CHECK(renamed[at][static_cast<size_t>(first)]["name"] == "a");
      CHECK(renamed[at][static_cast<size_t>(first + 1)]["name"] == "b");
      // Two Blocks have the same name. If the second one is chosen, that one is ungrouped.
      Json blocks = after(document, groupLayersEdit(document, {first + 1}, list));
      blocks = after(blocks, groupLayersEdit(blocks, {first + 2}, list));
      blocks[at][static_cast<size_t>(first + 2)]["name"] = "block";
      document = blocks;
      CHECK(unitsAfter(ungroupBlockEdit(document, first + 2, list)) == top + "10 (11 ) 12 8 ");
    }
    CHECK_THROWS_AS(removeLayersEdit(network, {7}), Error);
  }

  TEST_CASE("ungrouping works if the first layer of a block has an empty list of inputs") {
    for (const std::string& own : {std::string(), std::string(R"("inputs": ["x"], )")}) {
      Json document = documentOf(
          R"({"type": "Input", "name": "x", "shape": [8]}, {"type": "Block", "name": "block", )" +
          own + R"("repeat": 2, "layers": [)" + dense("a", "[]") + ", " + dense("b") + "]}, " +
          dense("out"));
      const std::string wanted = sizes(document);
      applyEdit(document, ungroupBlockEdit(document, "block"));
      CHECK(problems(document) == "");
      CHECK(sizes(document) == wanted);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/model/layer_edits.h"
#include "core/model/model.h"
#include "core/project/edit.h"

using namespace strata;

namespace {

Json chain() {
  return parseJson(R"({"model": {"layers": [
    {"type": "Input", "name": "x", "shape": [4]},
    {"type": "Dense", "name": "a", "units": 8},
    {"type": "Dense", "name": "b", "units": 8},
    {"type": "Add", "name": "sum", "inputs": ["a", "b"]},
    {"type": "Dense", "name": "out", "units": 2}]}, "design": {"positions": {"a": [1, 2]}}})",
                   "f");
}

/// Returns the inputs of each layer, for example "a<x b<a sum<a,b out<sum".
std::string wiring(const Json& document) {
  Diagnostics diagnostics;
  const Project project(document);
  const Model model = parseModel(project, diagnostics);
  std::string text;
  for (const Json& json : document["model"]["layers"]) {
    const Layer* layer = model.find(json["name"].get<std::string>());
    if (!layer || layer->inputs.empty()) continue;
    text += (text.empty() ? "" : " ") + layer->name + "<";
    for (size_t i = 0; i < layer->inputs.size(); ++i)
      text += (i ? "," : "") + layer->inputs[i];
  }
  return text;
}

/// Applies the edit and returns the document. Checks that undo and redo restore the bytes before
/// and after the edit.
Json applied(const Json& before, const ProjectEdit& edit) {
  Json document = before;
  const ProjectEdit inverse = applyEdit(document, edit);
  const Json after = document;
  const ProjectEdit again = applyEdit(document, inverse);
  CHECK(printJson(document) == printJson(before));
  applyEdit(document, again);
  CHECK(printJson(document) == printJson(after));
  return after;
}

}  // namespace

TEST_SUITE("edit") {
  TEST_CASE("every operation has an inverse") {
    const Json document = parseJson(R"({"a": {"x": 1, "y": 2, "z": 3}, "list": [1, 2, 3]})", "f");
    using Kind = EditOperation::Kind;
    const auto one = [&](EditOperation operation) {
      return applied(document, {{}, {}, {std::move(operation)}, {}});
    };
    CHECK(one({Kind::Set, "/a/y", "5", 0})["a"]["y"] == 5);
    CHECK(one({Kind::Set, "/new/deep", "[1]", 0})["new"]["deep"][0] == 1);
    CHECK_FALSE(one({Kind::Remove, "/a/y", "", 0})["a"].contains("y"));
    CHECK(one({Kind::Remove, "/a/none", "", 0}) == document);
    CHECK(one({Kind::Remove, "/list/1", "", 0})["list"] == Json({1, 3}));
    CHECK(one({Kind::Insert, "/list/0", "0", 0})["list"] == Json({0, 1, 2, 3}));
    CHECK(one({Kind::Insert, "/list/-", "4", 0})["list"] == Json({1, 2, 3, 4}));
    CHECK(one({Kind::Move, "/list/0", "", 2})["list"] == Json({2, 3, 1}));
    CHECK(one({Kind::Move, "/list/2", "", 0})["list"] == Json({3, 1, 2}));
  }

  TEST_CASE("an edit that fails changes nothing") {
    Json document = chain();
    const std::string before = printJson(document);
    const ProjectEdit edit{{},
                           {},
                           {{EditOperation::Kind::Set, "/model/layers/0/name", "\"y\"", 0},
                            {EditOperation::Kind::Set, "/model/layers/9/name", "1", 0}},
                           {}};
    CHECK_THROWS_AS(applyEdit(document, edit), Error);
    CHECK(printJson(document) == before);
    CHECK_THROWS_AS(setFieldEdit(document, "nobody", "units", 1), Error);
  }

  TEST_CASE("add: layers that followed the previous layer follow the new one") {
    const Json document = chain();
    CHECK(wiring(document) == "a<x b<a sum<a,b out<sum");
    const Json dropout = applied(document, addLayerEdit(document, "Dropout", 2));
    CHECK(wiring(dropout) == "a<x dropout<a b<dropout sum<a,b out<sum");
    CHECK(dropout["model"]["layers"][2]["rate"] == 0.5);
    const Json end = applied(document, addLayerEdit(document, "Dense", 5));
    CHECK(wiring(end) == "a<x b<a sum<a,b out<sum dense<out");
    const Json twice = applied(end, addLayerEdit(end, "Dense", 6));
    CHECK(twice["model"]["layers"][6]["name"] == "dense_2");
    CHECK(twice["model"]["layers"][6]["units"] == 64);
    // An Input has no inputs, so the next layer keeps its own.
    const Json second = applied(document, addLayerEdit(document, "Input", 2));
    CHECK(wiring(second) == "a<x b<a sum<a,b out<sum");
    CHECK(applied(document, addLayerEdit(document, "MaxPooling2D",
                                         1))["model"]["layers"][1]["name"] == "max_pooling2d");
  }

  TEST_CASE("remove: layers that used the removed layer get its input") {
    const Json document = chain();
    CHECK(wiring(applied(document, removeLayersEdit(document, {"b"}))) == "a<x sum<a,a out<sum");
    CHECK(wiring(applied(document, removeLayersEdit(document, {"a"}))) == "b<x sum<x,b out<sum");
    CHECK(wiring(applied(document, removeLayersEdit(document, {"a", "b"}))) == "sum<x,x out<sum");
    CHECK(wiring(applied(document, removeLayersEdit(document, {"sum"}))) == "a<x b<a out<a");
    CHECK(removeLayersEdit(document, {"out"}).layers == std::vector<std::string>{"sum"});
  }

  TEST_CASE("move: the chain follows the list and has no cycle") {
    const Json plain = parseJson(
        R"({"model": {"layers": [{"type": "Input", "name": "x", "shape": [4]}, {"type": "Dense", "name": "a", "units": 1},
      {"type": "Dense", "name": "b", "units": 1}, {"type": "Dense", "name": "c", "units": 1}]}})",
        "f");
    CHECK(wiring(applied(plain, moveLayerEdit(plain, "c", 1))) == "c<x a<c b<a");
    CHECK(wiring(applied(plain, moveLayerEdit(plain, "a", 3))) == "b<x c<b a<c");
    CHECK(wiring(applied(plain, moveLayerEdit(plain, "x", 2))) == "a<x b<a c<b");
    const Json branched = chain();
    CHECK(wiring(applied(branched, moveLayerEdit(branched, "b", 4))) == "a<x sum<a,b out<sum b<a");
  }

  TEST_CASE("layers can be renamed, connected and changed") {
    const Json document = chain();
    const Json renamed = applied(document, renameLayerEdit(document, "a", "first"));
    CHECK(wiring(renamed) == "first<x b<first sum<first,b out<sum");
    CHECK(renamed["design"]["positions"].contains("first"));
    // Renaming an output also renames its entries in `training` and in the data source.
    Json byName = document;
    for (const char* field : {"loss", "loss_weights", "metrics", "weighted_metrics"})
      byName["training"][field] = {{"a", nullptr}, {"out", nullptr}};
    for (const char* field : {"y", "weights", "label"})
      byName["data"]["source"][field] = {{"a", nullptr}, {"out", nullptr}};
    const Json moved = applied(byName, renameLayerEdit(byName, "a", "first"));
    for (const auto* section : {&moved["training"], &moved["data"]["source"]})
      for (const auto& [field, members] : section->items())
        if (members.is_object())
          CHECK_MESSAGE((members.contains("first") && !members.contains("a")), field);
    CHECK(wiring(applied(document, connectEdit(document, "out", {"a"}))) ==
          "a<x b<a sum<a,b out<a");
    const Json list = applied(document, connectEdit(document, "out", {"sum"}));
    CHECK_FALSE(list["model"]["layers"][4].contains("inputs"));
    CHECK(applied(document,
                  setFieldEdit(document, "a", "units", 3))["model"]["layers"][1]["units"] == 3);
    CHECK_FALSE(
        applied(document, resetFieldEdit(document, "a", "units"))["model"]["layers"][1].contains(
            "units"));
  }

  TEST_CASE("undoing random edits restores the same bytes") {
    Json document = chain();
    uint32_t state = 7;
    const auto random = [&](size_t bound) {
      return (state = state * 1664525u + 1013904223u) / 65536u % static_cast<uint32_t>(bound);
    };
    const char* const types[] = {"Dense", "Dropout", "Add", "Flatten", "Input"};
    std::vector<ProjectEdit> undo;
    const std::string first = printJson(document);
    for (int i = 0; i < 400; ++i) {
      const Json& layers = document["model"]["layers"];
      const std::string name = layers[random(layers.size())]["name"];
      ProjectEdit edit;
      switch (random(5)) {
        case 0:
          edit =
              addLayerEdit(document, types[random(5)], static_cast<int>(random(layers.size() + 1)));
          break;
        case 1:
          if (layers.size() < 4) continue;
          edit = removeLayersEdit(document, {name});
          break;
        case 2:
          edit = moveLayerEdit(document, name, static_cast<int>(random(layers.size())));
          break;
        case 3: edit = renameLayerEdit(document, name, "n" + std::to_string(i)); break;
        default: edit = setFieldEdit(document, name, "trainable", random(2) == 0); break;
      }
      undo.push_back(applyEdit(document, edit));
    }
    for (auto it = undo.rbegin(); it != undo.rend(); ++it)
      applyEdit(document, *it);
    CHECK(printJson(document) == first);
  }
}

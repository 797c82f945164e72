// SPDX-License-Identifier: Apache-2.0
// Tests Blocks in a project. Their layers are checked like those of the network, and names and
// pointers contain the Block.
#include <doctest/doctest.h>

#include <chrono>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/compile/compile.h"
#include "core/model/model.h"
#include "gpu/graph/text.h"
#include "tests/support/diagnostic_lines.h"
#include "tests/support/has.h"

using namespace strata;

namespace {

Project projectOf(const Json& layers) {
  return Project(Json{
      {"format", "strata-project"},
      {"version", 1},
      {"data",
       parseJson(
           R"({"source": {"type": "random", "samples": 20, "shape": [8], "classes": 4, "seed": 1}})",
           "d")},
      {"model", {{"layers", layers}}},
      {"training",
       parseJson(R"({"loss": "sparse_categorical_crossentropy", "optimizer": "adam"})", "t")}});
}

/// Returns a project with an Input of 8 values, the given layers, and an output with four classes.
Project around(const std::string& block) {
  return projectOf(
      parseJson(R"([{"type": "Input", "name": "x", "shape": [8]}, )" + block +
                    R"(, {"type": "Dense", "name": "out", "units": 4, "activation": "softmax"}])",
                "p"));
}

std::string problemsOf(const std::string& block) {
  return linesWithPointers(validate(around(block)));
}

/// Checks that every fix can be applied and removes its problem.
void checkFixes(const std::string& block) {
  Project project = around(block);
  for (const Diagnostic& each : validate(project)) {
    for (const Fix& fix : each.fixes) {
      CAPTURE(each.line());
      Json after = project.document();
      applyEdit(after, fix.edit);
      CHECK_FALSE(linesWithPointers(validate(Project(after)))
                      .find(each.code + " | " + each.pointer + " | " + each.line()) !=
                  std::string::npos);
    }
  }
}

std::string nested(int depth) {
  std::string text = R"({"type": "Dense", "name": "d", "units": 8})";
  for (int i = 0; i < depth; ++i)
    text = R"({"type": "Block", "name": "b", "layers": [)" + text + "]}";
  return text;
}

std::vector<std::string> variableNames(const Project& project) {
  Diagnostics diagnostics;
  const Model model = parseModel(project, diagnostics);
  Graph graph;
  std::vector<VariableRequest> variables;
  NextValues next;
  lowerLayers(graph, model, StepMode::Train, 2, variables, next);
  std::vector<std::string> names;
  for (const auto& each : variables)
    names.push_back(each.name);
  return names;
}

/// Lowers a network for sequences [6,8]. Returns the graph and the collected information as text,
/// in which "b/1/c" is replaced by "b_1_c".
std::string loweredText(const std::string& middle, StepMode mode) {
  const Project project =
      projectOf(parseJson(R"([{"type": "Input", "name": "x", "shape": [6, 8]}, )" + middle + R"(,
        {"type": "GlobalAveragePooling1D", "name": "pool"}, {"type": "Dense", "name": "out", "units": 4, "activation": "softmax"}])",
                          "p"));
  Diagnostics diagnostics;
  const Model model = parseModel(project, diagnostics);
  REQUIRE(linesWithPointers(diagnostics) == "");
  Graph graph;
  std::vector<VariableRequest> variables;
  NextValues next;
  LoweredExtras extras;
  lowerLayers(graph, model, mode, 2, variables, next, &extras);
  std::string text = printGraph(graph);
  for (const ValueId penalty : extras.penalties)
    text += "penalty %" + std::to_string(penalty.index) + "\n";
  for (const VariableRequest& each : variables)
    text += each.name + " of " + each.layer + " " + each.shape.toString() + " " +
            each.initializer.type + (each.isTrainable ? "" : " frozen") + " x" +
            std::to_string(each.learningRateFactor) + " instead %" +
            std::to_string(each.replacement.index) + "\n";
  for (const auto& [name, value] : next)
    text += name + " = %" + std::to_string(value.index) + "\n";
  for (size_t i = 1; i + 1 < text.size(); ++i)
    if (const auto isDigit =
            [&](size_t at) {
              return text[at] >= '0' && text[at] <= '9';
            };
        text[i] == '/' && (isDigit(i - 1) || isDigit(i + 1)))
      text[i] = '_';
  return text;
}

/// Appends the layers of all repeats of a Block to `out`, with the layers of nested Blocks.
void writeOut(const Json& layers, const std::string& prefix, int64_t repeat, Json& out) {
  for (int64_t i = 0; i < repeat; ++i)
    for (Json layer : layers) {
      const std::string own = prefix + "_" + std::to_string(i) + "_";
      if (layer.at("type") == "Block") {
        writeOut(layer.at("layers"), own + layer.at("name").get<std::string>(),
                 layer.at("repeat").get<int64_t>(), out);
        continue;
      }
      layer["name"] = own + layer.at("name").get<std::string>();
      if (layer.contains("inputs"))
        for (Json& input : layer["inputs"])
          input = own + input.get<std::string>();
      out.push_back(std::move(layer));
    }
}

}  // namespace

TEST_SUITE("blocks") {
  // The result of lowering one repeat is copied for the next. Everything that a layer produces must
  // be copied with the right name.
  TEST_CASE("a repeated block compiles to the same graph as its repeats written one by one") {
    const char* const masked = R"([{"type": "Masking", "name": "mask"},
      {"type": "GRU", "name": "gru", "units": 8, "return_sequences": true, "stateful": true, "dropout": 0.2},
      {"type": "Dense", "name": "d", "units": 8, "kernel_regularizer": "l2", "activity_regularizer": "l1", "learning_rate_factor": 0.5},
      {"type": "Add", "name": "sum", "inputs": ["d", "mask"]}])";
    const char* const plain = R"([{"type": "LayerNormalization", "name": "norm"},
      {"type": "RotaryEmbedding", "name": "turned"},
      {"type": "MultiHeadAttention", "name": "attention", "num_heads": 2, "key_dim": 4, "dropout": 0.1, "inputs": ["turned", "norm", "norm"]},
      {"type": "Block", "name": "c", "repeat": 3, "layers": [{"type": "Dropout", "name": "drop", "rate": 0.3},
        {"type": "SpectralNormalization", "name": "spectral", "layer": {"type": "Dense", "units": 8}},
        {"type": "BatchNormalization", "name": "norm"}, {"type": "Activation", "name": "act", "activation": "relu"}]}])";
    const char* const growing = R"([{"type": "Activation", "name": "a", "activation": "linear"},
      {"type": "GaussianNoise", "name": "noise", "stddev": 0.1}, {"type": "Concatenate", "name": "twice", "inputs": ["a", "noise"]}])";
    for (const char* layers : {masked, plain, growing})
      for (const StepMode mode : {StepMode::Train, StepMode::Evaluate, StepMode::Predict}) {
        CAPTURE(layers);
        const Json inner = parseJson(layers, "inner");
        Json flat = Json::array();
        writeOut(inner, "b", 4, flat);
        std::string written = flat.dump();
        const std::string block =
            Json{{"type", "Block"}, {"name", "b"}, {"repeat", 4}, {"layers", inner}}.dump();
        const std::string repeated = loweredText(block, mode);
        CHECK(repeated.size() > 500);
        CHECK(repeated == loweredText(written.substr(1, written.size() - 2), mode));
      }
  }

  TEST_CASE(
      "layers with statistics of the data need an Input directly before them, also with Blocks") {
    const char* const normal = R"({"type": "Normalization", "name": "n"})";
    const auto inBlock = [&](const char* repeat) {
      return R"({"type": "Block", "name": "b", "repeat": )" + std::string(repeat) +
             R"(, "layers": [)" + normal + "]}";
    };
    CHECK(problemsOf(inBlock("1")).empty());
    CHECK(has(problemsOf(inBlock("3")),
              "not_adaptable | /model/layers/1/layers/0/inputs | b/n: repetition 2 of 3 does "
              "not accept the output of the previous one"));
    const std::string dense = R"({"type": "Dense", "name": "d", "units": 8}, )";
    CHECK(has(problemsOf(dense + inBlock("1")),
              "b/n: it adapts to the training data, but its input is d (expected an Input layer)"));
    CHECK(has(
        problemsOf(
            R"({"type": "Block", "name": "b", "layers": [{"type": "Dense", "name": "d", "units": 8}]}, )" +
            std::string(normal)),
        "n: it adapts to the training data, but its input is b (expected an Input layer)"));
  }

  TEST_CASE("shapes, weights and names are right with a branch and nested blocks inside") {
    const Project project = around(R"({"type": "Block", "name": "b", "repeat": 2, "layers": [
      {"type": "Activation", "name": "given", "activation": "relu"},
      {"type": "Dense", "name": "d", "units": 8},
      {"type": "Block", "name": "c", "repeat": 3, "layers": [{"type": "Dense", "name": "d", "units": 8, "use_bias": false}]},
      {"type": "Add", "name": "sum", "inputs": ["c", "given"]}]})");
    const Inspection inspection = inspectProject(project);
    CHECK(linesWithPointers(inspection.diagnostics) == "");
    const LayerSummary& row = inspection.summary.layers[1];
    REQUIRE(row.isKnown);
    CHECK(row.outputShape->toString() == "[8]");
    CHECK(row.parameters == 2 * (72 + 3 * 64));
    CHECK(row.inner.size() == 4);
    CHECK(row.inner[2].parameters == 3 * 64);
    const std::vector<std::string> names = variableNames(project);
    const std::vector<std::string> expected = {
        "b/0/d/kernel",     "b/0/d/bias",       "b/0/c/0/d/kernel", "b/0/c/1/d/kernel",
        "b/0/c/2/d/kernel", "b/1/d/kernel",     "b/1/d/bias",       "b/1/c/0/d/kernel",
        "b/1/c/1/d/kernel", "b/1/c/2/d/kernel", "out/kernel",       "out/bias"};
    CHECK(names == expected);
    CHECK(pathOfLayer("b/1/c/2/d") == "b/c/d");
    CHECK(rowOfLayer("b/1/c/2/d") == "b");
  }

  TEST_CASE("trainable and learning_rate_factor of a block apply to its layers") {
    const Project project = around(
        R"({"type": "Block", "name": "b", "learning_rate_factor": 0.5, "repeat": 2, "layers": [
      {"type": "Dense", "name": "d", "units": 8, "learning_rate_factor": 0.5}, {"type": "BatchNormalization", "name": "n"}]},
      {"type": "Block", "name": "f", "trainable": false, "layers": [{"type": "Block", "name": "g", "layers": [{"type": "Dense", "name": "d", "units": 8}]}]})");
    Diagnostics diagnostics;
    const Model model = parseModel(project, diagnostics);
    CHECK(linesWithPointers(diagnostics) == "");
    Graph graph;
    std::vector<VariableRequest> variables;
    NextValues next;
    lowerLayers(graph, model, StepMode::Train, 2, variables, next);
    for (const VariableRequest& each : variables) {
      CAPTURE(each.name);
      if (each.name.starts_with("b/"))
        CHECK(each.learningRateFactor == (each.name.find("/d/") != std::string::npos ? 0.25 : 0.5));
      if (each.name.starts_with("f/")) CHECK_FALSE(each.isTrainable);
      if (each.name.starts_with("out/")) CHECK(each.isTrainable);
    }
    CHECK(inspectProject(project).summary.layers[2].trainableParameters == 0);
  }

  TEST_CASE("all problems inside are reported together, with names and pointers") {
    const char* const block = R"({"type": "Block", "name": "b", "repeat": 2, "layers": [
      {"type": "Dense", "name": "d", "units": 0},
      {"type": "Dence", "name": "e", "units": 8},
      {"type": "Dense", "name": "d", "units": 8},
      {"type": "Dense", "name": "f", "units": 8, "unit": 3, "inputs": ["out"]},
      {"type": "Add", "name": "g", "inputs": ["h", "e"]},
      {"type": "Dense", "name": "h", "units": 8, "inputs": ["g"]},
      {"type": "Block", "name": "i", "layers": [{"type": "Dense", "name": "a/b", "units": true}]}]})";
    const std::string text = problemsOf(block);
    CHECK(has(text,
              "out_of_range | /model/layers/1/layers/0/units | b/d: units is out of range "
              "(expected at least 1"));
    CHECK(has(text,
              "unknown_type | /model/layers/1/layers/1/type | b/e: this version has no layer type "
              "\"Dence\". Did you mean \"Dense\"?"));
    CHECK(has(
        text,
        "duplicate_name | /model/layers/1/layers/2/name | b/d: layers 1 and 3 have the same name"));
    CHECK(has(text, "unknown_field | /model/layers/1/layers/3/unit | b/f: unit is not a field"));
    CHECK(has(
        text,
        "missing_input | /model/layers/1/layers/3/inputs | b/f: its input \"out\" does not exist"));
    CHECK(has(text,
              "cycle | /model/layers/1/layers/4/inputs | b/g: it is part of a cycle: g -> h -> g"));
    CHECK(has(text,
              "wrong_type | /model/layers/1/layers/6/layers/0/units | b/i/a/b: units has the wrong "
              "type (expected an integer"));
    CHECK(has(text, "invalid_name | /model/layers/1/layers/6/layers/0/name"));
    checkFixes(block);
  }

  TEST_CASE(
      "each problem of shapes inside is found, and later shapes are known as far as possible") {
    const std::string text = problemsOf(R"({"type": "Block", "name": "b", "layers": [
      {"type": "Conv2D", "name": "c", "filters": 4, "kernel_size": 3},
      {"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "d", "units": 8},
      {"type": "Reshape", "name": "r", "target_shape": [3, 3]}, {"type": "Flatten", "name": "g"}]})");
    CHECK(has(text,
              "shape_mismatch | /model/layers/1/layers/0/inputs | b/c: the input has the shape [8] "
              "(expected "
              "an image"));
    CHECK(has(text, "/model/layers/1/layers/3"));
    checkFixes(R"({"type": "Block", "name": "b", "layers": [
      {"type": "Reshape", "name": "r", "target_shape": [2, 2, 2]},
      {"type": "Conv2D", "name": "c", "filters": 6, "kernel_size": 1, "groups": 3}, {"type": "Flatten", "name": "g"}]})");
    CHECK(has(problemsOf(R"({"type": "Block", "name": "b", "layers": [
      {"type": "Reshape", "name": "r", "target_shape": [2, 2, 2]},
      {"type": "Conv2D", "name": "c", "filters": 6, "kernel_size": 1, "groups": 3}, {"type": "Flatten", "name": "g"}]})"),
              "| /model/layers/1/layers/1/groups | b/c: groups is 3"));
  }

  TEST_CASE("an error of a layer in a Block lists the layers that it can take as inputs") {
    const std::string text = problemsOf(R"({"type": "Dense", "name": "wide", "units": 9},
      {"type": "Block", "name": "b", "inputs": ["x", "wide"], "layers": [{"type": "Add", "name": "s"}]})");
    CHECK(has(text, "b/s: "));
    CHECK(has(text, "the input wide has the shape [9] (expected [8], the shape of x)"));
    CHECK(text.find("Block's input") == std::string::npos);
  }

  TEST_CASE("a message about a repeat contains the layer's message as translatable text") {
    const Diagnostics problems = validate(around(
        R"({"type": "Reshape", "name": "image", "target_shape": [4, 2, 1]}, {"type": "Block", "name": "o", "layers": [
          {"type": "Block", "name": "b", "repeat": 4, "layers": [{"type": "MaxPooling2D", "name": "p", "pool_size": 2}]}]},
          {"type": "Flatten", "name": "flat"})"));
    REQUIRE(!problems.empty());
    const Diagnostic& problem = problems.front();
    REQUIRE(problem.around.size() == 1);
    CHECK(problem.around[0].arguments == Arguments{"2", "4"});
    CHECK(problem.sentence() ==
          "repetition 2 of 4 does not accept the output of the previous one: " +
              formatText(problem.message, problem.arguments));
  }

  TEST_CASE("repeats may have different shapes if they match") {
    const std::string text =
        problemsOf(R"({"type": "Reshape", "name": "image", "target_shape": [4, 2, 1]},
      {"type": "Block", "name": "b", "repeat": 4, "layers": [{"type": "MaxPooling2D", "name": "p", "pool_size": 2}]},
      {"type": "Flatten", "name": "flat"})");
    CHECK(has(text, "| /model/layers/2/layers/0"));
    CHECK(has(text, "b/p: repetition 2 of 4 does not accept the output of the previous one: "));
    const Inspection growing =
        inspectProject(around(R"({"type": "Block", "name": "b", "repeat": 3, "layers": [
      {"type": "Activation", "name": "a", "activation": "linear"}, {"type": "Concatenate", "name": "twice", "inputs": ["a", "a"]}]})"));
    CHECK(linesWithPointers(growing.diagnostics) == "");
    REQUIRE(growing.summary.layers[1].outputShape);
    CHECK(growing.summary.layers[1].outputShape->toString() == "[64]");
  }

  TEST_CASE("hostile blocks are reported without a crash") {
    for (const char* repeat :
         {"0", "-1", "1000000000", "99999999999999999999", "2.5", "\"3\"", "null", "[]"}) {
      CAPTURE(repeat);
      const std::string text =
          problemsOf(R"({"type": "Block", "name": "b", "repeat": )" + std::string(repeat) +
                     R"(, "layers": [{"type": "Dense", "name": "d", "units": 8}]})");
      CHECK(has(text, "/model/layers/1/repeat | b: repeat "));
      CHECK(text.find("nothing_learns") == std::string::npos);
    }
    const Diagnostics alone =
        validate(projectOf(Json::parse(R"([{"type": "Input", "name": "x", "shape": [8]},
      {"type": "Block", "name": "b", "repeat": 0, "layers": [{"type": "Dense", "name": "d", "units": 4, "activation": "softmax"}]}])")));
    CHECK(linesWithPointers(alone).find("nothing_learns") == std::string::npos);
    const std::string empty = problemsOf(R"({"type": "Block", "name": "b", "layers": []})");
    CHECK(has(empty, "empty_block | /model/layers/1/layers | b: the Block is empty"));
    CHECK(empty.find("empty_block") == empty.rfind("empty_block"));
    CHECK(has(problemsOf(R"({"type": "Block", "name": "b"})"),
              "missing_field | /model/layers/1/layers | b: layers is missing"));
    CHECK(has(problemsOf(R"({"type": "Block", "name": "b", "layers": {"a": 1}})"),
              "wrong_type | /model/layers/1/layers | b: "));
    CHECK(has(problemsOf(R"({"type": "Block", "name": "b", "layers": [3, null, "x"]})"),
              "/model/layers/1/layers/2"));
    CHECK(has(problemsOf(R"({"type": "Block", "name": "b", "layers": [1]})"),
              "wrong_type | /model/layers/1/layers/0 | b: layer 1 is not an object (expected "));
    const char* const input =
        R"({"type": "Block", "name": "b", "layers": [{"type": "Input", "name": "x", "shape": [8]}, {"type": "Dense", "name": "d", "units": 8}]})";
    CHECK(has(problemsOf(input), "not_in_block | /model/layers/1/layers/0/type | b/x: "));
    checkFixes(input);
    CHECK(has(
        problemsOf(
            R"({"type": "Block", "name": "a/b", "layers": [{"type": "Dense", "name": "d", "units": 8}]})"),
        "invalid_name"));
    CHECK(has(
        problemsOf(R"({"type": "Block", "name": "b", "layers": [{"type": "Dense", "units": 8}]})"),
        "missing_name | /model/layers/1/layers/0/name | b: layer 1 has no name"));
    CHECK(has(
        problemsOf(
            R"({"type": "Block", "name": "b", "layers": [{"type": "Dense", "name": "d", "units": 8, "inputs": ["x"]}]})"),
        "/model/layers/1/layers/0/inputs | b/d: the first layer of a Block takes the Block's "
        "input"));
    CHECK(has(
        problemsOf(
            R"({"type": "Block", "name": "b", "layers": [{"type": "Dense", "name": "d", "units": 8},
      {"type": "Dense", "name": "lost", "units": 8}, {"type": "Dense", "name": "e", "units": 8, "inputs": ["d"]}]})"),
        "several_outputs | /model/layers/1/layers/1 | b/lost: no layer uses its output"));
    CHECK(has(
        problemsOf(
            R"({"type": "Block", "name": "b", "repeat": 2, "inputs": ["x", "x"], "layers": [{"type": "Add", "name": "d"}]})"),
        "/model/layers/1/inputs | b: it has 2 inputs, but each repetition takes"));
    CHECK(has(
        problemsOf(R"({"type": "Block", "name": "b", "layers": [{"type": "Add", "name": "d"}]})"),
        "/model/layers/1/inputs | b: an input is missing"));
    CHECK(
        problemsOf(
            R"({"type": "Block", "name": "b", "inputs": ["x", "x"], "layers": [{"type": "Add", "name": "d"}]})")
            .empty());
    CHECK(has(
        problemsOf(
            R"({"type": "Block", "name": "b", "inputs": ["b"], "layers": [{"type": "Dense", "name": "d", "units": 8}]})"),
        "cycle | /model/layers/1/inputs | b: "));
    CHECK(has(
        problemsOf(
            R"({"type": "Block", "name": "b", "repeat": 10000, "layers": [{"type": "Block", "name": "c", "repeat": 10000, "layers": [
      {"type": "Dense", "name": "d", "units": 8}]}]})"),
        "too_large | /model/layers/1/repeat | b: "));
  }

  TEST_CASE("nested blocks are accepted up to the depth limit of files") {
    CHECK(problemsOf(nested(kMaxBlockDepth)).empty());
    CHECK(has(problemsOf(nested(kMaxBlockDepth + 1)), "too_deep | "));
    Json deep = parseJson(nested(1), "b");
    for (int i = 0; i < 1000; ++i)
      deep = Json{{"type", "Block"}, {"name", "b"}, {"layers", Json::array({deep})}};
    const Project project =
        projectOf(Json::array({Json{{"type", "Input"}, {"name", "x"}, {"shape", {8}}}, deep}));
    CHECK(has(linesWithPointers(validate(project)), "too_deep | "));
    CHECK_THROWS_AS(parseJson(nested(1000), "deep"), Error);
  }

  TEST_CASE("the time to check a block does not depend on the number of repeats") {
    const auto timeOf = [&](int repeat) {
      const Project project =
          around(R"({"type": "Block", "name": "b", "repeat": )" + std::to_string(repeat) +
                 R"(, "layers": [{"type": "Dense", "name": "d", "units": 8}]})");
      Diagnostics diagnostics;
      const Model model = parseModel(project, diagnostics);
      double best = 1e9;
      for (int i = 0; i < 5; ++i) {
        const auto start = std::chrono::steady_clock::now();
        const ModelSummary summary = summarizeModel(model, project, 32, diagnostics);
        best = std::min(
            best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        CHECK(summary.layers[1].parameters == repeat * 72);
      }
      return best;
    };
    CHECK(timeOf(10000) < 0.01);
  }

  // Each repeat outputs one value more than its input, so no two repeats are equal. Checking all of
  // them would take hours.
  TEST_CASE("a network that is refused as too large is examined only once") {
    const auto grown = [](int levels, int repeat) {
      std::string text =
          R"({"type": "Activation", "name": "a", "activation": "linear"}, {"type": "Dense", "name": "d", "units": 1},
        {"type": "Concatenate", "name": "c", "inputs": ["a", "d"]})";
      for (int i = 0; i < levels; ++i)
        text = R"({"type": "Block", "name": "b", "repeat": )" + std::to_string(repeat) +
               R"(, "layers": [)" + text + "]}";
      return text;
    };
    const Inspection few = inspectProject(around(grown(2, 10)));
    CHECK(linesWithPointers(few.diagnostics) == "");
    CHECK(few.summary.layers[1].outputShape == Shape({108}));
    for (const int levels : {1, 2, 5}) {
      CAPTURE(levels);
      const Inspection large = inspectProject(around(grown(levels, 10000)));
      CHECK((linesWithPointers(large.diagnostics).find("too_large") != std::string::npos) ==
            (levels > 1));
      CHECK(large.summary.layers[1].isKnown == (levels == 1));
      const std::vector<LayerSummary>* inner = &large.summary.layers[1].inner;
      for (int i = 1; i < levels; ++i)
        inner = &inner->front().inner;
      REQUIRE(inner->size() == 3);
      // The shapes of the first repeat are shown.
      CHECK((*inner)[2].outputShape == Shape({9}));
    }
    // If the sizes are only partly known, the network is also examined only once.
    const Inspection partly = inspectProject(around(
        R"({"type": "Nonsense", "name": "n"}, {"type": "Dense", "name": "e", "units": 8}, )" +
        grown(5, 60)));
    CHECK(has(linesWithPointers(partly.diagnostics), "unknown_type"));
    CHECK_FALSE(partly.summary.layers[3].isKnown);
  }

  TEST_CASE("counts that overflow become the largest number") {
    std::string text = R"({"type": "Dense", "name": "d", "units": 8})";
    for (int i = 0; i < 5; ++i)
      text = R"({"type": "Block", "name": "b", "repeat": 10000, "layers": [)" + text + "]}";
    const Inspection inspection = inspectProject(around(text));
    CHECK(has(linesWithPointers(inspection.diagnostics), "too_large"));
    CHECK(inspection.summary.layers[1].parameters == std::numeric_limits<int64_t>::max());
    CHECK(inspection.summary.parameters == std::numeric_limits<int64_t>::max());
  }

  TEST_CASE("if the network ends in a block, the block's last layer is checked as the output") {
    const Project project = projectOf(parseJson(R"([{"type": "Input", "name": "x", "shape": [8]},
      {"type": "Block", "name": "b", "layers": [{"type": "Dense", "name": "d", "units": 4, "activation": "relu"}]}])",
                                                "p"));
    const std::string text = linesWithPointers(validate(project));
    CHECK(has(text, "not_probabilities | /model/layers/1/layers/0/activation | b/d: "));
    Json after = project.document();
    for (const Diagnostic& each : validate(project))
      for (const Fix& fix : each.fixes)
        applyEdit(after, fix.edit);
    CHECK(linesWithPointers(validate(Project(after))) == "");
  }
}

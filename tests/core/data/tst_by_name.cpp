// SPDX-License-Identifier: Apache-2.0
// Tests sources with several arrays: NumPy arrays by file or name, and columns of a table by Input
// layer and output.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/dataset.h"
#include "core/data/inputs.h"
#include "core/interchange/npz.h"
#include "gpu/base/error.h"
#include "tests/support/has.h"
#include "tests/support/npy_file.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

Project projectOf(const Json& source, const Json& more = Json::object()) {
  Json document = Json::parse(R"({"format": "strata-project", "version": 1, "model": {"layers": [
    {"type": "Input", "name": "a", "shape": [2]}, {"type": "Input", "name": "b", "shape": [2]}, {"type": "Add", "name": "sum", "inputs": ["a", "b"]},
    {"type": "Dense", "name": "age", "units": 1, "inputs": ["sum"]}, {"type": "Dense", "name": "kind", "units": 2, "activation": "softmax", "inputs": ["sum"]}]},
    "training": {"loss": {"age": "mse", "kind": "sparse_categorical_crossentropy"}, "optimizer": "sgd"}})");
  document["data"] = more;
  document["data"]["source"] = source;
  return Project(document);
}

std::string errorOf(const Json& source) {
  try {
    loadDataset(projectOf(source));
  }
  catch (const Error& error) {
    return error.line();
  }
  return "none";
}

std::vector<float> values(const Tensor& tensor) {
  const Tensor wide = tensor.converted(DType::F32);
  return {wide.as<float>().begin(), wide.as<float>().end()};
}

Tensor made(int64_t samples, int64_t width, float first) {
  std::vector<float> numbers(static_cast<size_t>(samples * width));
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = first + static_cast<float>(i);
  return Tensor::from<float>(Shape{samples, width}, numbers);
}

}  // namespace

TEST_SUITE("arrays by name") {
  TEST_CASE(
      "NumPy arrays are found by the names of inputs and outputs in an archive or in separate "
      "files") {
    const TemporaryFolder folder;
    const auto path = [&](const char* name) {
      return (folder / name).string();
    };
    const auto view = [](const Tensor& tensor) {
      return TensorView{tensor.type(), tensor.data()};
    };
    const Tensor a = made(4, 2, 0), b = made(4, 2, 100), age = made(4, 1, 7),
                 kind = Tensor::from<int64_t>(Shape{4}, std::vector<int64_t>{0, 1, 1, 0});
    writeNpz(path("d.npz"),
             {{"a", view(a)},
              {"b", view(b)},
              {"age", view(age)},
              {"kind", view(kind)},
              {"a_test", view(b)},
              {"b_test", view(a)},
              {"age_test", view(age)},
              {"kind_test", view(kind)}},
             {});
    const auto packed = loadDataset(
        projectOf({{"type", "numpy"}, {"path", path("d.npz")}}, {{"validation_split", 0.25}}));
    CHECK(packed->trainCount == 3);
    CHECK(values(packed->train->x[0]) == values(a));
    CHECK(values(packed->train->x[1]) == values(b));
    CHECK(values(packed->train->y[0]) == values(age));
    CHECK(packed->train->y[1].dtype() == DType::I32);
    CHECK(packed->targets[1].classNames.size() == 2);
    CHECK(!packed->targets[0].hasLabels);
    CHECK(values(packed->test->x[0]) == values(b));
    const auto named = loadDataset(projectOf(
        Json{{"type", "numpy"}, {"path", path("d.npz")}, {"x", {{"b", "a"}, {"a", "b"}}}}));
    CHECK(values(named->train->x[0]) == values(b));
    // Shuffling before the split applies the same order to all arrays.
    const auto mixed =
        loadDataset(projectOf({{"type", "numpy"}, {"path", path("d.npz")}}, {{"split_seed", 3}}));
    for (size_t i = 0; i < 4; ++i)
      CHECK(mixed->train->x[0].as<float>()[2 * i] + 100 == mixed->train->x[1].as<float>()[2 * i]);

    writeNpy(path("a.npy"), a);
    writeNpy(path("b.npy"), b);
    writeNpy(path("age.npy"), age);
    writeNpy(path("kind.npy"), kind);
    const Json files{{"type", "numpy"},
                     {"x", {{"a", path("a.npy")}, {"b", path("b.npy")}}},
                     {"y", {{"kind", path("kind.npy")}, {"age", path("age.npy")}}}};
    CHECK(values(loadDataset(projectOf(files))->train->y[0]) == values(age));
    // There may be one array of sample weights per output, or one for all outputs.
    Json weighed = files;
    weighed["weights"] = {{"age", path("age.npy")}, {"kind", nullptr}};
    const auto ofAge = loadDataset(projectOf(weighed));
    CHECK(values(ofAge->train->weights[0]) == values(age));
    CHECK(ofAge->train->weights[1].numElements() == 0);
    weighed["weights"] = path("kind.npy");
    const auto ofBoth = loadDataset(projectOf(weighed, {{"split_seed", 3}}));
    CHECK(values(ofBoth->train->weights[0]) == values(ofBoth->train->y[1]));
    CHECK(values(ofBoth->train->weights[1]) == values(ofBoth->train->y[1]));
    weighed["weights"] = {{"age", path("age.npy")}};
    CHECK(has(errorOf(weighed), "weights has no entry for the output \"kind\""));
    weighed["weights"] = {{"age", 3}, {"kind", nullptr}};
    CHECK(has(errorOf(weighed), "/data/source/weights/age"));
    Json wrong = files;
    wrong["x"] = path("a.npy");
    CHECK(has(errorOf(wrong), "for each Input layer (expected a, b, got one entry for all)"));
    wrong = files;
    wrong["y"].erase("age");
    CHECK(has(errorOf(wrong), "no entry for the output \"age\" (expected age, kind, got kind)"));
    wrong["y"]["age"] = 5;
    CHECK(has(errorOf(wrong), "/data/source/y/age"));
    wrong["y"]["age"] = nullptr;
    CHECK(has(errorOf(wrong), "/data/source/y/age"));
    writeNpy(path("b.npy"), made(3, 2, 0));
    CHECK(has(errorOf(files), "b.npy"));
    CHECK(has(errorOf(files), "expected 4 samples, got 3"));
    CHECK(has(errorOf({{"type", "numpy"}}), "for each of a, b"));
    writeNpz(path("e.npz"), {{"a", view(a)}, {"age", view(age)}}, {});
    CHECK(has(errorOf({{"type", "numpy"}, {"path", path("e.npz")}}),
              "has no array \"b\" (expected one of: a, age)"));
    // If an error in the network hides the names of the inputs, the arrays are not checked.
    Project broken = projectOf({{"type", "numpy"}, {"path", path("d.npz")}});
    broken.document()["model"]["layers"].back()["type"] = "Nope";
    Diagnostics diagnostics;
    CHECK_FALSE(describeDataset(broken, diagnostics).isKnown);
    CHECK(diagnostics.empty());
  }

  TEST_CASE("a table has columns by Input layer and labels by output, also for predict") {
    const TemporaryFolder folder;
    const std::string path = (folder / "t.csv").string();
    std::ofstream(path)
        << "height,weight,colour,years,species\n1,2,red,3,cat\n4,5,blue,6,dog\n7,8,red,9,cat\n";
    const Json source{{"type", "csv"},
                      {"path", path},
                      {"columns", {{"a", {"height", "weight"}}, {"b", "colour"}}},
                      {"label", {{"kind", "species"}, {"age", {"years"}}}}};
    const auto table = loadDataset(projectOf(source));
    CHECK(values(table->train->x[0]) == std::vector<float>{1, 2, 4, 5, 7, 8});
    CHECK(values(table->train->x[1]) == std::vector<float>{0, 1, 1, 0, 0, 1});
    CHECK(values(table->train->y[0]) == std::vector<float>{3, 6, 9});
    CHECK(values(table->train->y[1]) == std::vector<float>{0, 1, 0});
    CHECK(table->targets[1].classNames == std::vector<std::string>{"cat", "dog"});
    const Preprocessing kept =
        parsePreprocessing(parseJson(printPreprocessing(table->preprocessing()), "kept"), "kept");
    CHECK(kept.classNames[1][1] == "dog");
    std::ofstream((folder / "new.csv").string()) << "colour,weight,height\nblue,1,2\n";
    const auto rows = readInputs((folder / "new.csv").string(), {{"a", {2}}, {"b", {2}}}, kept,
                                 [](const std::string&) {});
    REQUIRE(rows.size() == 1);
    CHECK(values(rows[0].arrays[0]) == std::vector<float>{2, 1});
    CHECK(values(rows[0].arrays[1]) == std::vector<float>{1, 0});
    std::ofstream((folder / "odd.csv").string())
        << "colour,weight,height\ngreen,1,2\ngreen,3,4\nred,5,6\n";
    std::vector<std::string> notes;
    const auto odd = readInputs((folder / "odd.csv").string(), {{"a", {2}}, {"b", {2}}}, kept,
                                [&](const std::string& note) { notes.push_back(note); });
    CHECK(values(odd[1].arrays[1]) == std::vector<float>{0, 0});
    REQUIRE(notes.size() == 1);
    CHECK(has(notes[0], "odd.csv: column \"colour\": 'green' is not one of the categories"));

    Json weighed = source;
    weighed["weights"] = {{"kind", "height"}, {"age", nullptr}};
    weighed["label"] = {{"age", "weight"}, {"kind", "species"}};
    weighed["columns"]["a"] = Json::array({"years", "height"});
    const auto heights = loadDataset(projectOf(weighed));
    CHECK(heights->train->weights[0].numElements() == 0);
    CHECK(values(heights->train->weights[1]) == std::vector<float>{1, 4, 7});
    weighed["weights"]["kind"] = "hight";
    CHECK(has(errorOf(weighed), "Did you mean \"height\"?"));

    Json wrong = source;
    wrong["label"] = Json::array({"years"});
    CHECK(has(errorOf(wrong), "for each output (expected age, kind, got one entry for all)"));
    wrong = source;
    wrong["columns"]["c"] = "height";
    CHECK(has(errorOf(wrong), "there is no Input layer with this name (expected a, b)"));
    wrong = source;
    wrong["columns"]["b"] = "species";
    CHECK(has(errorOf(wrong), "\"species\" is the label"));
    wrong = source;
    wrong["columns"]["b"] = "color";
    CHECK(has(errorOf(wrong), "color"));
    wrong = source;
    wrong["label"]["kind"] = "weight";
    wrong["columns"]["a"] = Json::array({"height"});
    // The numbers in a label column become class names.
    CHECK(loadDataset(projectOf(wrong))->targets[1].classNames.size() == 3);
  }

  TEST_CASE("columns of weights, and of outputs that are not trained, are not inputs") {
    const TemporaryFolder folder;
    const std::string path = (folder / "t.csv").string();
    std::ofstream(path) << "height,w,v,years,species\n1,2,3,4,0\n5,6,7,8,1\n";
    Json document = Json::parse(
        R"({"format": "strata-project", "version": 1, "model": {"layers": [{"type": "Input", "name": "a", "shape": [1]},
      {"type": "Dense", "name": "age", "units": 1}, {"type": "Dense", "name": "kind", "units": 2, "inputs": ["a"]}]},
      "training": {"loss": {"age": "mse", "kind": null}, "optimizer": "sgd"}})");
    document["data"]["source"] = {{"type", "csv"},
                                  {"path", path},
                                  {"label", {{"age", "years"}, {"kind", "species"}}},
                                  {"weights", {{"age", "w"}, {"kind", "v"}}}};
    const auto table = loadDataset(Project(document));
    CHECK(values(table->train->x[0]) == std::vector<float>{1, 5});
    CHECK(values(table->train->weights[0]) == std::vector<float>{2, 6});
    CHECK(table->train->weights.size() == 1);
  }

  TEST_CASE("rows of plain numbers contain the values of the Input layers in order") {
    const TemporaryFolder folder;
    std::ofstream((folder / "r.csv").string()) << "1,2,3,4,5\n";
    const Preprocessing plain{InputTransforms(2), Encodings(2), ClassNames(1)};
    const auto rows = readInputs((folder / "r.csv").string(), {{"a", {2}}, {"b", {3}}}, plain,
                                 [](const std::string&) {});
    CHECK(values(rows[0].arrays[1]) == std::vector<float>{3, 4, 5});
    // Lines may end with a carriage return.
    std::ofstream((folder / "old.csv").string()) << "1,2,3,4,5\r6,7,8,9,10\r";
    const auto old = readInputs((folder / "old.csv").string(), {{"a", {2}}, {"b", {3}}}, plain,
                                [](const std::string&) {});
    REQUIRE(old.size() == 2);
    CHECK(values(old[1].arrays[1]) == std::vector<float>{8, 9, 10});
    try {
      readInputs((folder / "r.csv").string(), {{"a", {2}}, {"b", {2}}}, plain,
                 [](const std::string&) {});
      FAIL("5 values for 4");
    }
    catch (const Error& error) {
      CHECK(has(error.line(), "has 5 values (expected 4 for inputs of [2], [2])"));
    }
    const Preprocessing first = parsePreprocessing(
        Json::parse(
            R"({"format": "strata-preprocessing", "version": 1, "scale": 2, "offset": 1, "steps": [], "classes": ["x", "y"], "encoding": null})"),
        "kept");
    CHECK(first.transforms[0].scale == 2);
    CHECK(first.classNames == ClassNames{{"x", "y"}});
  }
}

// SPDX-License-Identifier: Apache-2.0
// Tests warnings about samples that a network can train on, but hardly as meant: images that are
// scaled twice or by the wrong number or begin with their channels, classes with too few samples
// for a split, weights of 0, and weights of classes for samples with several classes.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "tests/support/has.h"
#include "tests/support/image_files.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

const Json kRescaling{
    {"type", "Rescaling"}, {"name", "scaled"}, {"scale", 1.0 / 255}, {"offset", 0.0}};

/// A project for images of handwritten digits. `first` are the layers after the Input layer.
Project digits(const Json& transforms, const Json& first, const Json& source = {{"type", "mnist"}},
               const Json& shape = {28, 28, 1}) {
  Json layers{{{"type", "Input"}, {"name", "x"}, {"shape", shape}}};
  for (const Json& layer : first)
    layers.push_back(layer);
  layers.push_back({{"type", "Flatten"}, {"name", "flat"}});
  layers.push_back({{"type", "Dense"}, {"name", "out"}, {"units", 10}, {"activation", "softmax"}});
  return Project(Json{{"format", "strata-project"},
                      {"version", 1},
                      {"data", {{"source", source}, {"transforms", transforms}}},
                      {"model", {{"layers", layers}}},
                      {"training",
                       {{"loss", "sparse_categorical_crossentropy"},
                        {"optimizer", "sgd"},
                        {"batch_size", 4},
                        {"epochs", 1}}}});
}

/// A project with these samples of two numbers, whose network ends in a Dense layer.
Project numbers(const Json& data, const Json& layer, const Json& training) {
  Project project(
      Json{{"format", "strata-project"},
           {"version", 1},
           {"data", data},
           {"model", {{"layers", {{{"type", "Input"}, {"name", "x"}, {"shape", {2}}}, layer}}}},
           {"training", {{"optimizer", "sgd"}, {"batch_size", 2}, {"epochs", 1}}}});
  project.document()["training"].update(training);
  return project;
}

Json dense(int units, const char* activation) {
  return {{"type", "Dense"}, {"name", "out"}, {"units", units}, {"activation", activation}};
}

Diagnostics withCode(const Project& project, const std::string& code) {
  Diagnostics found = validate(project);
  std::erase_if(found, [&](const Diagnostic& each) { return each.code != code; });
  return found;
}

bool hasCode(const Project& project, const std::string& code) {
  return !withCode(project, code).empty();
}

/// Applies the only fix of the problem, and checks that the problem is gone.
Project fixedOf(Project project, const std::string& code) {
  const Diagnostics found = withCode(project, code);
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::Warning);
  REQUIRE(found[0].fixes.size() == 1);
  applyEdit(project.document(), found[0].fixes[0].edit);
  CHECK(!hasCode(project, code));
  CHECK(!hasErrors(validate(project)));
  return project;
}

}  // namespace

TEST_SUITE("doubtful samples") {
  TEST_CASE("values that are divided twice are reported") {
    const Json none = Json::array();
    const auto isClean = [](const Project& project) {
      return !hasCode(project, "double_scale") && !hasCode(project, "wrong_scale");
    };
    CHECK(isClean(digits(none, none)));
    CHECK(isClean(digits(Json::array({"rescale"}), none)));
    CHECK(isClean(digits(none, Json::array({kRescaling}))));
    Json centered = kRescaling;
    centered["scale"] = 1.0 / 127.5;
    centered["offset"] = -1.0;
    CHECK(isClean(digits(none, Json::array({centered}))));
    // A scale that is no division of bytes
    Json other = kRescaling;
    other["scale"] = 0.5;
    CHECK(isClean(digits(Json::array({"rescale"}), Json::array({other}))));

    // In the transforms and in the network, also after a layer that keeps the values
    const Json crop{{"type", "CenterCrop"}, {"name", "crop"}, {"height", 20}, {"width", 20}};
    const Project both = digits(Json::array({"rescale"}), Json::array({crop, kRescaling}));
    CHECK(has(withCode(both, "double_scale").at(0).line(),
              "scaled: scale is made for values up to 255, but the transform rescale already "
              "divides the values"));
    CHECK(fixedOf(both, "double_scale").document()["data"]["transforms"].empty());
    CHECK(hasCode(digits(Json::array({"rescale"}), Json::array({centered})), "double_scale"));
    CHECK(hasCode(digits(Json::array({"standardize"}), Json::array({kRescaling})), "double_scale"));
    // The offset of a scale to -1..1 stays
    Json after = centered;
    after["name"] = "after";
    CHECK(fixedOf(digits(none, Json::array({kRescaling, after})), "double_scale")
              .document()["model"]["layers"][2]["scale"]
              .get<double>() == doctest::Approx(2));
    // Twice in the transforms, and twice in the network
    const Project twice = digits(Json::array({"rescale", "rescale"}), none);
    CHECK(withCode(twice, "double_scale").at(0).field == "/data/transforms/1");
    CHECK(fixedOf(twice, "double_scale").document()["data"]["transforms"].size() == 1);
    Json again = kRescaling;
    again["name"] = "again";
    const Project layers = digits(none, Json::array({kRescaling, again}));
    CHECK(has(withCode(layers, "double_scale").at(0).line(), "but scaled already divides"));
    CHECK(fixedOf(layers, "double_scale").document()["model"]["layers"][2]["scale"] == 1.0);
    // The data have been scaled before they were written
    Json x = Json::array(), y = Json::array();
    for (int i = 0; i < 4; ++i) {
      x.push_back({0.1 * i, 1.0});
      y.push_back(i % 2);
    }
    const Json data{{"source", {{"type", "values"}, {"x", x}, {"y", y}}},
                    {"transforms", {{{"type", "rescale"}, {"scale", 1.0 / 255}}}}};
    const Json loss{{"loss", "binary_crossentropy"}};
    const Project small = numbers(data, dense(1, "sigmoid"), loss);
    CHECK(
        has(withCode(small, "double_scale").at(0).line(), "the values of the data are at most 1"));
    fixedOf(small, "double_scale");
    // Integers of 16 bits
    Json deep = data;
    deep["source"]["x"] = {{0, 65535}, {300, 1}, {4000, 2}, {1, 1}};
    CHECK(!hasCode(numbers(deep, dense(1, "sigmoid"), loss), "double_scale"));
    Json bytes = data;
    bytes["source"]["x"][0][0] = 200;
    CHECK(!hasCode(numbers(bytes, dense(1, "sigmoid"), loss), "double_scale"));
  }

  TEST_CASE("a layer whose scale is made for images of another depth is reported") {
    const TemporaryFolder folder;
    const std::string deep = pngOf(2, 2, 16, 0, std::vector<uint16_t>{0, 300, 4000, 65535});
    for (const char* name : {"a", "b"}) {
      std::filesystem::create_directories(folder / name);
      writeFileAtomically((folder / name / "1.png").string(), deep);
    }
    const Json source{
        {"type", "image_folder"}, {"path", folder.path().string()}, {"color_mode", "grayscale"}};
    const Project wrong = digits(Json::array(), Json::array({kRescaling}), source, {2, 2, 1});
    CHECK(has(withCode(wrong, "wrong_scale").at(0).line(),
              "scale is made for values up to 255, but the images have values up to 65535"));
    const Project right = fixedOf(wrong, "wrong_scale");
    CHECK(right.document()["model"]["layers"][1]["scale"].get<double>() ==
          doctest::Approx(1.0 / 65535));
  }

  TEST_CASE("samples that begin with their channels are reported") {
    const Json conv{{"type", "Conv2D"}, {"name", "conv"}, {"filters", 2}, {"kernel_size", 3}};
    const Json pool{{"type", "MaxPooling2D"}, {"name", "pool"}, {"pool_size", 2}};
    const auto of = [&](const Json& shape) {
      return digits(Json::array(), Json::array({conv, pool}),
                    {{"type", "random"}, {"samples", 20}, {"shape", shape}, {"classes", 10}},
                    shape);
    };
    const Project first = of({3, 16, 16});
    CHECK(has(withCode(first, "channels_first").at(0).line(),
              "the samples have the shape [3,16,16]"));
    const Project fixed = fixedOf(first, "channels_first");
    for (const int layer : {1, 2, 3})
      CHECK(fixed.document()["model"]["layers"][layer]["data_format"] == "channels_first");
    CHECK(!hasCode(of({16, 16, 3}), "channels_first"));
    CHECK(!hasCode(of({16, 16, 16}), "channels_first"));
    CHECK(!hasCode(of({4, 4, 16}), "channels_first"));
  }

  TEST_CASE("a stratified split reports a class with too few samples for each part") {
    const auto of = [](int rare) {
      Json x = Json::array(), y = Json::array();
      for (int i = 0; i < 20; ++i) {
        x.push_back({i, i % 3});
        y.push_back(i < rare ? 2 : i % 2);
      }
      return numbers({{"source", {{"type", "values"}, {"x", x}, {"y", y}}},
                      {"split", "stratified"},
                      {"validation_split", 0.2},
                      {"test_split", 0.2}},
                     dense(3, "softmax"), {{"loss", "sparse_categorical_crossentropy"}});
    };
    CHECK(has(withCode(of(1), "rare_class").at(0).line(),
              "the class \"2\" does not have a sample for each part (expected at least 3, got 1)"));
    CHECK(hasCode(of(2), "rare_class"));
    CHECK(!hasCode(of(4), "rare_class"));
    CHECK(!hasCode(of(0), "rare_class"));
  }

  TEST_CASE("numbers in the project are judged like a file") {
    const auto of = [](const Json& y, const Json& weights) {
      return numbers({{"source",
                       {{"type", "values"},
                        {"x", {{1, 2}, {3, 4}, {5, 6}, {7, 8}}},
                        {"y", y},
                        {"weights", weights}}}},
                     dense(1, "sigmoid"), {{"loss", "binary_crossentropy"}});
    };
    CHECK(hasCode(of({1, 1, 1, 1}, nullptr), "one_class"));
    CHECK(!hasCode(of({0, 1, 1, 1}, nullptr), "one_class"));
    CHECK(!hasCode(of({0, 1, 1, 1}, {0, 0, 0, 1}), "zero_weights"));
    const Project unweighted = fixedOf(of({0, 1, 1, 1}, {0, 0, 0, 0}), "zero_weights");
    CHECK(unweighted.document()["data"]["source"]["weights"].is_null());
  }

  TEST_CASE("class_weight needs one class for each sample") {
    const Json weights{{"1", 3.0}};
    const auto of = [&](const Json& y, int units, const char* activation, const char* loss) {
      return numbers({{"source", {{"type", "values"}, {"x", {{1, 2}, {3, 4}, {5, 6}}}, {"y", y}}}},
                     dense(units, activation), {{"loss", loss}, {"class_weight", weights}});
    };
    const char* const code = "class_weight_without_classes";
    const Project several =
        of({{1, 0, 1}, {0, 1, 0}, {0, 0, 1}}, 3, "sigmoid", "binary_crossentropy");
    CHECK(!fixedOf(several, code).document()["training"].contains("class_weight"));
    CHECK(hasCode(of({{0, 0}, {0, 1}, {1, 0}}, 2, "sigmoid", "binary_crossentropy"), code));
    CHECK(hasCode(of({0.5, 2.5, 1.0}, 1, "linear", "mean_squared_error"), code));
    CHECK(!hasCode(of({0, 1, 1}, 1, "sigmoid", "binary_crossentropy"), code));
    CHECK(!hasCode(of({{0.9, 0.1}, {0.2, 0.8}, {0, 1}}, 2, "softmax", "categorical_crossentropy"),
                   code));
    CHECK(has(withCode(of({0.5, 2.5, 1.0}, 1, "linear", "mean_squared_error"), code).at(0).line(),
              "measured values"));
    CHECK(!hasCode(of({0, 1, 2}, 3, "softmax", "sparse_categorical_crossentropy"), code));
  }

  TEST_CASE("metrics of several classes, and thresholds that outputs do not have, are reported") {
    const auto of = [](const char* activation, const char* loss, const Json& metrics) {
      return numbers(
          {{"source", {{"type", "values"}, {"x", {{1, 2}, {3, 4}, {5, 6}}}, {"y", {0, 1, 1}}}}},
          dense(1, activation), {{"loss", loss}, {"metrics", metrics}});
    };
    const Json several = Json::array({"categorical_accuracy"});
    const Project one = of("sigmoid", "binary_crossentropy", several);
    CHECK(fixedOf(one, "metric_mismatch").document()["training"]["metrics"][0] ==
          "binary_accuracy");
    for (const char* metric :
         {"mean_io_u", "one_hot_mean_io_u", "categorical_crossentropy", "perplexity"})
      CHECK(
          hasCode(of("sigmoid", "binary_crossentropy", Json::array({metric})), "metric_mismatch"));
    CHECK(!hasCode(
        of("sigmoid", "binary_crossentropy", {"accuracy", "auc", "precision", "binary_io_u"}),
        "metric_mismatch"));
    const Json area = Json::array({"auc"});
    CHECK(fixedOf(of("linear", "mean_squared_error", area), "thresholds")
              .document()["training"]["metrics"][0]["num_thresholds"] == "exact");
    CHECK(!hasCode(of("sigmoid", "mean_squared_error", area), "thresholds"));
    CHECK(!hasCode(
        of("linear", "mean_squared_error", {{{"type", "auc"}, {"num_thresholds", "exact"}}}),
        "thresholds"));
    CHECK(!hasCode(of("linear", "hinge", area), "thresholds"));
  }
}

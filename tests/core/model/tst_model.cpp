// SPDX-License-Identifier: Apache-2.0
// Tests the parsing of layers into a model, its shapes and sizes, and the time that checks take.
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/model/model.h"
#include "tests/core/model/mnist_project.h"
#include "tests/support/diagnostic_lines.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

using namespace strata;
using test::documentOf;
using test::kClassifier;
using test::kImage;

namespace {

constexpr const char* kOneValue = R"({"type": "Input", "name": "image", "shape": [1]})";

}  // namespace

TEST_SUITE("model") {
  TEST_CASE("the example projects have no problems") {
    for (const auto& entry : std::filesystem::directory_iterator(sourceDir() / "projects")) {
      if (entry.path().extension() != ".json") continue;
      CAPTURE(entry.path().string());
      const auto project = loadProject(entry.path().string());
      REQUIRE(project);
      CHECK(linesOf(validate(*project)) == "");
    }
  }

  TEST_CASE("the summary contains shapes, parameters, multiply-adds and inputs of each layer") {
    const auto project = loadProject((sourceDir() / "projects/mnist-cnn.json").string());
    REQUIRE(project);
    const ModelSummary summary = inspectProject(*project).summary;
    CHECK(summary.parameters == 93322);
    CHECK(summary.trainableParameters == 93322);
    CHECK(summary.layers[1].outputShape->toString() == "[26,26,32]");
    CHECK(summary.layers[1].multiplyAdds == 64.0 * 26 * 26 * 32 * 9);
    CHECK(summary.layers.back().inputs == std::vector<std::string>{"hidden"});
  }

  TEST_CASE("layers are sorted, so that each comes after its inputs") {
    Diagnostics diagnostics;
    const Model model =
        parseModel(Project(documentOf(R"({"type": "Add", "name": "sum", "inputs": ["a", "image"]},
          {"type": "Dense", "name": "a", "units": 1, "inputs": ["image"]},)" +
                                      std::string(kOneValue))),
                   diagnostics);
    CHECK(diagnostics.empty());
    REQUIRE(model.layers.size() == 3);
    CHECK(model.layers[0].name == "image");
    CHECK(model.layers[1].name == "a");
    CHECK(model.outputs == std::vector<std::string>{"sum"});
  }

  TEST_CASE("an error from building the graph is reported as a problem") {
    CHECK(has(
        test::problemsOf(
            R"({"type": "Input", "name": "image", "shape": [28, 28, 1], "dtype": "int32"}, {"type": "Flatten", "name": "f"})"),
        "unsupported | "));
  }

  TEST_CASE("many layers with the same name are reported quickly, each with a free name") {
    // A search through all names for each free name would take minutes.
    std::string layers = kOneValue;
    for (int i = 0; i < 20000; ++i)
      layers += R"(, {"type": "Dense", "units": 1, "name": "a)" +
                (i < 10000 ? "_" + std::to_string(i + 2) : "") + R"("})";
    Diagnostics diagnostics;
    (void)parseModel(Project(documentOf(layers)), diagnostics);
    REQUIRE(diagnostics.size() == 9999);
    CHECK(diagnostics[0].fixes[0].arguments == Arguments{"a_10002"});
  }

  TEST_CASE("many unknown inputs are reported quickly, and the first ones have fixes") {
    std::string layers = kOneValue;
    // A comparison of each unknown name with each of these long names would take minutes.
    const std::string stem(80, 'x');
    for (int i = 0; i < 4000; ++i)
      layers += R"(, {"type": "Dense", "name": ")" + stem + std::to_string(i) +
                R"(", "units": 1, "inputs": [")" + stem + "y" + std::to_string(i % 10) + R"("]})";
    Diagnostics diagnostics;
    (void)parseModel(Project(documentOf(layers)), diagnostics);
    REQUIRE(diagnostics.size() >= 4000);
    CHECK_FALSE(diagnostics.front().fixes.empty());
    CHECK(diagnostics[3999].fixes.empty());
  }

  TEST_CASE("two hundred layers are checked within a tenth of a second") {
    std::string layers = kImage;
    for (int i = 0; i < 98; ++i)
      layers +=
          R"({"type": "Conv2D", "name": "c)" + std::to_string(i) +
          R"(", "filters": 8, "kernel_size": 3, "padding": "same"}, {"type": "BatchNormalization", "name": "b)" +
          std::to_string(i) + R"("},)";
    const Project project(documentOf(layers + kClassifier));
    validate(project);
    double best = 1e9;
    for (int i = 0; i < 5; ++i) {
      const auto start = std::chrono::steady_clock::now();
      const Inspection inspection = inspectProject(project);
      best = std::min(
          best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
                    .count());
      CHECK(inspection.diagnostics.empty());
    }
    MESSAGE("199 layers inspected in ", best, " ms");
#ifdef NDEBUG
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    MESSAGE("the limit was not checked, because a sanitizer is slow");
#else
    CHECK(best < 100);
#endif
#endif
  }
}

// SPDX-License-Identifier: Apache-2.0
// Tests the problems of a network: names, inputs, cycles and shapes. Each problem names its layer,
// and its fixes remove it.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/model/model.h"
#include "tests/core/model/mnist_project.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

using namespace strata;
using test::checkProblem;
using test::checkProblemAndFixes;
using test::documentOf;
using test::kImage;
using test::problemsOf;

namespace {

// A layer whose kernel is larger than the image, so that its output shape is unknown.
constexpr const char* kLargeKernel =
    R"({"type": "Conv2D", "name": "c", "filters": 4, "kernel_size": 30},)";
// A valid end of a network, except that seven outputs are too few for ten classes.
constexpr const char* kSevenOutputs =
    R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "out", "units": 7, "activation": "softmax"})";
constexpr const char* kTooFewOutputs =
    "shape_mismatch | out: the network has 7 outputs (expected at least 10";

std::string problemsAfterLargeKernel(const std::string& layers) {
  return problemsOf(kImage + std::string(kLargeKernel) + layers + kSevenOutputs);
}

std::ptrdiff_t countLines(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

TEST_SUITE("network problems") {
  TEST_CASE("all problems are reported at once, each with its layer") {
    const std::string text = problemsOf(kImage + std::string(R"(
      {"type": "Convv2D", "name": "conv1", "filters": 4, "kernel_size": 3},
      {"type": "Flatten", "name": "flat"},
      {"type": "Dense", "name": "fc", "units": 0},
      {"type": "Dense", "name": "fc", "units": 3, "unitz": 4},
      {"type": "Dense", "name": "out", "units": 10, "inputs": ["nobody"], "activation": "softmax"})"));
    CHECK(has(text,
              "unknown_type | conv1: this version has no layer type \"Convv2D\". Did you mean "
              "\"Conv2D\"?"));
    CHECK(has(text,
              "out_of_range | fc: units is out of range (expected at least 1, got 0). Set it to 1 "
              "or more."));
    CHECK(has(text, "duplicate_name | fc: layers 4 and 5"));
    CHECK(has(text, "warning unknown_field | fc: unitz is not a field"));
    CHECK(has(text, "missing_input | out: its input \"nobody\" does not exist"));
  }

  TEST_CASE("a network needs layers, the first of which is an Input") {
    CHECK(has(problemsOf(""), "empty_model"));
    const std::string dense = R"({"type": "Dense", "name": "a", "units": 3})";
    CHECK(has(problemsOf(dense),
              "missing_input | a: it has no input (expected an Input layer before it)"));
    test::checkFixes(documentOf(dense));
  }

  TEST_CASE("a layer has as many inputs as its type requires") {
    checkProblem(R"({"type": "Add", "name": "a"})",
                 "missing_input | a: an input is missing (expected at least 2: x1, x2; got 1)");
    checkProblem(R"({"type": "Dense", "name": "a", "units": 1, "inputs": ["image", "image"]})",
                 "too_many_inputs | a: there are too many inputs (expected 1, got 2)");
    test::checkFixes(documentOf(
        kImage + std::string(R"({"type": "Flatten", "name": "a", "inputs": ["image", "image"]})")));
  }

  TEST_CASE("inputs are a list of names of layers") {
    checkProblemAndFixes(R"({"type": "Flatten", "name": "f", "inputs": ["imag"]})",
                         "Did you mean \"image\"?");
    checkProblem(
        R"({"type": "Flatten", "name": "f", "inputs": 3})",
        "wrong_type | f: inputs has the wrong type (expected a list of layer names, got 3)");
  }

  TEST_CASE("a layer is an object with a type and a valid name") {
    checkProblem("3", "layer 2 is not an object");
    checkProblem(R"({"name": "a"})", "missing_type | a");
    checkProblem(R"({"type": "Dense"})", "missing_name");
    test::checkFixes(documentOf(kImage + std::string(R"({"type": "Flatten"})")));
    checkProblemAndFixes(R"({"type": "Flatten", "name": "a/b"})", "invalid_name | a/b");
  }

  TEST_CASE("an Input may not have the name of another input of the step") {
    for (const std::string& name : std::vector<std::string>{"target", "share", "sample_weight"})
      CHECK(has(problemsOf(R"({"type": "Input", "name": ")" + name + R"(", "shape": [28, 28, 1]})"),
                "invalid_name | " + name));
  }

  TEST_CASE("a layer that names a device needs one in the list") {
    checkProblem(R"({"type": "Flatten", "name": "f", "device": 1})",
                 "no_such_device | f: device is 1, but the devices are");
  }

  TEST_CASE("weights and inputs that are too large are a problem") {
    checkProblem(
        R"({"type": "Flatten", "name": "f"}, {"type": "Dense", "name": "a", "units": 1000000}, {"type": "Dense", "name": "b", "units": 100000000})",
        "too_large | b: [1000000,100000000]");
    CHECK(
        has(problemsOf(
                R"({"type": "Input", "name": "i", "shape": [1000000000, 1000000000, 1000000000]})"),
            "too_large | i"));
  }

  TEST_CASE("a cycle is a problem that lists its layers") {
    const std::string text = problemsOf(kImage + std::string(R"(
      {"type": "Add", "name": "a", "inputs": ["image", "c"]}, {"type": "Activation", "name": "b", "activation": "relu"}, {"type": "Activation", "name": "c", "activation": "relu"},
      {"type": "Flatten", "name": "f"})"));
    CHECK(has(text, "cycle | a: it is part of a cycle: a -> b -> c -> a (expected"));
    checkProblem(R"({"type": "Flatten", "name": "self", "inputs": ["self"]})", "self -> self");
  }

  TEST_CASE("a layer before a cycle is not reported as not connected") {
    const std::string text = problemsOf(
        kImage +
        std::string(
            R"({"type": "Flatten", "name": "flat"}, {"type": "Dense", "name": "hidden", "units": 8,
      "activation": "relu"}, {"type": "Dense", "name": "out", "units": 10, "inputs": ["out"]})"));
    CHECK(has(text, "out -> out"));
    CHECK(text.find("hidden") == std::string::npos);
  }

  TEST_CASE("a convolution needs an image that is at least as large as its kernel") {
    checkProblem(
        R"({"type": "Flatten", "name": "f"}, {"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": 3})",
        "shape_mismatch | c: the input has the shape [784] (expected an image: [height, width, "
        "channels])");
    checkProblemAndFixes(R"({"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": 30})",
                         "a window of 30 x 30 does not fit into an image of 28 x 28");
  }

  TEST_CASE("groups must divide the channels") {
    checkProblemAndFixes(
        R"({"type": "Conv2D", "name": "c", "filters": 4, "kernel_size": 3, "groups": 2})",
        "groups is 2, which does not divide the 1 channels");
  }

  TEST_CASE("a Reshape keeps the number of values") {
    checkProblem(R"({"type": "Reshape", "name": "r", "target_shape": [5, -1]})",
                 "target_shape [5,-1] does not match the 784 values");
  }

  TEST_CASE("the inputs of a merging layer must have matching shapes") {
    checkProblem(
        R"({"type": "Reshape", "name": "f", "target_shape": [16, 49]}, {"type": "Add", "name": "s", "inputs": ["image", "f"]})",
        "the input f has the shape [16,49] (expected [28,28,1], the shape of image)");
    checkProblem(
        R"({"type": "Flatten", "name": "f"}, {"type": "Concatenate", "name": "s", "inputs": ["image", "f"]})",
        "shape_mismatch | s");
  }

  TEST_CASE("a Concatenate along the batch is a problem, because its rows would not be samples") {
    for (const std::string axis : {"0", "-4"})
      checkProblemAndFixes(
          R"({"type": "Concatenate", "name": "s", "inputs": ["image", "image"], "axis": )" + axis +
              "}",
          "out_of_range | s: axis is " + axis +
              ", the batch dimension (expected 1 to 3, or -1 for the last dimension)");
  }

  TEST_CASE("the unknown shapes after a wrong layer are not further errors") {
    const Inspection inspection = inspectProject(Project(documentOf(
        kImage +
        std::string(
            R"({"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": 30}, {"type": "Flatten", "name": "f"})"))));
    CHECK_FALSE(inspection.summary.layers[2].isKnown);
    CHECK(inspection.summary.layers[2].parameters == -1);
    CHECK(std::count_if(inspection.diagnostics.begin(), inspection.diagnostics.end(),
                        [](const Diagnostic& each) { return each.severity == Severity::Error; }) ==
          1);
  }

  TEST_CASE("the outputs are checked although the output shape of an earlier layer is unknown") {
    const std::string text = problemsAfterLargeKernel("");
    CHECK(has(text, "a window of 30 x 30 does not fit"));
    CHECK(has(text, kTooFewOutputs));
    test::checkFixes(documentOf(kImage + std::string(kLargeKernel) + kSevenOutputs));
  }

  TEST_CASE("the outputs are checked although an earlier layer has any other problem") {
    // A wrong field, an unknown type, an unknown input, no input, a name that is used twice, and a
    // cycle.
    for (
        const char* wrong :
        {R"({"type": "Conv2D", "name": "c", "filters": 0, "kernel_size": 3},)",
         R"({"type": "Konv2D", "name": "c"},)",
         R"({"type": "Conv2D", "name": "c", "filters": 4, "kernel_size": 3, "inputs": ["imgae"]},)",
         R"({"type": "Conv2D", "name": "c", "filters": 4, "kernel_size": 3, "inputs": []},)",
         R"({"type": "Conv2D", "name": "image", "filters": 4, "kernel_size": 3},)",
         R"({"type": "Add", "name": "a", "inputs": ["image", "b"]}, {"type": "Activation", "name": "b"},)"})
      checkProblem(wrong + std::string(kSevenOutputs), kTooFewOutputs);
    // A network without an Input.
    CHECK(has(problemsOf(R"({"type": "Conv2D", "name": "c", "filters": 4, "kernel_size": 3},)" +
                         std::string(kSevenOutputs)),
              kTooFewOutputs));
  }

  TEST_CASE("a problem that follows from the known part of a shape is reported") {
    // The number of channels is known.
    CHECK(
        has(problemsAfterLargeKernel(
                R"({"type": "Conv2D", "name": "d", "filters": 6, "kernel_size": 3, "groups": 3},)"),
            "d: groups is 3, which does not divide the 4 channels"));
    CHECK(has(
        problemsAfterLargeKernel(
            R"({"type": "Conv2D", "name": "d", "filters": 6, "kernel_size": 1, "padding": "same"},
               {"type": "Add", "name": "s", "inputs": ["c", "d"]},)"),
        "s: the input d has the shape [?,?,6] (expected [?,?,4], the shape of c)"));
    // The rank of the output of a Flatten is known.
    CHECK(has(
        problemsAfterLargeKernel(
            R"({"type": "Flatten", "name": "g"}, {"type": "Conv2D", "name": "d", "filters": 6, "kernel_size": 3},)"),
        "shape_mismatch | d: the input has"));
  }

  TEST_CASE("a problem that depends on the unknown part of a shape is not reported") {
    for (
        const char* layers :
        {R"({"type": "Conv2D", "name": "d", "filters": 6, "kernel_size": 700},)",
         R"({"type": "Reshape", "name": "r", "target_shape": [11, -1]},)",
         R"({"type": "Conv2D", "name": "d", "filters": 4, "kernel_size": 3, "padding": "same"}, {"type": "Add", "name": "s", "inputs": ["c", "d"]},)",
         R"({"type": "Flatten", "name": "g"}, {"type": "Reshape", "name": "r", "target_shape": [13, 17]},)"}) {
      const std::string text = problemsAfterLargeKernel(layers);
      CHECK_MESSAGE(countLines(text) == 2, std::string(layers), text);
    }
  }

  TEST_CASE("the summary knows the shapes after a Dense although its input shape is unknown") {
    const Inspection inspection = inspectProject(
        Project(documentOf(kImage + std::string(kLargeKernel) + R"({"type": "Flatten", "name": "f"},
      {"type": "Dense", "name": "d", "units": 7}, {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})")));
    const std::vector<LayerSummary>& layers = inspection.summary.layers;
    CHECK_FALSE(layers[2].outputShape);
    CHECK(layers[3].outputShape->toString() == "[7]");
    CHECK(layers[3].parameters == -1);
    CHECK(layers[4].parameters == 80);
  }

  TEST_CASE("a wrong field in an example causes no errors of unrelated layers") {
    for (const auto& entry : std::filesystem::directory_iterator(sourceDir() / "projects")) {
      if (entry.path().extension() != ".json") continue;
      const Json good = loadProject(entry.path().string())->document();
      REQUIRE_FALSE(hasErrors(validate(Project(good, entry.path().string()))));
      for (size_t i = 0; i < good["model"]["layers"].size(); ++i)
        for (const char* field : {"type", "units", "kernel_size", "pool_size", "rate", "name",
                                  "axis", "filters", "target_shape"}) {
          Json wrong = good;
          Json& layer = wrong["model"]["layers"][i];
          if (!layer.contains(field)) continue;
          layer[field] = std::string(field) == "name" ? Json("a/b") : Json(-99999);
          const std::string name = layer["name"];
          int errors = 0;
          for (const Diagnostic& each : validate(Project(wrong, entry.path().string()))) {
            if (each.severity != Severity::Error) continue;
            const bool isExpected = each.layer == name || each.code == "missing_input" ||
                                    each.code == "several_outputs";
            CHECK_MESSAGE(isExpected, entry.path().filename().string(), ": ", name, " ", field,
                          ": ", each.line());
            errors += isExpected;
          }
          CHECK(errors > 0);
        }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Tests the problems of the other parts of a project: outputs that do not match data or loss,
// training, execution and unknown keys.
#include <doctest/doctest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/project/edit.h"
#include "core/recipe/options.h"
#include "tests/core/model/mnist_project.h"
#include "tests/support/diagnostic_lines.h"
#include "tests/support/has.h"

using namespace strata;
using test::checkFixes;
using test::documentOf;
using test::kClassifier;
using test::kImage;
using test::problemsOf;

namespace {

const std::string kFlat = kImage + std::string(R"({"type": "Flatten", "name": "f"},)");
const std::string kGood = kImage + std::string(kClassifier);
const std::string kWithoutActivation = kFlat + R"({"type": "Dense", "name": "out", "units": 10})";

constexpr const char* kFromLogits =
    R"({"loss": {"type": "sparse_categorical_crossentropy", "from_logits": true}, "optimizer": "adam"})";

/// Returns a `training` object with this loss.
std::string withLoss(const std::string& loss) {
  return R"({"optimizer": "adam", "loss": ")" + loss + R"("})";
}

/// Returns the problems of a valid network with this `training` object.
std::string problemsOfTraining(const std::string& training) { return problemsOf(kGood, training); }

std::string problemsIn(const Json& document) { return linesOf(validate(Project(document))); }

}  // namespace

TEST_SUITE("project problems") {
  TEST_CASE("the network has an output for each class of the data") {
    const std::string five =
        kFlat + R"({"type": "Dense", "name": "out", "units": 5, "activation": "softmax"})";
    CHECK(has(problemsOf(five),
              "shape_mismatch | out: the network has 5 outputs (expected at least 10"));
    checkFixes(documentOf(five));
    CHECK(problemsOf(kGood).empty());
  }

  TEST_CASE("an Input has the shape of the samples") {
    const std::string layers =
        R"({"type": "Input", "name": "image", "shape": [14, 14, 4]},)" + std::string(kClassifier);
    CHECK(
        has(problemsOf(layers), "shape_mismatch | image: shape is [14,14,4] (expected [28,28,1]"));
    checkFixes(documentOf(layers));
  }

  TEST_CASE("a layer that is not connected to anything is a problem") {
    CHECK(has(
        problemsOf(
            kImage +
            std::string(
                R"({"type": "Flatten", "name": "loose"}, {"type": "Flatten", "name": "f", "inputs": ["image"]}, {"type": "Dense", "name": "out", "units": 10, "activation": "softmax"})")),
        "several_outputs | loose: its output is not connected"));
  }

  TEST_CASE("cross-entropy warns if the network gives no probabilities") {
    CHECK(has(problemsOf(kWithoutActivation), "warning not_probabilities | out"));
    checkFixes(documentOf(kWithoutActivation));
    CHECK(
        has(problemsOf(
                kFlat + R"({"type": "Dense", "name": "out", "activation": "sigmoid", "units": 10})",
                withLoss("sparse_categorical_crossentropy")),
            "not_probabilities"));
  }

  TEST_CASE("probabilities may come from a Softmax, a wrapped layer or an Average") {
    CHECK(problemsOf(kWithoutActivation + R"(, {"type": "Softmax", "name": "last"})").empty());
    for (const bool hasSoftmax : {true, false}) {
      const std::string activation = hasSoftmax ? R"(, "activation": "softmax")" : "";
      CHECK(
          problemsOf(
              kFlat +
              R"({"type": "SpectralNormalization", "name": "out", "layer": {"type": "Dense", "units": 10)" +
              activation + "}}")
              .empty() == hasSoftmax);
    }
    CHECK(
        problemsOf(
            kGood +
            R"(, {"type": "Dense", "name": "two", "units": 10, "activation": "softmax", "inputs": ["f"]},
                 {"type": "Average", "name": "both", "inputs": ["out", "two"]})")
            .empty());
  }

  TEST_CASE("a binary cross-entropy accepts one or several outputs with a sigmoid") {
    for (const std::string loss : {"binary_crossentropy", "binary_focal_crossentropy"})
      for (const std::string units : {"1", "10"}) {
        CAPTURE(loss);
        CAPTURE(units);
        const std::string text = problemsOf(
            kFlat + R"({"type": "Dense", "name": "out", "activation": "sigmoid", "units": )" +
                units + "}",
            withLoss(loss));
        CHECK(text.find("one_class") == std::string::npos);
        CHECK(text.find("not_probabilities") == std::string::npos);
      }
  }

  TEST_CASE("from_logits warns if the network ends with a softmax") {
    CHECK(has(problemsOf(kGood, kFromLogits), "warning not_logits | out"));
    CHECK(has(
        problemsOf(kWithoutActivation + R"(, {"type": "Softmax", "name": "last"})", kFromLogits),
        "warning not_logits | last"));
  }

  TEST_CASE("loss and metrics must match the labels") {
    for (const char* loss : {"categorical_crossentropy", "categorical_focal_crossentropy"})
      CHECK(has(problemsOfTraining(withLoss(loss)), "loss_mismatch | training"));
    CHECK(has(problemsOfTraining(withLoss("binary_crossentropy")),
              "target_out_of_range | training: the data has 10 classes (expected 2"));
    CHECK(has(problemsOfTraining(withLoss("mean_squared_error")), "shape_mismatch | out"));
    CHECK(has(
        problemsOfTraining(
            R"({"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "metrics": ["mean_absolute_error"]})"),
        "metric_mismatch"));
  }

  TEST_CASE("training requires a loss and an optimizer") {
    const std::string text = problemsOfTraining("{}");
    CHECK(has(text, "missing_field | training: loss is missing"));
    CHECK(has(text, "optimizer is missing"));
  }

  TEST_CASE("an unknown optimizer is an error that names the nearest one") {
    CHECK(has(problemsOfTraining(R"({"loss": "sparse_crossentropy", "optimizer": "adan"})"),
              "there is no optimizer \"adan\" (expected a name such as \"adam\"). Did you mean "
              "\"adam\"?"));
  }

  TEST_CASE("all problems of training are reported at once") {
    const std::string text = problemsOfTraining(
        R"({"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "adam", "beta_1": 1.5}, "batch_size": 0, "epochs": "x", "metrics": ["acuracy"], "lr": 1})");
    CHECK(has(text, "training/optimizer: beta_1 is out of range"));
    CHECK(has(text, "training: batch_size is out of range (expected at least 1, got 0)"));
    CHECK(has(text, "training: epochs has the wrong type (expected an integer"));
    CHECK(has(text,
              "there is no metric \"acuracy\" (expected a name such as \"accuracy\"). Did you mean "
              "\"accuracy\"?"));
    CHECK(has(text, "warning unknown_field | training: lr"));
  }

  TEST_CASE("a schedule has all of its required fields") {
    CHECK(has(
        problemsOfTraining(
            R"({"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "adam", "learning_rate": {"type": "CosineDecay", "initial_learning_rate": 0.1}}})"),
        "missing_field | training/optimizer/learning_rate: decay_steps is missing"));
  }

  TEST_CASE("clipnorm and clipvalue exclude each other") {
    CHECK(has(
        problemsOfTraining(
            R"({"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "sgd", "clipnorm": 1, "clipvalue": 1}})"),
        "conflict | training/optimizer: clipnorm and clipvalue"));
  }

  TEST_CASE("EarlyStopping requires the samples of the metric that it monitors") {
    CHECK(has(
        problemsOfTraining(
            R"({"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "callbacks": [{"type": "EarlyStopping"}]})"),
        "monitors val_loss, but there are no validation samples"));
  }

  TEST_CASE("the precision is float32, bfloat16 or float16") {
    Json document = documentOf(kGood);
    for (const char* precision : {"float32", "bfloat16", "float16"}) {
      document["execution"] = {{"precision", precision}};
      CHECK(problemsIn(document).empty());
      Diagnostics diagnostics;
      const ExecutionOptions options = parseExecution(Project(document), diagnostics);
      CHECK(precisionName(options.precision) == precision);
      CHECK(options.lossScale().isDynamic == (options.precision == Precision::Float16));
    }
    document["execution"]["precision"] = "tf32";
    CHECK(has(problemsIn(document),
              "execution: the precision tf32 is for NVIDIA GPUs, and the device is \"auto\" "
              "(expected float32, bfloat16 or float16). Set it to float32, or choose another "
              "device."));
    checkFixes(document);
    document["execution"]["precision"] = "bfloat17";
    CHECK(has(problemsIn(document), "execution: precision has an unknown value"));
    checkFixes(document);
  }

  TEST_CASE("the loss scale is dynamic or a number above 0, for float16") {
    Json document = documentOf(kGood);
    document["execution"] = Json::parse(R"({"precision": "float16", "loss_scale": "dynamic"})");
    CHECK(problemsIn(document).empty());
    document["execution"]["loss_scale"] = 8;
    CHECK(problemsIn(document).empty());
    Diagnostics diagnostics;
    const LossScale scale = parseExecution(Project(document), diagnostics).lossScale();
    CHECK_FALSE(scale.isDynamic);
    CHECK(scale.value == 8);
    for (const Json& wrong : {Json(0), Json(-2), Json("often")}) {
      document["execution"]["loss_scale"] = wrong;
      CHECK(has(problemsIn(document), "execution: loss_scale "));
    }
    document["execution"] = Json::parse(R"({"precision": "bfloat16", "loss_scale": 8})");
    CHECK(has(problemsIn(document),
              "execution: loss_scale has no effect, because the precision is bfloat16"));
    checkFixes(document);
  }

  TEST_CASE("unsupported devices and unknown passes are problems") {
    Json document = documentOf(kGood);
    document["execution"] =
        Json::parse(R"({"devices": "cuda", "disabled_passes": ["fold_constant", "nonsense"]})");
    const std::string text = problemsIn(document);
    CHECK(
        has(text,
            "there is no device \"cuda\" (expected auto, cpu, reference, cpu*N, cuda:N, all or "));
    CHECK(has(text, "there is no pass \"fold_constant\". Did you mean \"fold_constants\"?"));
    CHECK(has(text, "there is no pass \"nonsense\" (expected one of remove_dead, "));
    checkFixes(document);
  }

  TEST_CASE("training on several devices is a problem with a fix") {
    Json document = documentOf(kGood);
    document["execution"] = Json::parse(R"({"devices": ["cpu", "cuda:0"]})");
    CHECK(has(problemsIn(document), "the list has 2 devices that cannot train together"));
    checkFixes(document);
  }

  TEST_CASE("devices may be a list of one device, and a pass of any device may be disabled") {
    Json document = documentOf(kGood);
    document["execution"] = Json::parse(
        R"({"devices": ["reference"], "disabled_passes": ["pool_gradients_first"], "memory_limit": {"cpu": 5000, "reference": 7000, "cuda:0": 1, "cpu:1": 2}})");
    CHECK(problemsIn(document).empty());
    Diagnostics diagnostics;
    const ExecutionOptions options = parseExecution(Project(document), diagnostics);
    CHECK(options.device == "reference");
    CHECK(options.disabledPasses.contains("pool_gradients_first"));
    CHECK(options.memoryLimitBytes == 7000);
    CHECK(options.limitOf("cpu") == 5000);
  }

  TEST_CASE("the memory limit is that of the device, or one for all devices") {
    Json document = documentOf(kGood);
    Json& execution = document["execution"];
    execution = Json::parse(R"({"devices": "auto", "memory_limit": {"cpu": 5000}})");
    Diagnostics diagnostics;
    CHECK(parseExecution(Project(document), diagnostics).memoryLimitBytes == 5000);
    execution["memory_limit"] = Json::parse(R"({"reference": 7000})");
    CHECK_FALSE(parseExecution(Project(document), diagnostics).memoryLimitBytes.has_value());
    execution["memory_limit"] = 9;
    CHECK(parseExecution(Project(document), diagnostics).limitOf("reference") == 9);
  }

  TEST_CASE("a memory limit of an unknown device or of 0 bytes is a problem") {
    Json document = documentOf(kGood);
    document["execution"]["memory_limit"] = Json::parse(R"({"cpi": 5000})");
    CHECK(has(problemsIn(document),
              "unknown_device | execution/memory_limit: there is no device \"cpi\". Did you mean "
              "\"cpu\"?"));
    checkFixes(document);
    document["execution"]["memory_limit"] = Json::parse(R"({"cpu": 0, "cuda:x": 5})");
    const std::string text = problemsIn(document);
    CHECK(has(text,
              "execution/memory_limit: memory_limit is out of range (expected at least 1, got 0)"));
    CHECK(has(text, "there is no device \"cuda:x\""));
  }

  TEST_CASE("an unknown key is reported with the nearest name, and `design` is known") {
    Json document = documentOf(kGood);
    document["traning"] = Json::object();
    document["design"] = Json::object();
    document["model"]["layer"] = 1;
    const std::string text = problemsIn(document);
    CHECK(has(
        text,
        "warning unknown_field | traning: traning is not a field of a project and has no effect"));
    CHECK(has(text, "layer is not a field of model and has no effect. Did you mean layers?"));
    CHECK(text.find("design") == std::string::npos);
  }

  TEST_CASE("an unknown key is reported if the intended key is present, or if no form shows it") {
    Json document = documentOf(kGood);
    document["data"]["validation_spli"] = 0.5;
    document["data"]["validation_split"] = 0.1;
    document["data"]["transform"] = Json::array();
    document["data"]["foo"] = 1;
    document["training"]["optimiser"] = "sgd";
    document["training"]["los"] = "x";
    document["execution"] = Json::parse(R"({"precison": "float32", "disable_passes": []})");
    document["model"]["layers"][2]["input"] = Json::array();
    document["model"]["layers"][2]["nam"] = "x";
    const std::string text = problemsIn(document);
    for (const char* expected :
         {"validation_spli is not a field of data and has no effect. Did you mean "
          "validation_split?",
          "Did you mean transforms?", "foo is not a field of data and has no effect. Remove it.",
          "Did you mean optimizer?", "Did you mean loss?", "Did you mean precision?",
          "Did you mean disabled_passes?",
          "out: input is not a field of Dense and has no effect. Did you mean inputs?",
          "Did you mean name?"})
      CHECK(has(text, expected));
  }

  TEST_CASE("the fix of a misspelled key keeps its value") {
    Json document = documentOf(kGood);
    document["training"].erase("optimizer");
    document["training"]["optimiser"] = "sgd";
    const Diagnostics problems = validate(Project(document));
    CHECK(has(linesOf(problems), "optimizer is missing"));
    const auto misspelled =
        std::find_if(problems.begin(), problems.end(),
                     [](const Diagnostic& each) { return each.field == "/training/optimiser"; });
    REQUIRE(misspelled != problems.end());
    REQUIRE(misspelled->fixes.size() == 2);
    applyEdit(document, misspelled->fixes[0].edit);
    CHECK(document["training"]["optimizer"] == "sgd");
  }
}

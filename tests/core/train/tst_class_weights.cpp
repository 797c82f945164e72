// SPDX-License-Identifier: Apache-2.0
// Tests class weights, which multiply the training loss of each sample by the weight of its class.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/check/class_weights.h"
#include "core/interchange/safetensors.h"
#include "core/recipe/options.h"
#include "tests/support/csv_file.h"
#include "tests/support/diagnostic_lines.h"
#include "tests/support/has.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

double lossOfFirstStep(const Project& project) {
  Recorder recorder;
  SessionOptions options = optionsFor(project);
  options.maxSteps = 1;
  const RunOutcome outcome = trainAll(options, recorder);
  REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
  return recorder.steps[0].loss;
}

double lossWith(const char* weights) {
  return lossOfFirstStep(smallProjectWith({{"/training/class_weight", weights}}));
}

}  // namespace

TEST_SUITE("class weights") {
  TEST_CASE("the loss is multiplied by the weight of the class, which is 1 by default") {
    const double plain = lossOfFirstStep(smallProject());
    CHECK(lossWith(R"({"0": 2, "1": 2, "2": 2})") == doctest::Approx(2 * plain).epsilon(1e-6));
    CHECK(lossWith("[1, 1]") == doctest::Approx(plain).epsilon(1e-6));
    CHECK(lossWith(R"({"1": 0})") < plain);
  }

  TEST_CASE("class weights are numbers of at least 0, as a list or by class number") {
    for (const char* wrong : {R"({"cat": "1"})", R"({"0": -1})", "[1, -1]", "3", R"("equal")"}) {
      CAPTURE(wrong);
      Diagnostics problems;
      parseTraining(smallProjectWith({{"/training/class_weight", wrong}}), problems);
      CHECK(has(linesOf(problems),
                "class_weight has the wrong type (expected a number of at least 0 for each class"));
    }
  }

  TEST_CASE("balanced weights are those of scikit-learn, and names select classes") {
    Project project(Json::parse(R"({"format": "strata-project", "version": 1, "name": "names",
      "data": {"source": {"type": "values", "x": [[1], [2], [3], [4], [5], [6]], "y": [0, 1, 1, 1, 2, 2]}},
      "model": {"layers": [{"type": "Input", "name": "x", "shape": [1]}, {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}]},
      "training": {"loss": "sparse_categorical_crossentropy", "optimizer": "sgd", "batch_size": 6, "epochs": 1}})"));
    const auto weightsOf = [&](const Json& given) {
      project.document()["training"]["class_weight"] = given;
      const CheckedProject checked(project);
      return classWeightsOf(checked.recipe(), *loadDataset(checked));
    };
    // compute_class_weight("balanced", classes=[0, 1, 2], y=[0, 1, 1, 1, 2, 2])
    const std::vector<double> balanced = weightsOf("balanced");
    REQUIRE(balanced.size() == 3);
    CHECK(balanced[0] == doctest::Approx(2));
    CHECK(balanced[1] == doctest::Approx(2.0 / 3));
    CHECK(balanced[2] == doctest::Approx(1));
    CHECK(weightsOf(Json{1, 2, 3}).empty());
    CHECK(weightsOf(Json{{"1", 2.5}}) == std::vector<double>{1, 2.5});
    const auto lossWithWeights = [&](const Json& given) {
      project.document()["training"]["class_weight"] = given;
      return lossOfFirstStep(project);
    };
    CHECK(lossWithWeights("balanced") ==
          doctest::Approx(lossWithWeights(Json{2, 2.0 / 3, 1})).epsilon(1e-6));
    CHECK(lossWithWeights("balanced") != doctest::Approx(lossWithWeights(nullptr)).epsilon(1e-6));
    // Classes of a table have names.
    CsvFile table;
    table.write("a,kind\n1,cat\n2,dog\n3,dog\n4,255\n");
    Project named = table.project();
    const auto namedWeights = [&](const Json& given) {
      named.document()["training"]["class_weight"] = given;
      const CheckedProject checked(named);
      return classWeightsOf(checked.recipe(), *loadDataset(checked));
    };
    CHECK(namedWeights({{"dog", 3.0}}) == std::vector<double>{1, 1, 3});
    CHECK(namedWeights({{"dog", 3.0}, {"0", 2.0}, {"cat", 4.0}}) == std::vector<double>{2, 4, 3});
    // A number that no class has as number is a name.
    CHECK(namedWeights({{"255", 5.0}}) == std::vector<double>{5});
    CHECK_THROWS_AS(namedWeights({{"bird", 1.0}}), Error);
    Diagnostics problems;
    TrainingOptions options;
    options.namedClassWeights = {{"dgo", 2.0}};
    checkClassWeights(options, {{}, true, 2, {"cat", "dog"}}, nullptr, problems);
    REQUIRE(problems.size() == 1);
    CHECK(has(problems[0].line(), "Did you mean \"dog\"?"));
    CHECK(problems[0].fixes.size() == 1);
    // A number that is also the name of another class means the class number, with a warning.
    problems.clear();
    options.namedClassWeights = {{"1", 2.0}};
    checkClassWeights(options, {{}, true, 2, {"1", "2"}}, nullptr, problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].severity == Severity::Warning);
    CHECK(problems[0].code == "ambiguous_class");
  }

  TEST_CASE("a class number that no target has needs no memory for the classes below it") {
    Project project(Json::parse(R"({"format": "strata-project", "version": 1, "name": "high",
      "data": {"source": {"type": "values", "x": [[1], [2]], "y": [[0], [1]]}},
      "model": {"layers": [{"type": "Input", "name": "x", "shape": [1]}, {"type": "Dense", "name": "out", "units": 1, "activation": "sigmoid"}]},
      "training": {"loss": "binary_crossentropy", "optimizer": "sgd", "batch_size": 2, "epochs": 1,
                   "class_weight": {"1": 3.0, "2000000000": 2.0}}})"));
    {
      const CheckedProject checked(project);
      CHECK(classWeightsOf(checked.recipe(), *loadDataset(checked)) == std::vector<double>{1, 3});
    }
    Diagnostics problems;
    TrainingOptions options;
    options.namedClassWeights = {{"2", 1.0}, {"2000000000", 2.0}};
    // Targets without class numbers: one value, and one value for each of three classes
    checkClassWeights(options, {Shape{1}, false, 0, {}}, nullptr, problems);
    CHECK(problems.size() == 2);
    problems.clear();
    checkClassWeights(options, {Shape{3}, false, 0, {}}, nullptr, problems);
    REQUIRE(problems.size() == 1);
    CHECK(has(problems[0].line(), "class 2000000000 has a weight"));
    project.document()["data"]["source"]["y"] = {0, 2000000000};
    project.document()["model"]["layers"][1]["units"] = 3;
    project.document()["training"]["loss"] = "sparse_categorical_crossentropy";
    project.document()["training"]["class_weight"] = "balanced";
    TrainingOptions balanced;
    balanced.hasBalancedClasses = true;
    CHECK_THROWS_WITH_AS(classWeightsOf(balanced, *loadDataset(project)),
                         doctest::Contains("needs a weight for class 2000000000"), Error);
  }

  TEST_CASE("losses, accuracies and weights of a run with class weights equal those of Keras") {
    Project project(Json::parse(R"({"format": "strata-project", "version": 1, "name": "weights",
      "data": {"source": {"type": "values", "x": [[0.5, -1.0], [1.0, 0.25], [-0.75, 0.5], [0.1, 0.9], [0.3, -0.2], [-1.0, -0.6]], "y": [0, 1, 2, 1, 0, 2]}},
      "model": {"layers": [{"type": "Input", "name": "x", "shape": [2]}, {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}]},
      "training": {"loss": "sparse_categorical_crossentropy", "optimizer": {"type": "sgd", "learning_rate": 0.5}, "metrics": ["accuracy"],
                   "batch_size": 4, "epochs": 3, "shuffle": false, "class_weight": {"0": 1.0, "1": 3.0, "2": 0.25}}})"));
    TemporaryFolder folder;
    const std::map<std::string, Tensor> start{
        {"out/kernel", Tensor::from<float>(
                           Shape{2, 3}, std::vector<float>{0.2f, -0.1f, 0.05f, 0.3f, 0.1f, -0.2f})},
        {"out/bias", Tensor::from<float>(Shape{3}, std::vector<float>{0, 0, 0})}};
    writeSafetensors((folder / "start.safetensors").string(), viewsOf(start), {});
    project.document()["training"]["initial_weights"] = (folder / "start.safetensors").string();
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    // These are values of Keras 3.15: Sequential([Dense(3, "softmax")]).fit(...,
    // class_weight={0: 1, 1: 3, 2: 0.25}).
    const std::vector<double> losses{1.7086092233657837, 1.095929503440857, 0.8441595435142517},
        accuracies{0, 2.0 / 3, 2.0 / 3};
    for (size_t i = 0; i < 3; ++i) {
      CHECK(recorder.epochs[i].loss == doctest::Approx(losses[i]).epsilon(1e-6));
      CHECK(recorder.epochs[i].metrics[0] == doctest::Approx(accuracies[i]).epsilon(1e-6));
    }
    const std::vector<float> kernel{0.16480311751365662f,  0.45101529359817505f,
                                    -0.46581846475601196f, -0.4074802100658417f,
                                    0.9204530119895935f,   -0.3129728436470032f};
    const std::map<std::string, Tensor> weights = weightsIn(folder / "run");
    for (size_t i = 0; i < kernel.size(); ++i)
      CHECK(weights.at("out/kernel").as<float>()[i] == doctest::Approx(kernel[i]).epsilon(1e-5));
  }
}

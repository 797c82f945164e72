// SPDX-License-Identifier: Apache-2.0
// Tests class weights, which multiply the training loss of each sample by the weight of its class.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/interchange/safetensors.h"
#include "core/recipe/options.h"
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
    for (const char* wrong : {R"({"cat": 1})", "[1, -1]", "3"}) {
      CAPTURE(wrong);
      Diagnostics problems;
      parseTraining(smallProjectWith({{"/training/class_weight", wrong}}), problems);
      CHECK(has(linesOf(problems),
                "class_weight has the wrong type (expected a number of at least 0 for each class"));
    }
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

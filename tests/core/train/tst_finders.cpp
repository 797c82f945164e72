// SPDX-License-Identifier: Apache-2.0
// Tests values that are determined before training starts: live settings, the stage to plan, the
// learning rate and the batch size.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/model/model.h"
#include "core/recipe/run_edits.h"
#include "core/train/bench.h"
#include "core/train/find_batch_size.h"
#include "core/train/find_learning_rate.h"
#include "core/train/plan.h"
#include "gpu/base/rng.h"
#include "tests/support/small_run.h"

using namespace strata;

TEST_SUITE("finders") {
  TEST_CASE(
      "live settings are the live fields of the optimizer and of each layer, with their values") {
    Project project = smallProject();
    project.document() =
        Json::parse(R"({"model": {"layers": [{"type": "Input", "name": "x", "shape": [4, 3]},
      {"type": "Block", "name": "part", "layers": [{"type": "LSTM", "name": "rnn", "units": 2, "dropout": 0.25}]},
      {"type": "TimeDistributed", "name": "each", "layer": {"type": "Bidirectional", "layer": {"type": "GRU", "units": 2, "dropout": 0.125}}},
      {"type": "Dropout", "name": "drop", "rate": 0.5}, {"type": "Dense", "name": "out", "units": 2}]},
      "training": {"loss": "mean_squared_error", "metrics": ["accuracy"], "optimizer": {"type": "adamw", "learning_rate": 0.01, "clipnorm": null}}})");
    const std::map<std::string, double, std::less<>> expected{
        {"learning_rate", 0.01},
        {"weight_decay", 0.004},
        {"clipnorm", 0},
        {"clipvalue", 0},
        {"global_clipnorm", 0},
        {"part/rnn/dropout", 0.25},
        {"part/rnn/recurrent_dropout", 0},
        {"drop/rate", 0.5},
        {"each/layer/layer/dropout", 0.125},
        {"each/layer/layer/recurrent_dropout", 0}};
    CHECK(liveSettings(project.document()) == expected);
    CHECK(projectNames(project, "setting").size() == expected.size());
    CHECK(projectNames(project, "layer_name") ==
          std::vector<std::string>{"x", "part", "part/rnn", "each", "drop", "out"});
    CHECK(projectNames(project, "monitor") ==
          std::vector<std::string>{"loss", "accuracy", "val_loss", "val_accuracy"});
    CHECK(projectNames(project, "activation").empty());
    applyChange(project.document(), "each/layer/layer/dropout", 0.25);
    CHECK(project.document()["model"]["layers"][2]["layer"]["layer"]["dropout"] == 0.25);
    Diagnostics problems;
    CHECK_FALSE(checkChange(project.document(), "each/layer/layer/dropout", 1, "", problems));
    CHECK_FALSE(checkChange(project.document(), "each/layer/dropout", 0.5, "", problems));
    project.document()["training"]["optimizer"] = "sgd";
    CHECK(liveSettings(project.document()).at("learning_rate") == 0.01);
    project.document()["training"]["optimizer"] =
        Json::parse(R"({"type": "sgd", "learning_rate": {"type": "ExponentialDecay"}})");
    CHECK_FALSE(liveSettings(project.document()).contains("learning_rate"));
    project.document()["training"]["optimizer"] = Json::parse("[1]");
    project.document()["model"] = 3;
    CHECK(liveSettings(project.document()).empty());
  }

  TEST_CASE("plan uses the stage that needs the most memory, and bench uses the first stage") {
    const Project project =
        smallProjectWith({{"/training/stages",
                           R"([{"epochs": 1, "trainable": ["out"], "learning_rate": 0.5}, {}])"}});
    const std::vector<Project> stages =
        stageProjects(project, CheckedProject(project).recipe().stages);
    REQUIRE(stages.size() == 2);
    CHECK(stages[0].document()["training"]["optimizer"]["learning_rate"] == 0.5);
    // The second stage keeps the learning rate of the first stage.
    CHECK(stages[1].document()["training"]["optimizer"]["learning_rate"] == 0.5);
    PlanOptions options;
    options.device = "reference";
    options.measuresStepTime = options.findsLargestBatch = false;
    const TrainingPlan plan = planTraining(project, options),
                       whole = planTraining(smallProject(), options);
    CHECK(plan.stage == 2);
    CHECK(plan.stages == 2);
    CHECK(plan.peakBytes == whole.peakBytes);
    CHECK(whole.stages == 0);
    BenchOptions bench;
    bench.device = "reference";
    bench.windows = 1;
    bench.windowSeconds = 0;
    bench.steps = 3;
    const BenchReport report = benchProject(project, bench);
    CHECK(report.stages == 2);
    TemporaryFolder folder;
    SessionOptions training = optionsFor(project, folder / "run");
    training.maxSteps = 3;
    Recorder recorder;
    CHECK(report.weightsHash == trainAll(training, recorder).weightsHash);
  }

  TEST_CASE("the range test finds where the loss falls fastest, and restores the network") {
    Project project(parseJson(R"({"format": "strata-project", "version": 1, "name": "line",
      "data": {"source": {"type": "values", "x": [[1], [2], [3], [-1], [-2], [-3]], "y": [[3], [6], [9], [-3], [-6], [-9]]}},
      "model": {"layers": [{"type": "Input", "name": "x", "shape": [1]}, {"type": "Dense", "name": "out", "units": 1}]},
      "training": {"loss": "mse", "optimizer": "sgd", "batch_size": 6, "epochs": 1}})",
                              "test"),
                    "");
    const auto dataset = loadDataset(project);
    NetworkOptions options;
    options.device = "reference";
    options.maxBatch = dataset->trainCount;
    Network network(project, options);
    network.prepare(network.steps().batchesOf(dataset->trainCount), {}, dataset.get());
    network.state().initialize(1, dataset.get());
    const auto before = network.state().all();
    FindRateOptions find;
    find.lowest = 1e-5;
    const FoundRate found = findLearningRate(network, *dataset, find);
    // The loss is a parabola with the curvature 2 * 28 / 6, so updates diverge for learning rates
    // above 0.214.
    REQUIRE(found.suggestion);
    CHECK(*found.suggestion > 0.002);
    CHECK(*found.suggestion < 0.214);
    CHECK(found.points.size() < 100);
    const auto after = network.state().all();
    for (const auto& [name, tensor] : before)
      CHECK(tensor.isBitEqual(after.at(name)));
  }

  TEST_CASE("the suggested rate is where the curve of a range test falls fastest") {
    const auto curve = [](const std::vector<double>& losses, double first, double factor) {
      std::vector<RatePoint> points;
      for (const double loss : losses)
        points.push_back(
            {first * std::pow(factor, static_cast<double>(points.size())), loss, loss});
      return points;
    };
    const FoundRate found = evaluatedRates(curve({5, 5, 4.9, 4, 2, 1.8, 1.7, 3, 9}, 1e-6, 10), 0);
    CHECK(found.suggestion.value() == doctest::Approx(1e-3));
    CHECK(found.lowestLoss.value() == doctest::Approx(1));
    CHECK_FALSE(evaluatedRates(curve({1, 2, 3}, 1e-3, 10), 0.9).suggestion);
    CHECK_FALSE(evaluatedRates({}, 0.9).suggestion);
    // The fall from the large first loss and the final oscillation are steeper than the descent to
    // the smallest loss, but must be ignored.
    std::vector<double> losses;
    for (int i = 0; i < 40; ++i)
      losses.push_back(i == 0 ? 9.0 : i < 25 ? 2.0 - 0.01 * i : 1.75 - 0.1 * (i - 24));
    losses.insert(losses.end(), {6, 9, 1, 7});
    for (const double smoothing : {0.0, 0.9}) {
      const double rate =
          evaluatedRates(curve(losses, 1e-5, std::pow(10, 0.1)), smoothing).suggestion.value();
      CHECK(rate > std::pow(10, -2.6));
      CHECK(rate < std::pow(10, -1.1));
    }
    // These losses are random and do not fall, so there is no suggestion.
    RandomStream random(5, 1);
    for (int trial = 0; trial < 50; ++trial) {
      std::vector<RatePoint> flat;
      double mean = 0;
      for (int i = 0; i < 100; ++i) {
        const double loss = 2 + random.uniform();
        mean = 0.9 * mean + 0.1 * loss;
        flat.push_back({std::pow(10, 0.08 * i - 7), loss, mean / (1 - std::pow(0.9, i + 1))});
      }
      CHECK_FALSE(evaluatedRates(flat, 0.9).suggestion);
    }
  }

  TEST_CASE("the plan gives the largest batch, which is confirmed by running a step") {
    Project project = smallProject();
    FindBatchRequest request;
    request.device = "reference";
    FoundBatch found = findBatchSize(project, request);
    // A batch that contains all training samples fits.
    CHECK(found.largestConfirmed.value() == 117);
    REQUIRE(!found.tried.empty());
    for (const TriedBatch& tried : found.tried) {
      CHECK(tried.problem == "");
      CHECK(tried.peakBytes == tried.plannedBytes);
      CHECK(tried.samplesPerSecond > 0);
    }
    request.memoryLimitBytes = 60000;
    found = findBatchSize(project, request);
    REQUIRE(found.largestPlanned);
    CHECK(*found.largestPlanned < 117);
    CHECK(found.largestConfirmed == found.largestPlanned);
    CHECK(found.tried.back().peakBytes <= 60000);
    request.memoryLimitBytes = 1000;
    CHECK_FALSE(findBatchSize(project, request).largestPlanned);
  }
}

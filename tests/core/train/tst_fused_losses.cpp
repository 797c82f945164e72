// SPDX-License-Identifier: Apache-2.0
// Tests training on a card with the pass fuse_loss: the loss, its metric and the gradient of the
// logits are one kernel, and the run has the losses and metrics of a run without the pass.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/train/network.h"
#include "core/train/step_scalars.h"
#include "gpu/devices/devices.h"
#include "gpu/graph/op.h"
#include "tests/support/skip.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

constexpr const char* kCard = "simulated:H100";

/// A project whose training differs in this part, and how far the results of its runs may differ.
struct LossCase {
  const char* name;
  Values values;
  double lossTolerance = 1e-6, metricTolerance = 1e-9;
  // Whether the pass fuses the loss of training steps
  bool fires = true;
};

const std::vector<LossCase>& lossCases() {
  const char* const logits =
      R"([{"type": "Input", "name": "image", "shape": [6, 6, 1]},
          {"type": "Flatten", "name": "flat"}, {"type": "Dense", "name": "out", "units": 3}])";
  const char* const fromLogits =
      R"({"type": "sparse_categorical_crossentropy", "from_logits": true})";
  const char* const smoothed = R"({"type": "categorical_crossentropy", "label_smoothing": 0.1})";
  // In 16 bits, the gradient of a bias is a sum of rounded numbers
  static const std::vector<LossCase> all{
      {"float32", {}},
      {"logits", {{"/model/layers", logits}, {"/training/loss", fromLogits}}},
      {"accumulation", {{"/training/gradient_accumulation_steps", "2"}}},
      {"classes as probabilities",
       {{"/training/loss", "\"categorical_crossentropy\""},
        {"/training/metrics", R"(["categorical_accuracy"])"},
        {"/data/transforms", R"([{"type": "one_hot"}])"}}},
      {"label smoothing",
       {{"/training/loss", smoothed}, {"/data/transforms", R"([{"type": "one_hot"}])"}}},
      {"another metric", {{"/training/metrics", R"(["sparse_top_k_categorical_accuracy"])"}}},
      {"bfloat16", {{"/execution/precision", "\"bfloat16\""}}, 2e-2, 0.05},
      {"float16", {{"/execution/precision", "\"float16\""}}, 2e-3, 0.05},
      {"class weights",
       {{"/training/class_weight", R"({"0": 1.0, "1": 2.0, "2": 3.0})"}},
       1e-6,
       1e-9,
       false}};
  return all;
}

Project projectOf(const LossCase& each, bool fuses) {
  Values values = each.values;
  values.emplace_back("/training/epochs", "2");
  if (!fuses) values.emplace_back("/execution/disabled_passes", R"(["fuse_loss"])");
  return smallProjectWith(values);
}

struct LossesOfRun {
  std::vector<double> losses, metrics;
};

LossesOfRun trainedOnCard(const LossCase& each, bool fuses) {
  SessionOptions options = optionsFor(projectOf(each, fuses));
  options.device = kCard;
  Recorder recorder;
  CHECK(messageOf(trainAll(options, recorder)) == "no error");
  LossesOfRun result;
  for (const StepMetrics& step : recorder.steps)
    result.losses.push_back(step.loss);
  for (const EpochMetrics& epoch : recorder.epochs) {
    result.losses.push_back(epoch.validationLoss);
    for (const auto& metrics : {epoch.metrics, epoch.validationMetrics})
      result.metrics.insert(result.metrics.end(), metrics.begin(), metrics.end());
  }
  return result;
}

bool fusesLoss(const LossCase& each) {
  NetworkOptions options;
  options.device = kCard;
  const StepGraph step = StepBuilder(projectOf(each, true), options).stepGraph(StepMode::Train, 16);
  for (const PassReport& report : step.reports)
    if (report.pass == "fuse_loss") return report.rewrites > 0;
  return false;
}

/// Returns the kernels of a step for the loss and its metrics, which belong to no layer.
std::vector<std::string> kernelsOfLoss(const Project& project) {
  NetworkOptions options;
  options.device = kCard;
  Network network(project, options);
  network.prepare({16}, {});
  network.state().initialize(5);
  Program& program = network.trainProgram(16);
  for (int step = 1; step <= 3; ++step) {
    // The first steps are not captured, so they have no records
    program.setProfiling(step == 3);
    setStep(program, step, 1e-3, 5, 0, 1);
    REQUIRE(program.run() == Program::Outcome::Done);
  }
  std::vector<std::string> result;
  for (const KernelRecord& record : program.lastRecords().records)
    if (record.instruction >= 0 && record.layer.empty() && record.phase != Phase::Update)
      result.push_back(record.name);
  return result;
}

}  // namespace

TEST_SUITE("fused losses") {
  TEST_CASE("runs on a card have the losses and metrics of runs without the pass") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const LossCase& each : lossCases()) {
      CAPTURE(std::string(each.name));
      CHECK(fusesLoss(each) == each.fires);
      const LossesOfRun fused = trainedOnCard(each, true), apart = trainedOnCard(each, false);
      REQUIRE(fused.losses.size() == apart.losses.size());
      REQUIRE(fused.losses.size() > 10);
      for (size_t i = 0; i < fused.losses.size(); ++i)
        CHECK(std::abs(fused.losses[i] - apart.losses[i]) <=
              each.lossTolerance * std::abs(apart.losses[i]));
      REQUIRE(fused.metrics.size() == apart.metrics.size());
      REQUIRE(!fused.metrics.empty());
      for (size_t i = 0; i < fused.metrics.size(); ++i)
        CHECK(std::abs(fused.metrics[i] - apart.metrics[i]) <= each.metricTolerance);
    }
  }

  TEST_CASE("the loss, the accuracy and the gradient of the logits are one kernel of a card") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const char* precision : {"float32", "bfloat16", "float16"}) {
      CAPTURE(std::string(precision));
      const Project project =
          smallProjectWith({{"/execution/precision", "\"" + std::string(precision) + "\""}});
      const std::vector<std::string> kernels = kernelsOfLoss(project);
      REQUIRE(kernels.size() == 1);
      CHECK(kernels.front().starts_with("classification_loss_threads"));
    }
  }

  TEST_CASE("16-bit logits are not cast for the loss") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    NetworkOptions options;
    options.device = kCard;
    const Project project = smallProjectWith({{"/execution/precision", "\"bfloat16\""}});
    for (const StepMode mode : {StepMode::Train, StepMode::Evaluate}) {
      const Graph graph = StepBuilder(project, options).stepGraph(mode, 16).graph;
      for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (node.op->role == OpRole::Cast) CHECK(graph.shape(node.outputs[0]) != Shape{16, 3});
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Gradient accumulation: a batch in pieces trains like the whole batch, in less memory.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/train/batches.h"
#include "core/train/plan.h"
#include "core/train/session.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

struct Ran {
  std::map<std::string, Tensor> weights;
  std::vector<double> losses;
  size_t peakBytes = 0, plannedBytes = 0;
};

/// Some updates with the batch cut into `pieces`.
Ran ran(const std::string& layers, int64_t pieces, int64_t batch = 16,
        const char* optimizer = R"({"type": "sgd", "learning_rate": 0.05, "momentum": 0.9})") {
  Json document = parseJson(kSmallProject, "small");
  document["model"]["layers"] = parseJson(layers, "layers");
  document["training"]["gradient_accumulation_steps"] = pieces;
  document["training"]["batch_size"] = batch;
  document["training"]["optimizer"] = parseJson(optimizer, "optimizer");
  const Project project(std::move(document), "");
  const auto dataset = loadDataset(project);
  Network network(project, {});
  network.prepare(network.batchesOf(dataset->trainCount), {}, dataset.get());
  network.initialize(5);
  EpochBatches batches(network, *dataset, true);
  Ran result;
  for (int64_t index = 0; index < batches.stepsPerEpoch(); ++index) {
    BatchSums sums;
    for (const MicroBatch& piece : batches.piecesOf(index)) {
      Program& program = batches.place(5, 1, index, piece);
      network.setStep(program, index + 1, 0.05, 5, batches.firstSampleOf(index) + piece.offset,
                      static_cast<double>(piece.samples) / static_cast<double>(batches.samplesOf(index)));
      program.run();
      network.addSums(program, piece.samples, sums);
    }
    CHECK(sums.samples == batches.samplesOf(index));
    result.losses.push_back(sums.loss / static_cast<double>(sums.samples));
  }
  result.weights = network.weights();
  result.peakBytes = network.allocatedBytes();
  result.plannedBytes = network.plannedPeakBytes();
  return result;
}

double largestDifference(const Ran& a, const Ran& b) {
  double largest = 0;
  for (const auto& [name, tensor] : a.weights)
    for (size_t i = 0; i < tensor.as<float>().size(); ++i)
      largest =
          std::max(largest, std::abs(static_cast<double>(tensor.as<float>()[i]) - static_cast<double>(b.weights.at(name).as<float>()[i])));
  for (size_t i = 0; i < a.losses.size(); ++i) largest = std::max(largest, std::abs(a.losses[i] - b.losses[i]));
  return largest;
}

const char* const kLayers = R"([
  {"type": "Input", "name": "image", "shape": [6, 6, 1]},
  {"type": "Conv2D", "name": "conv", "filters": 4, "kernel_size": [3, 3], "activation": "relu", "kernel_regularizer": {"type": "l2", "l2": 0.01}},
  {"type": "Flatten", "name": "flat"},
  {"type": "Dropout", "name": "drop", "rate": 0.25},
  {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])";

/// Updates of a run, their samples, and what its plan said.
struct Noted : RunObserver {
  int64_t steps = 0, samples = 0;
  size_t plannedBytes = 0;
  void onStart(const RunStart& start) override { plannedBytes = start.plannedPeakBytes; }
  void onStep(const StepMetrics& step) override {
    ++steps;
    samples += step.samples;
  }
};

}  // namespace

TEST_SUITE("accumulation") {
  TEST_CASE("a batch in pieces gives the weights of the whole batch within rounding, with less memory, as predicted") {
    const Ran whole = ran(kLayers, 1);
    for (const int64_t pieces :
         {2, 3, 4, 16, 1000}) {  // uneven ones, one sample each, more than there are samples; the last batch of the epoch is ragged
      const Ran cut = ran(kLayers, pieces);
      CAPTURE(pieces);
      CHECK(largestDifference(whole, cut) < 2e-6);
      CHECK(cut.peakBytes == cut.plannedBytes);
    }
    // With values that weigh more than what kernels work in.
    std::string wide = kLayers;
    wide.replace(wide.find("\"filters\": 4"), 12, "\"filters\": 256");
    const Ran wideWhole = ran(wide, 1), wideCut = ran(wide, 4);
    CHECK(wideCut.peakBytes < wideWhole.peakBytes);
    CHECK(wideCut.peakBytes == wideCut.plannedBytes);
    const Ran clippedWhole = ran(kLayers, 1, 16, R"({"type": "adam", "learning_rate": 0.01, "global_clipnorm": 0.5})");
    CHECK(largestDifference(clippedWhole, ran(kLayers, 4, 16, R"({"type": "adam", "learning_rate": 0.01, "global_clipnorm": 0.5})")) <
          2e-5);
    CHECK(largestDifference(whole, ran(kLayers, 1, 15)) > 1e-4);  // other updates differ
  }

  TEST_CASE("moving statistics change once an update, by the mean over the pieces") {
    const char* const kNormal =
        R"([{"type": "Input", "name": "image", "shape": [6, 6, 1]}, {"type": "BatchNormalization", "name": "norm", "trainable": true},
      {"type": "Flatten", "name": "flat"}, {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])";
    const Ran whole = ran(kNormal, 1, 117), cut = ran(kNormal, 3, 117);  // one update
    // The mean of the means of equal pieces is the mean.
    const float expected = whole.weights.at("norm/moving_mean").as<float>()[0], got = cut.weights.at("norm/moving_mean").as<float>()[0];
    CHECK(std::abs(expected) > 1e-7f);
    CHECK(got == doctest::Approx(expected).epsilon(1e-4));
  }

  TEST_CASE("trained through a session, and planned") {
    Json document = parseJson(kSmallProject, "small");
    document["training"]["gradient_accumulation_steps"] = 4;
    SessionOptions options;
    options.project = Project(document, "");
    options.writesRunDirectory = false;
    options.maxSteps = 10;
    Noted noted;
    TrainingSession session(options, noted);
    session.start();
    const RunOutcome outcome = session.wait();
    REQUIRE(outcome.outcome == Outcome::Finished);
    CHECK(noted.steps == 10);
    CHECK(noted.samples == 7 * 16 + 5 + 2 * 16);
    CHECK(outcome.peakBytes == noted.plannedBytes);
    PlanOptions plan;
    plan.findsLargestBatch = false;
    CHECK(planTraining(options.project, plan).stepMicroseconds);
  }
}

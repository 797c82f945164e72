// SPDX-License-Identifier: Apache-2.0
// Tests that training with gradient accumulation equals training with whole batches and needs less
// memory.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/model/model.h"
#include "core/train/feeder.h"
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

/// Trains for one epoch with `pieces` micro-batches per batch. Returns the loss of each step, the
/// loss of an evaluation after the epoch, the weights and the memory.
Ran ranDocument(Json document, int64_t pieces) {
  document["training"]["gradient_accumulation_steps"] = pieces;
  const Project project(std::move(document), "");
  const auto dataset = loadDataset(project);
  Network network(project, {});
  network.prepare(network.steps().batchesOf(dataset->trainCount), {dataset->trainCount},
                  dataset.get());
  network.state().initialize(5);
  Feeder batches(network, *dataset, true);
  Ran result;
  for (int64_t index = 0; index < batches.stepsPerPass(); ++index) {
    BatchSums sums;
    for (const MicroBatch& piece : batches.microBatchesOf(index)) {
      Program& program = batches.place(5, 1, index, piece);
      setStep(program, index + 1, network.steps().training().learningRateAt(index + 1), 5,
              batches.firstSampleOf(index) + piece.offset,
              static_cast<double>(piece.samples) / static_cast<double>(batches.samplesOf(index)));
      Ticket ticket = program.submit();
      ticket.wait();
      network.sums().add(ticket, piece.samples, sums);
    }
    CHECK(sums.samples == batches.samplesOf(index));
    result.losses.push_back(sums.loss / static_cast<double>(sums.samples));
  }
  BatchSums evaluated;
  CHECK(network.evaluate(*dataset->train, dataset->transforms, 0, dataset->trainCount, {},
                         evaluated));
  CHECK(evaluated.samples == dataset->trainCount);
  result.losses.push_back(evaluated.loss / static_cast<double>(evaluated.samples));
  result.weights = network.state().weights();
  result.peakBytes = network.allocatedBytes();
  result.plannedBytes = network.plannedPeakBytes();
  return result;
}

/// Calls ranDocument() for the small project with these layers, this batch size and this optimizer.
Ran ran(const std::string& layers, int64_t pieces, int64_t batch = 16,
        const char* optimizer = R"({"type": "sgd", "learning_rate": 0.05, "momentum": 0.9})") {
  Json document = parseJson(kSmallProject, "small");
  document["model"]["layers"] = parseJson(layers, "layers");
  document["training"]["batch_size"] = batch;
  document["training"]["optimizer"] = parseJson(optimizer, "optimizer");
  return ranDocument(std::move(document), pieces);
}

double largestDifference(const Ran& a, const Ran& b) {
  double largest = 0;
  for (const auto& [name, tensor] : a.weights)
    for (size_t i = 0; i < tensor.as<float>().size(); ++i)
      largest = std::max(largest, std::abs(static_cast<double>(tensor.as<float>()[i]) -
                                           static_cast<double>(b.weights.at(name).as<float>()[i])));
  for (size_t i = 0; i < a.losses.size(); ++i)
    largest = std::max(largest, std::abs(a.losses[i] - b.losses[i]));
  return largest;
}

const char* const kLayers = R"([
  {"type": "Input", "name": "image", "shape": [6, 6, 1]},
  {"type": "Conv2D", "name": "conv", "filters": 4, "kernel_size": [3, 3], "activation": "relu", "kernel_regularizer": {"type": "l2", "l2": 0.01}},
  {"type": "Flatten", "name": "flat"},
  {"type": "Dropout", "name": "drop", "rate": 0.25},
  {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])";

/// Returns a project for images of three classes with this loss, and with penalties on weights and
/// on an output.
Json pictures(const char* loss) {
  Json document = parseJson(kSmallProject, "small");
  document["model"]["layers"] = parseJson(R"([
    {"type": "Input", "name": "image", "shape": [6, 6, 1]},
    {"type": "Conv2D", "name": "conv", "filters": 4, "kernel_size": [3, 3], "activation": "relu", "kernel_regularizer": {"type": "l2", "l2": 0.1}},
    {"type": "ActivityRegularization", "name": "small", "l2": 0.1},
    {"type": "Flatten", "name": "flat"},
    {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])",
                                          "layers");
  document["training"]["loss"] = parseJson(loss, "loss");
  document["training"]["optimizer"] =
      parseJson(R"({"type": "sgd", "learning_rate": 0.01})", "optimizer");
  return document;
}

/// Returns a project for sequences with masks. Later sequences have fewer unmasked steps.
Json sequences(const char* loss) {
  constexpr int kSamples = 40, kSteps = 6;
  Json x = Json::array(), y = Json::array();
  for (int i = 0; i < kSamples; ++i) {
    Json steps = Json::array(), targets = Json::array();
    for (int t = 0; t < kSteps; ++t) {
      const bool isMasked = t > 0 && t * kSamples >= (kSamples - i) * kSteps;
      steps.push_back(isMasked ? Json{0, 0} : Json{0.1 * (t + 1), 0.05 * (i % 7) - 0.1});
      targets.push_back(0.1 * (i % 5) + 0.25 * t);
    }
    x.push_back(std::move(steps));
    y.push_back(std::move(targets));
  }
  Json document = parseJson(kSmallProject, "small");
  document["data"]["source"] = Json{{"type", "values"}, {"x", x}, {"y", y}};
  document["model"]["layers"] = parseJson(R"([
    {"type": "Input", "name": "sequence", "shape": [6, 2]},
    {"type": "Masking", "name": "masked"},
    {"type": "Dense", "name": "out", "units": 1, "kernel_regularizer": {"type": "l2", "l2": 0.1}}])",
                                          "layers");
  document["training"] = Json{{"loss", parseJson(loss, "loss")},
                              {"optimizer", {{"type", "sgd"}, {"learning_rate", 0.002}}},
                              {"batch_size", 16},
                              {"shuffle", false}};
  return document;
}

std::string problemsOf(const Json& document, int64_t pieces) {
  Json cut = document;
  cut["training"]["gradient_accumulation_steps"] = pieces;
  std::string text;
  for (const Diagnostic& each : validate(Project(cut, "")))
    text += each.code + std::string(" ") + each.pointer + ": " + each.sentence() + "\n";
  return text;
}

/// Counts the updates of a run and the samples in them, and records the planned memory.
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
  TEST_CASE(
      "micro-batches give the weights of the whole batch within rounding errors, with less "
      "memory, as predicted") {
    const Ran whole = ran(kLayers, 1);
    // The micro-batches may have different sizes or one sample each. Their number may exceed the
    // number of samples. The last batch of the epoch is smaller.
    for (const int64_t pieces : {2, 3, 4, 16, 1000}) {
      const Ran cut = ran(kLayers, pieces);
      CAPTURE(pieces);
      CHECK(largestDifference(whole, cut) < 2e-6);
      CHECK(cut.peakBytes == cut.plannedBytes);
    }
    // The activations of this network need more memory than the workspaces of its kernels, so
    // micro-batches lower the peak.
    std::string wide = kLayers;
    wide.replace(wide.find("\"filters\": 4"), 12, "\"filters\": 256");
    const Ran wideWhole = ran(wide, 1), wideCut = ran(wide, 4);
    CHECK(wideCut.peakBytes < wideWhole.peakBytes);
    CHECK(wideCut.peakBytes == wideCut.plannedBytes);
    const Ran clippedWhole =
        ran(kLayers, 1, 16, R"({"type": "adam", "learning_rate": 0.01, "global_clipnorm": 0.5})");
    CHECK(largestDifference(
              clippedWhole,
              ran(kLayers, 4, 16,
                  R"({"type": "adam", "learning_rate": 0.01, "global_clipnorm": 0.5})")) < 2e-5);
    // Training with another batch size gives different weights.
    CHECK(largestDifference(whole, ran(kLayers, 1, 15)) > 1e-4);
  }

  TEST_CASE("a summed loss is the sum over the whole batch, and penalties count once") {
    const struct {
      std::string name;
      Json document;
    } kRows[] = {
        {"sum", pictures(R"({"type": "sparse_categorical_crossentropy", "reduction": "sum"})")},
        {"sum without a class",
         pictures(
             R"({"type": "sparse_categorical_crossentropy", "reduction": "sum", "ignore_class": 1})")},
        {"sum of a masked sequence",
         sequences(R"({"type": "mean_squared_error", "reduction": "sum"})")},
        {"mean_with_sample_weight without weights",
         pictures(
             R"({"type": "sparse_categorical_crossentropy", "reduction": "mean_with_sample_weight"})")},
    };
    for (const auto& [name, document] : kRows) {
      CAPTURE(name);
      const Ran whole = ranDocument(document, 1);
      for (const int64_t pieces : {2, 3, 4, 16}) {
        CAPTURE(pieces);
        CHECK(problemsOf(document, pieces) == "");
        const Ran cut = ranDocument(document, pieces);
        CHECK(largestDifference(whole, cut) < 3e-5);
        CHECK(cut.losses.front() > 0.1);
        CHECK(cut.peakBytes == cut.plannedBytes);
      }
    }
  }

  TEST_CASE(
      "a mean over a batch's unmasked values cannot be split into micro-batches, and check says "
      "so") {
    Json weighed = pictures(
        R"({"type": "sparse_categorical_crossentropy", "reduction": "mean_with_sample_weight"})");
    weighed["training"]["class_weight"] = Json{{"0", 3.0}, {"2", 0.5}};
    const struct {
      std::string counted;
      Json document;
    } kRows[] = {
        {"mask", sequences(R"({"type": "mean_squared_error"})")},
        {"ignore_class",
         pictures(R"({"type": "sparse_categorical_crossentropy", "ignore_class": 1})")},
        {"mean_with_sample_weight", weighed},
        {"circle", pictures(R"({"type": "circle"})")},
    };
    for (const auto& [counted, document] : kRows) {
      CAPTURE(counted);
      CHECK(problemsOf(document, 1) == "");
      const std::string problems = problemsOf(document, 4);
      CHECK(problems.find("uneven_pieces /training/gradient_accumulation_steps: the number of "
                          "samples that count in the loss differs between micro-batches (" +
                          counted + ")") == 0);
      CHECK(problems.find("gradient_accumulation_steps is 4 (expected 1)") != std::string::npos);
      CHECK_THROWS_WITH_AS(ranDocument(document, 4), doctest::Contains("expected 1"), Error);
      CHECK(ranDocument(document, 1).losses.front() > 0);
    }
  }

  TEST_CASE("moving statistics are updated once per batch, with the mean over the micro-batches") {
    const char* const kNormal =
        R"([{"type": "Input", "name": "image", "shape": [6, 6, 1]}, {"type": "BatchNormalization", "name": "norm", "trainable": true},
      {"type": "Flatten", "name": "flat"}, {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])";
    // The epoch has one update.
    const Ran whole = ran(kNormal, 1, 117), cut = ran(kNormal, 3, 117);
    // For micro-batches of equal size, the mean of their means is the mean of the batch.
    const float expected = whole.weights.at("norm/moving_mean").as<float>()[0],
                got = cut.weights.at("norm/moving_mean").as<float>()[0];
    CHECK(std::abs(expected) > 1e-7f);
    CHECK(got == doctest::Approx(expected).epsilon(1e-4));
  }

  TEST_CASE("sessions and plans use the same micro-batches") {
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

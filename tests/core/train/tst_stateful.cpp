// SPDX-License-Identifier: Apache-2.0
// Tests stateful layers in an evaluation. Their states start at zero and are carried from batch to
// batch. They do not affect training or predictions.
#include <random>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/interchange/safetensors.h"
#include "core/train/evaluator.h"
#include "core/train/export_weights.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

constexpr int kBatch = 4, kSteps = 3, kFeatures = 2;

/// Sequences that are divided into three parts of `kSteps` steps. Each part is a batch, and the
/// last batch has fewer samples. Each sequence has the same position in all batches.
struct Streams {
  // All steps of the sequence at each position.
  std::vector<Json> steps[kBatch];
  // A target for each sample, in the order of the batches.
  Json y = Json::array();
  int lastBatch;
  explicit Streams(int last) : lastBatch(last) {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    for (auto& stream : steps)
      for (int t = 0; t < 3 * kSteps; ++t)
        stream.push_back({normal(random), normal(random)});
    for (int i = 0; i < 2 * kBatch + lastBatch; ++i)
      y.push_back(Json::array({normal(random)}));
  }
  int samplesOf(int part) const { return part < 2 ? kBatch : lastBatch; }
  /// Returns the samples of a part. If `isWhole` is set, each sample also contains the steps of the
  /// earlier parts.
  Json part(int number, bool isWhole) const {
    Json samples = Json::array();
    for (int i = 0; i < samplesOf(number); ++i) {
      Json sample = Json::array();
      for (int t = isWhole ? 0 : number * kSteps; t < (number + 1) * kSteps; ++t)
        sample.push_back(steps[i][static_cast<size_t>(t)]);
      samples.push_back(std::move(sample));
    }
    return samples;
  }
};

Project projectOf(const Json& layer, const Json& x, const Json& y, size_t steps) {
  Json document = Json::parse(
      R"({"format": "strata-project", "version": 1, "name": "stream", "data": {}, "model": {"layers": []},
    "training": {"loss": "mse", "optimizer": {"type": "sgd", "learning_rate": 0.1}, "batch_size": 4, "epochs": 2, "seed": 3, "shuffle": false}})");
  document["data"]["source"] = {{"type", "values"}, {"x", x}, {"y", y}};
  document["model"]["layers"] = {{{"type", "Input"}, {"name", "x"}, {"shape", {steps, kFeatures}}},
                                 layer,
                                 {{"type", "Dense"}, {"name", "out"}, {"units", 1}}};
  return Project(std::move(document));
}

/// Returns a project of a stateful network whose samples are the parts of the sequences.
Project statefulProject(Json layer, const Streams& streams) {
  (layer.contains("layers") ? layer["layers"].back() : layer)["stateful"] = true;
  Json x = Json::array();
  for (int part = 0; part < 3; ++part)
    for (const Json& sample : streams.part(part, false))
      x.push_back(sample);
  return projectOf(layer, x, streams.y, kSteps);
}

double lossOf(const Project& project, const std::string& weights) {
  Evaluator evaluator(project, weights, "reference");
  const double first = evaluator.evaluate("test").loss;
  CHECK(evaluator.weightNotes().empty());
  // A second evaluation starts again with zero states.
  CHECK(evaluator.evaluate("test").loss == first);
  return first;
}

}  // namespace

TEST_SUITE("stateful") {
  TEST_CASE("an evaluation carries states from batch to batch, also into a smaller last batch") {
    for (
        const Json& layer :
        {Json{{"type", "LSTM"}, {"name", "rnn"}, {"units", 3}},
         Json{{"type", "GRU"}, {"name", "rnn"}, {"units", 3}},
         Json::parse(
             R"({"type": "Block", "name": "b", "layers": [{"type": "Dense", "name": "d", "units": 3}, {"type": "SimpleRNN", "name": "rnn", "units": 2}]})")})
      for (const int last : {kBatch, 3}) {
        CAPTURE(layer.dump());
        CAPTURE(last);
        TemporaryFolder folder;
        const Streams whole(kBatch), streams(last);
        Project project = statefulProject(layer, whole);
        Recorder recorder;
        REQUIRE_MESSAGE(
            trainAll(optionsFor(project, folder / "run"), recorder).outcome == Outcome::Finished,
            messageOf(recorder.outcome));
        const std::string weights = (folder / "run" / "weights.safetensors").string();
        double expected = 0;
        int at = 0;
        for (int part = 0; part < 3; ++part) {
          Json y = Json::array();
          for (int i = 0; i < streams.samplesOf(part); ++i)
            y.push_back(streams.y[static_cast<size_t>(at++)]);
          expected += lossOf(projectOf(layer, streams.part(part, true), y,
                                       static_cast<size_t>((part + 1) * kSteps)),
                             weights) *
                      streams.samplesOf(part);
        }
        CHECK(lossOf(statefulProject(layer, streams), weights) ==
              doctest::Approx(expected / at).epsilon(1e-5));
        if (last == kBatch)
          CHECK(recorder.outcome.testLoss == doctest::Approx(expected / at).epsilon(1e-5));
      }
  }

  TEST_CASE(
      "an evaluation of stateful layers is not split, although it needs more memory than a step") {
    TemporaryFolder folder;
    Project project =
        statefulProject({{"type", "LSTM"}, {"name", "rnn"}, {"units", 3}}, Streams(kBatch));
    Json& document = project.document();
    document["model"]["layers"].push_back(
        {{"type", "Dense"}, {"name", "wide"}, {"units", 3000}, {"inputs", {"rnn"}}});
    document["model"]["outputs"] = {"out", "wide"};
    document["training"]["loss"] = {{"out", "mse"}, {"wide", nullptr}};
    document["data"]["source"]["y"] = {{"out", document["data"]["source"]["y"]}};
    Recorder recorder;
    REQUIRE_MESSAGE(
        trainAll(optionsFor(project, folder / "run"), recorder).outcome == Outcome::Finished,
        messageOf(recorder.outcome));
    CHECK(recorder.outcome.testLoss ==
          doctest::Approx(lossOf(project, (folder / "run" / "weights.safetensors").string()))
              .epsilon(1e-5));
  }

  TEST_CASE(
      "training continues with its own states after a validation, and a prediction has none") {
    TemporaryFolder folder;
    Project project =
        statefulProject({{"type", "LSTM"}, {"name", "rnn"}, {"units", 3}}, Streams(kBatch));
    project.document()["data"]["validation_split"] = 0.33;
    project.document()["training"]["epochs"] = 3;
    std::string hash;
    for (const int every : {1, 9}) {
      project.document()["training"]["validation_freq"] = every;
      Recorder recorder;
      REQUIRE(trainAll(optionsFor(project, folder / std::to_string(every)), recorder).outcome ==
              Outcome::Finished);
      CHECK(recorder.validations.size() + recorder.epochs.size() > 0);
      CHECK((hash.empty() || recorder.outcome.weightsHash == hash));
      hash = recorder.outcome.weightsHash;
    }
    project.document()["training"]["validation_freq"] = 1;
    Recorder first, rest;
    const auto run = folder / "stopped";
    REQUIRE(trainUntil(3, optionsFor(project, run), first).outcome == Outcome::Stopped);
    CHECK(trainAll(resumeOptions(project, run), rest).weightsHash == hash);

    Evaluator evaluator(project, (folder / "1").string(), "reference");
    Tensor sample(DType::F32, Shape{kSteps, kFeatures});
    for (float& value : sample.as<float>())
      value = 0.5f;
    const auto predicted = evaluator.predict({&sample, 1});
    evaluator.evaluate("test");
    CHECK(evaluator.predict({&sample, 1}) == predicted);
    CHECK(evaluator.predict({&sample, 1}) == predicted);
    const std::string exported = (folder / "e.safetensors").string();
    exportWeights(project, (folder / "1").string(), exported);
    for (const auto& [name, tensor] : readSafetensors(exported).tensors)
      CHECK(name.find("rnn_state") == std::string::npos);
  }
}

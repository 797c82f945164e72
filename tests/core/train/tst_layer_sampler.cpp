// SPDX-License-Identifier: Apache-2.0
// Tests the statistics of layers during runs: their values, that results keep all bits, and what
// they say about networks with a problem.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include "core/layer_statistics/layer_file.h"
#include "core/layer_statistics/layer_verdict.h"
#include "core/runs/kept_batch.h"
#include "core/runs/layer_sampling.h"
#include "gpu/devices/devices.h"
#include "tests/support/has.h"
#include "tests/support/replica_runs.h"
#include "tests/support/skip.h"

using namespace strata;

namespace {

/// Also records statistics of layers.
class LayerRecorder : public Recorder {
 public:
  void onLayerSampling(const LayerSampling& sampling) override { samplings.push_back(sampling); }
  void onLayerSample(const std::shared_ptr<const LayerSample>& sample) override {
    samples.push_back(sample);
  }
  void onKeptBatch(const KeptBatch& batch) override { batches.push_back(batch); }
  std::vector<LayerSampling> samplings;
  std::vector<std::shared_ptr<const LayerSample>> samples;
  std::vector<KeptBatch> batches;

  const LayerStatistics& layer(size_t sample, const std::string& name) const {
    const WatchedLayers& layers = *samples.at(sample)->watched;
    const auto found = std::ranges::find(layers, name, &WatchedLayer::name);
    REQUIRE(found != layers.end());
    return samples[sample]->layers[static_cast<size_t>(found - layers.begin())];
  }
  std::vector<LayerVerdict> verdicts() const {
    std::vector<LayerSample> latest;
    for (const auto& sample : samples)
      latest.push_back(*sample);
    return layerVerdicts(latest);
  }
  LayerHealth healthOf(const std::string& name) const {
    for (const LayerVerdict& verdict : verdicts())
      if (verdict.layer == name) return verdict.health;
    return LayerHealth::Unknown;
  }
};

SessionOptions sampled(SessionOptions options, int64_t interval = 1) {
  options.samplesLayers = true;
  options.layerInterval = interval;
  return options;
}

RunOutcome trainSampled(SessionOptions options, LayerRecorder& recorder) {
  return trainAll(sampled(std::move(options)), recorder);
}

/// A project that trains a Dense layer on four samples of two numbers in one batch.
Project handProject(const std::string& optimizer) {
  Project project = smallProject();
  project.document()["data"] =
      Json::parse(R"({"source": {"type": "values", "x": [[1, 2], [3, -5], [0.5, 0.5], [-1, -1]],
                     "y": [[1], [2], [3], [4]]}})");
  project.document()["model"]["layers"] = Json::parse(R"([
    {"type": "Input", "name": "x", "shape": [2]},
    {"type": "Dense", "name": "hidden", "units": 2, "activation": "relu", "use_bias": false,
     "kernel_initializer": {"type": "constant", "value": 0.5}},
    {"type": "Dense", "name": "out", "units": 1, "use_bias": false,
     "kernel_initializer": {"type": "constant", "value": 2}}])");
  project.document()["training"] = Json::parse(
      R"({"loss": "mean_squared_error", "batch_size": 4, "epochs": 3, "shuffle": false})");
  project.document()["training"]["optimizer"] = Json::parse(optimizer);
  return project;
}

/// A network of many Dense layers.
Project deepProject(int64_t depth, const std::string& activation, const std::string& more) {
  Project project = smallProject();
  Json layers = Json::parse(
      R"([{"type": "Input", "name": "image", "shape": [6, 6, 1]}, {"type": "Flatten", "name": "flat"}])");
  for (int64_t i = 0; i < depth; ++i) {
    Json layer{{"type", "Dense"},
               {"name", "d" + std::to_string(i)},
               {"units", 16},
               {"activation", activation}};
    layer.update(Json::parse(more));
    layers.push_back(std::move(layer));
  }
  layers.push_back({{"type", "Dense"}, {"name", "out"}, {"units", 3}, {"activation", "softmax"}});
  project.document()["model"]["layers"] = std::move(layers);
  project.document()["training"]["epochs"] = 1;
  return project;
}

std::string bytesOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

/// Checks that sampling does not change the losses and weights of a run.
void checkEqualBits(const std::string& device, const Values& values) {
  CAPTURE(device);
  SessionOptions options = optionsFor(smallProjectWith(values));
  options.device = device;
  options.threads = 1;
  Recorder plain;
  const RunOutcome expected = trainAll(options, plain);
  REQUIRE_MESSAGE(expected.outcome == Outcome::Finished, messageOf(expected));
  for (const int64_t interval : {1, 3}) {
    LayerRecorder recorder;
    const RunOutcome got = trainAll(sampled(options, interval), recorder);
    REQUIRE_MESSAGE(got.outcome == Outcome::Finished, messageOf(got));
    REQUIRE(recorder.samplings.size() >= 1);
    CHECK_MESSAGE(recorder.samplings[0].isSampled(), recorder.samplings[0].problemText());
    CHECK(recorder.samples.size() >= 4);
    CHECK(got.weightsHash == expected.weightsHash);
    REQUIRE(recorder.steps.size() == plain.steps.size());
    for (size_t i = 0; i < plain.steps.size(); ++i)
      CHECK(recorder.steps[i].loss == plain.steps[i].loss);
    for (size_t i = 0; i < plain.epochs.size(); ++i)
      CHECK(recorder.epochs[i].validationLoss == plain.epochs[i].validationLoss);
  }
}

}  // namespace

TEST_SUITE("layer_sampler") {
  TEST_CASE("values, gradients and updates equal those computed by hand") {
    for (const char* device : {"reference", "cpu", "detached"}) {
      CAPTURE(device);
      SessionOptions options = optionsFor(handProject(R"({"type": "sgd", "learning_rate": 0.01})"));
      options.device = device;
      LayerRecorder recorder;
      REQUIRE(trainSampled(options, recorder).outcome == Outcome::Finished);
      REQUIRE(recorder.samples.size() == 3);
      CHECK(recorder.samples[0]->step == 1);
      CHECK(recorder.samples[0]->epoch == 1);
      CHECK(recorder.samples[2]->step == 3);
      CHECK(recorder.samples[0]->samples == 4);
      // hidden: 0.5 * (x0 + x1) = 1.5, -1, 0.5, -1, so relu gives 1.5, 0, 0.5, 0 for both units
      const LayerStatistics& hidden = recorder.layer(0, "hidden");
      CHECK(hidden.activations.count == 8);
      CHECK(hidden.activations.zeros == 4);
      CHECK(hidden.activations.mean == doctest::Approx(0.5));
      CHECK(hidden.activations.maximum == doctest::Approx(1.5));
      CHECK(hidden.activations.deviation == doctest::Approx(std::sqrt(1.5 / 4)));
      CHECK(hidden.weights.count == 4);
      CHECK(hidden.weights.mean == doctest::Approx(0.5));
      // Too few samples to judge units
      CHECK(hidden.deadUnits == -1);
      // out: 2 * (h0 + h1) = 6, 0, 2, 0; the gradient of the loss is 2 * (out - y) / 4
      const LayerStatistics& out = recorder.layer(0, "out");
      CHECK(out.activations.mean == doctest::Approx(2));
      const double outGradient = (1.5 * 2.5 + 0.5 * -0.5);
      CHECK(out.gradients.mean == doctest::Approx(outGradient));
      CHECK(out.gradients.norm == doctest::Approx(std::sqrt(2.0) * outGradient));
      // Of the kernel of hidden: the sum of x times 2 times the gradient of out, where relu passes
      const double first = 2 * (1 * 2.5 + 0.5 * -0.5), second = 2 * (2 * 2.5 + 0.5 * -0.5);
      CHECK(hidden.gradients.minimum == doctest::Approx(first));
      CHECK(hidden.gradients.maximum == doctest::Approx(second));
      const double norm = std::sqrt(2 * (first * first + second * second));
      CHECK(hidden.gradients.norm == doctest::Approx(norm));
      // SGD changes the weights by 0.01 times the gradient
      CHECK(hidden.updateRatio == doctest::Approx(std::log10(0.01 * norm / 1.0)).epsilon(1e-4));
      REQUIRE(hidden.updateRatios.size() == 1);
      CHECK(hidden.updateRatios[0] == hidden.updateRatio);
      CHECK(out.updateRatio == doctest::Approx(std::log10(0.01 * outGradient / 2)).epsilon(1e-4));
    }
  }

  TEST_CASE("gradients are those of the step, with its dropout and batch statistics") {
    for (const auto& [device, precision] :
         {std::pair("reference", "\"float32\""), std::pair("cpu", "\"float32\""),
          std::pair("cpu", "\"float16\"")}) {
      SessionOptions options =
          optionsFor(smallProjectWith(with({{"/execution/precision", precision}})));
      options.device = device;
      const double tolerance = std::string_view(precision) == "\"float16\"" ? 0.01 : 1e-4;
      LayerRecorder recorder;
      REQUIRE(trainSampled(options, recorder).outcome == Outcome::Finished);
      REQUIRE(recorder.samples.size() >= 10);
      for (const auto& sample : recorder.samples) {
        double squares = 0;
        for (const LayerStatistics& layer : sample->layers)
          if (layer.gradients.isKnown())
            squares += std::pow(static_cast<double>(layer.gradients.norm), 2);
        const StepMetrics& step = recorder.steps.at(static_cast<size_t>(sample->step - 1));
        const float norm = step.measures[static_cast<size_t>(Measure::GradientNorm)];
        if (!std::isnan(norm))
          CHECK(std::sqrt(squares) == doctest::Approx(norm).epsilon(tolerance));
      }
      // Only full batches are sampled
      for (const auto& sample : recorder.samples)
        CHECK(sample->samples == 16);
    }
  }

  TEST_CASE("sampling changes no bit of a run") {
    checkEqualBits("reference", with({}));
    checkEqualBits("cpu", with({}));
    checkEqualBits("cpu*2", with({}));
    checkEqualBits("detached", with({}));
    checkEqualBits("cpu", with({{"/training/gradient_accumulation_steps", "2"}}));
    checkEqualBits("cpu", with({{"/training/optimizer",
                                 R"({"type": "adam", "use_ema": true, "ema_momentum": 0.9})"}}));
    for (const char* precision : {"\"bfloat16\"", "\"float16\""})
      checkEqualBits("cpu", with({{"/execution/precision", precision}}));
    checkEqualBits("cpu*2", with({{"/execution/strategy", "\"parameter_server\""}}));
    if (test::canRun(whyNoSimulatedCards())) checkEqualBits("simulated:H100", with({}));
  }

  TEST_CASE("stages that freeze layers are sampled, too, and change no bit") {
    const Values stages =
        with({{"/training/stages",
               R"([{"epochs": 1, "trainable": ["out"]}, {"epochs": 1, "learning_rate": 0.001}])"}});
    checkEqualBits("cpu", stages);
    SessionOptions options = optionsFor(smallProjectWith(stages));
    LayerRecorder recorder;
    REQUIRE(trainSampled(options, recorder).outcome == Outcome::Finished);
    CHECK(recorder.samplings.size() == 2);
    const LayerStatistics &frozen = recorder.layer(0, "conv"),
                          &trained = recorder.layer(recorder.samples.size() - 1, "conv");
    CHECK(frozen.weights.isKnown());
    CHECK_FALSE(frozen.gradients.isKnown());
    CHECK(std::isnan(frozen.updateRatio));
    CHECK(trained.gradients.isKnown());
    CHECK_FALSE(std::isnan(trained.updateRatio));
    CHECK(std::isfinite(recorder.layer(0, "out").updateRatio));
  }

  TEST_CASE("a run keeps its statistics, and a continued run cuts and continues them") {
    TemporaryFolder folder;
    Recorder whole;
    const std::string expected =
        trainAll(optionsFor(smallProject(), folder / "whole"), whole).weightsHash;
    {
      LayerRecorder recorder;
      REQUIRE(
          trainUntil(11, sampled(optionsFor(smallProject(), folder / "run")), recorder).outcome ==
          Outcome::Stopped);
      const LayerFileReader reader((folder / "run" / kLayerFile).string());
      CHECK(reader.size() == recorder.samples.size());
      CHECK(reader.stepAt(reader.size() - 1) == 11);
    }
    const std::string before = bytesOf(folder / "run" / kLayerFile);
    LayerRecorder recorder;
    SessionOptions options = resumeOptions(smallProject(), folder / "run");
    options.layerInterval = 1;
    const RunOutcome outcome = trainAll(options, recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(outcome.weightsHash == expected);
    CHECK(recorder.warnings.empty());
    const LayerFileReader reader((folder / "run" / kLayerFile).string());
    CHECK(bytesOf(folder / "run" / kLayerFile).starts_with(before));
    CHECK(recorder.samples.front()->step == 12);
    REQUIRE(reader.size() > 12);
    for (size_t i = 1; i < reader.size(); ++i)
      CHECK(reader.stepAt(i) > reader.stepAt(i - 1));
    const auto sampling = readLayerSampling((folder / "run").string());
    REQUIRE(sampling);
    CHECK(sampling->isSampled());
    CHECK(sampling->samples == 16);
    CHECK(sampling->bytes == recorder.samplings[0].bytes);
    CHECK_FALSE(readLayerSampling((folder / "whole").string()));
  }

  TEST_CASE("without the option, a run samples nothing and writes no file") {
    TemporaryFolder folder;
    LayerRecorder recorder;
    REQUIRE(trainAll(optionsFor(smallProject(), folder / "run"), recorder).outcome ==
            Outcome::Finished);
    CHECK(recorder.samplings.empty());
    CHECK(recorder.samples.empty());
    CHECK_FALSE(std::filesystem::exists(folder / "run" / kLayerFile));
  }

  TEST_CASE("sampling that is switched on and off during a run changes no bit") {
    for (const char* device : {"reference", "cpu", "detached"}) {
      CAPTURE(device);
      TemporaryFolder folder;
      SessionOptions options = optionsFor(smallProject(), folder / "plain");
      options.device = device;
      Recorder plain;
      const RunOutcome expected = trainAll(options, plain);
      REQUIRE_MESSAGE(expected.outcome == Outcome::Finished, messageOf(expected));
      options.runDirectory = (folder / "run").string();
      LayerRecorder recorder;
      TrainingSession session(options, recorder);
      recorder.onStepDone = [&](int64_t step) {
        if (step == 5 || step == 15) session.setLayerSampling(true);
        if (step == 11) session.setLayerSampling(false);
      };
      session.start();
      const RunOutcome got = session.wait();
      REQUIRE_MESSAGE(got.outcome == Outcome::Finished, messageOf(got));
      CHECK(got.weightsHash == expected.weightsHash);
      REQUIRE(recorder.steps.size() == plain.steps.size());
      for (size_t i = 0; i < plain.steps.size(); ++i)
        CHECK(recorder.steps[i].loss == plain.steps[i].loss);
      // A device that computes ahead has submitted some steps already
      REQUIRE(recorder.samples.size() >= 2);
      CHECK(recorder.samples.front()->step > 5);
      CHECK(recorder.samples.front()->step <= 11);
      CHECK(recorder.samples.back()->step > 15);
      for (const auto& sample : recorder.samples)
        CHECK((sample->step <= 11 || sample->step > 15));
      REQUIRE(recorder.samplings.size() == 3);
      CHECK(recorder.samplings[0].isSampled());
      CHECK(recorder.samplings[1].isOff);
      CHECK_FALSE(recorder.samplings[1].isSampled());
      CHECK(recorder.samplings[2].isSampled());
      const LayerFileReader reader((folder / "run" / kLayerFile).string());
      REQUIRE(reader.size() == recorder.samples.size());
      CHECK(reader.stepAt(0) == recorder.samples[0]->step);
    }
  }

  TEST_CASE("a short run is sampled only if the user asks") {
    SessionOptions options = optionsFor(smallProject());
    options.samplesLayers = true;
    LayerRecorder recorder;
    REQUIRE(trainAll(options, recorder).outcome == Outcome::Finished);
    CHECK(recorder.samples.empty());
    REQUIRE(recorder.samplings.size() == 1);
    CHECK(recorder.samplings[0].problemText() ==
          "a sample would take more than 3% of the time of only 24 steps");
    options.isSamplingAsked = true;
    LayerRecorder asked;
    REQUIRE(trainAll(options, asked).outcome == Outcome::Finished);
    CHECK(asked.samples.size() >= 1);
    // Also while it trains
    options.isSamplingAsked = false;
    LayerRecorder later;
    TrainingSession session(options, later);
    later.onStepDone = [&](int64_t step) {
      if (step == 8) session.setLayerSampling(true);
    };
    session.start();
    REQUIRE(session.wait().outcome == Outcome::Finished);
    REQUIRE(later.samples.size() >= 1);
    CHECK(later.samples[0]->step > 8);
  }

  TEST_CASE("a program that does not fit makes the statistics unknown, and the run trains") {
    Recorder plain;
    SessionOptions options = optionsFor(smallProjectWith({{"/data/source/shape", "[32, 32, 1]"},
                                                          {"/model/layers/0/shape", "[32, 32, 1]"},
                                                          {"/model/layers/1/filters", "16"}}));
    options.device = "cpu";
    const RunOutcome expected = trainAll(options, plain);
    // The step alone fits
    options.memoryLimitBytes = plain.start.plannedPeakBytes;
    LayerRecorder recorder;
    const RunOutcome outcome = trainSampled(options, recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(outcome.weightsHash == expected.weightsHash);
    REQUIRE(recorder.samplings.size() == 1);
    CHECK_FALSE(recorder.samplings[0].isSampled());
    CHECK(has(recorder.samplings[0].problemText(), "need "));
    CHECK(recorder.samplings[0].bytes == 0);
    CHECK(recorder.samples.empty());
    // With a little more room, it takes a part of the batch
    LayerRecorder part;
    LayerRecorder full;
    options.memoryLimitBytes.reset();
    REQUIRE(trainSampled(options, full).outcome == Outcome::Finished);
    options.memoryLimitBytes = plain.start.plannedPeakBytes + full.samplings[0].bytes * 2 / 3;
    REQUIRE(trainSampled(options, part).outcome == Outcome::Finished);
    CHECK_MESSAGE(part.samplings[0].isSampled(), part.samplings[0].problemText());
    CHECK(part.samplings[0].samples < 16);
    CHECK(part.samplings[0].bytes <= full.samplings[0].bytes * 2 / 3);
    CHECK(part.samples.size() > 1);
    CHECK(part.start.plannedPeakBytes == plain.start.plannedPeakBytes);
  }

  TEST_CASE("the statistics of replicas are those of the first one") {
    SessionOptions options = optionsFor(smallProjectWith(with({})));
    options.device = "cpu*2";
    options.threads = 1;
    LayerRecorder recorder;
    REQUIRE(trainSampled(options, recorder).outcome == Outcome::Finished);
    CHECK(recorder.samplings[0].replica == "replica 0");
    CHECK(recorder.samplings[0].samples == 8);
    CHECK(recorder.samplings[0].batchSize == 16);
  }

  TEST_CASE("layers in Blocks have the number of their repeat") {
    Project project = smallProject();
    project.document()["model"]["layers"] = Json::parse(R"([
      {"type": "Input", "name": "image", "shape": [6, 6, 1]}, {"type": "Flatten", "name": "flat"},
      {"type": "Block", "name": "block", "repeat": 2, "layers": [
        {"type": "Dense", "name": "hidden", "units": 8, "activation": "tanh"},
        {"type": "Dropout", "name": "drop", "rate": 0.2}]},
      {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])");
    LayerRecorder recorder;
    REQUIRE(trainSampled(optionsFor(project), recorder).outcome == Outcome::Finished);
    const LayerStatistics& hidden = recorder.layer(0, "block/1/hidden");
    CHECK(hidden.weights.count == 8 * 8 + 8);
    CHECK(hidden.activations.count == 16 * 8);
    CHECK(hidden.gradients.isKnown());
    CHECK_FALSE(std::isnan(hidden.saturated));
    const WatchedLayers& layers = *recorder.samples[0]->watched;
    CHECK(std::ranges::find(layers, "block", &WatchedLayer::name) == layers.end());
    const auto found = std::ranges::find(layers, "block/1/hidden", &WatchedLayer::name);
    REQUIRE(found != layers.end());
    CHECK(found->type == "Dense");
    CHECK(found->activation == "tanh");
  }

  TEST_CASE("a network with large negative biases is dead") {
    const Project project =
        deepProject(2, "relu", R"({"bias_initializer": {"type": "constant", "value": -1000}})");
    LayerRecorder recorder;
    REQUIRE(trainSampled(optionsFor(project), recorder).outcome == Outcome::Finished);
    CHECK(recorder.healthOf("d0") == LayerHealth::Dead);
    CHECK(recorder.healthOf("d1") == LayerHealth::Dead);
    CHECK(recorder.layer(0, "d0").deadUnits == 16);
    CHECK(recorder.layer(0, "d0").activations.zeroShare() == 1);
  }

  TEST_CASE("a huge learning rate explodes") {
    Project project = deepProject(2, "relu", "{}");
    project.document()["training"]["optimizer"] =
        Json::parse(R"({"type": "adam", "learning_rate": 5})");
    LayerRecorder recorder;
    trainSampled(optionsFor(project), recorder);
    REQUIRE(recorder.samples.size() >= 3);
    CHECK(recorder.healthOf("out") == LayerHealth::Exploding);
  }

  TEST_CASE("the first layers of a network of 20 sigmoid layers vanish") {
    LayerRecorder recorder;
    REQUIRE(trainSampled(optionsFor(deepProject(20, "sigmoid", "{}")), recorder).outcome ==
            Outcome::Finished);
    CHECK(recorder.healthOf("d0") == LayerHealth::Vanishing);
    CHECK(recorder.healthOf("d3") == LayerHealth::Vanishing);
    CHECK(recorder.healthOf("d19") != LayerHealth::Vanishing);
    CHECK(recorder.healthOf("out") != LayerHealth::Vanishing);
  }

  TEST_CASE("large weights saturate tanh") {
    const Project project = deepProject(
        2, "tanh", R"({"kernel_initializer": {"type": "random_normal", "stddev": 20}})");
    LayerRecorder recorder;
    REQUIRE(trainSampled(optionsFor(project), recorder).outcome == Outcome::Finished);
    CHECK(recorder.healthOf("d0") == LayerHealth::Saturated);
    CHECK(recorder.layer(0, "d0").saturated > 0.5f);
  }

  TEST_CASE("a usual network is fine") {
    LayerRecorder recorder;
    Project project = smallProject();
    project.document()["training"]["optimizer"]["learning_rate"] = 0.001;
    REQUIRE(trainSampled(optionsFor(project), recorder).outcome == Outcome::Finished);
    for (const LayerVerdict& verdict : recorder.verdicts())
      CHECK_MESSAGE(verdict.health == LayerHealth::Fine, verdict.layer);
  }

  TEST_CASE("the batch of a loss that is not finite is kept") {
    TemporaryFolder folder;
    Project project = handProject(R"({"type": "sgd", "learning_rate": 0.01})");
    project.document()["data"]["source"]["x"][1] = Json::parse("[3e38, 3e38]");
    LayerRecorder recorder;
    const RunOutcome outcome = trainSampled(optionsFor(project, folder / "run"), recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    REQUIRE(outcome.error->code() == ErrorCode::NonFinite);
    REQUIRE(recorder.batches.size() == 1);
    std::string problem;
    const auto batch = readKeptBatch((folder / "run").string(), problem);
    REQUIRE_MESSAGE(batch, problem);
    CHECK(batch->step == 1);
    CHECK(batch->epoch == 1);
    CHECK_FALSE(std::isfinite(batch->loss));
    CHECK(batch->layer == outcome.error->subject());
    // 3e38 is finite in hidden, and twice the sum of both units is not
    CHECK(batch->layer == "out");
    CHECK(batch->indices == std::vector<int32_t>{0, 1, 2, 3});
    CHECK(batch->tensors == std::vector<std::string>{"input/x", "target/out"});
    const TensorFile file = readSafetensors(batch->path);
    CHECK(file.tensors.at("input/x").as<float>()[2] == 3e38f);
    CHECK(file.tensors.at("target/out").as<float>()[3] == 4);
    CHECK(has(bytesOf(folder / "run" / "events.jsonl"), "\"event\":\"bad_batch\""));

    // Damage is found
    const std::filesystem::path path = folder / "run" / kKeptBatchFile;
    std::string bytes = bytesOf(path);
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    std::ofstream(path, std::ios::binary) << bytes;
    CHECK_FALSE(readKeptBatch((folder / "run").string(), problem));
    CHECK(has(problem, "is damaged"));
    std::filesystem::remove(path);
    CHECK_FALSE(readKeptBatch((folder / "run").string(), problem));
    CHECK(has(problem, "is missing"));
  }

  TEST_CASE("the batch before weights that are not finite is kept") {
    TemporaryFolder folder;
    // The update overflows, although loss and gradient are finite
    const Project project = handProject(R"({"type": "sgd", "learning_rate": 3e38})");
    LayerRecorder recorder;
    const RunOutcome outcome = trainSampled(optionsFor(project, folder / "run"), recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(has(std::string(outcome.error->what()), "overflowed"));
    REQUIRE(recorder.batches.size() == 1);
    std::string problem;
    const auto batch = readKeptBatch((folder / "run").string(), problem);
    REQUIRE_MESSAGE(batch, problem);
    CHECK(batch->step == 1);
    CHECK(std::isfinite(batch->loss));
    CHECK(batch->layer == outcome.error->subject());
    // The error also says where the batch is
    CHECK(std::string(outcome.error->what()).starts_with(batch->message));
    CHECK(batch->indices == std::vector<int32_t>{0, 1, 2, 3});
    const TensorFile file = readSafetensors(batch->path);
    CHECK(file.tensors.at("input/x").as<float>()[3] == -5);
  }

  TEST_CASE("a run without a failure keeps no batch") {
    TemporaryFolder folder;
    LayerRecorder recorder;
    REQUIRE(trainAll(optionsFor(smallProject(), folder / "run"), recorder).outcome ==
            Outcome::Finished);
    std::string problem;
    CHECK_FALSE(readKeptBatch((folder / "run").string(), problem));
    CHECK(problem.empty());
  }
}

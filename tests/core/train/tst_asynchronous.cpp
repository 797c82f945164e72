// SPDX-License-Identifier: Apache-2.0
// Tests runs on the device `detached`, which knows the results of steps only after several others
// were submitted. All results must be those of the cpu.
#include <algorithm>
#include <atomic>
#include <fstream>
#include <thread>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/train/checkpoint.h"
#include "core/train/feeder.h"
#include "core/train/session.h"
#include "gpu/base/clock.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

struct Run {
  RunOutcome outcome;
  Recorder recorder;
};

SessionOptions onDevice(const char* device, const Project& project,
                        const std::filesystem::path& runDirectory) {
  SessionOptions options = optionsFor(project, runDirectory);
  options.device = device;
  return options;
}

void train(const char* device, const Project& project, const std::filesystem::path& runDirectory,
           Run& run) {
  run.outcome = trainAll(onDevice(device, project, runDirectory), run.recorder);
}

/// Returns the message without the path of the kept batch, which is in the directory of the run.
std::string comparableMessage(const RunOutcome& outcome) {
  const std::string message = messageOf(outcome);
  return message.substr(0, message.find(" The batch is in "));
}

void checkEqual(const Run& late, const Run& cpu) {
  CHECK(comparableMessage(late.outcome) == comparableMessage(cpu.outcome));
  CHECK(late.outcome.steps == cpu.outcome.steps);
  CHECK(late.outcome.weightsHash == cpu.outcome.weightsHash);
  CHECK(late.outcome.testLoss == cpu.outcome.testLoss);
  REQUIRE(late.recorder.steps.size() == cpu.recorder.steps.size());
  for (size_t i = 0; i < cpu.recorder.steps.size(); ++i) {
    CAPTURE(i);
    CHECK(late.recorder.steps[i].step == cpu.recorder.steps[i].step);
    CHECK(late.recorder.steps[i].loss == cpu.recorder.steps[i].loss);
    CHECK(late.recorder.steps[i].metrics == cpu.recorder.steps[i].metrics);
    CHECK(late.recorder.steps[i].learningRate == cpu.recorder.steps[i].learningRate);
  }
  REQUIRE(late.recorder.epochs.size() == cpu.recorder.epochs.size());
  for (size_t i = 0; i < cpu.recorder.epochs.size(); ++i) {
    CHECK(late.recorder.epochs[i].loss == cpu.recorder.epochs[i].loss);
    CHECK(late.recorder.epochs[i].validationLoss == cpu.recorder.epochs[i].validationLoss);
  }
  REQUIRE(late.recorder.validations.size() == cpu.recorder.validations.size());
  REQUIRE(late.recorder.settings.size() == cpu.recorder.settings.size());
  for (size_t i = 0; i < cpu.recorder.settings.size(); ++i)
    CHECK(late.recorder.settings[i].step == cpu.recorder.settings[i].step);
}

/// Samples with two inputs and one target, in a CSV file. An input of sample `bad` is 1e30, so its
/// squared error overflows.
Project rowsProject(const std::filesystem::path& folder, int64_t samples, int64_t bad) {
  std::ofstream file(folder / "rows.csv");
  file << "a,b,y\n";
  for (int64_t i = 0; i < samples; ++i)
    file << (i == bad ? "1e30" : std::to_string(0.001 * static_cast<double>(i % 97))) << ","
         << 0.01 * static_cast<double>(i % 13) << "," << 0.1 * static_cast<double>(i % 7) << "\n";
  file.close();
  Json document = Json::parse(R"({
  "format": "strata-project", "version": 1, "name": "Rows",
  "data": {"source": {"type": "csv", "path": "rows.csv", "target": "y"}, "transforms": []},
  "model": {"layers": [
    {"type": "Input", "name": "row", "shape": [2]},
    {"type": "Dense", "name": "hidden", "units": 4},
    {"type": "Dense", "name": "out", "units": 1}]},
  "training": {"loss": "mean_squared_error", "optimizer": {"type": "adam", "learning_rate": 0.01}, "batch_size": 4, "epochs": 1, "seed": 5, "shuffle": false}})");
  return Project(std::move(document), (folder / "rows.json").string());
}

}  // namespace

TEST_SUITE("asynchronous") {
  TEST_CASE("runs on a device that knows results late equal those of the cpu") {
    using Values = std::vector<std::pair<std::string, std::string>>;
    const std::vector<std::pair<const char*, Values>> rows{
        {"plain", {}},
        {"accumulation", {{"/training/gradient_accumulation_steps", "3"}}},
        {"steps per epoch", {{"/training/steps_per_epoch", "5"}, {"/training/epochs", "4"}}},
        {"schedule",
         {{"/training/optimizer",
           R"({"type": "sgd", "learning_rate": {"type": "ExponentialDecay", "initial_learning_rate": 0.05, "decay_steps": 3, "decay_rate": 0.9}})"}}},
        {"validation within epochs", {{"/training/validation_steps", "3"}}},
        {"stages",
         {{"/training/stages",
           R"([{"name": "head", "trainable": ["out"], "steps": 7}, {"name": "all", "trainable": ["conv", "norm", "out"], "learning_rate": 0.002}])"}}},
        {"early stopping",
         {{"/training/epochs", "8"},
          {"/training/callbacks",
           R"([{"type": "EarlyStopping", "monitor": "val_loss", "patience": 1, "restore_best_weights": true}])"}}},
        {"batch of all samples", {{"/training/batch_size", "117"}, {"/training/epochs", "9"}}},
    };
    for (const auto& [name, values] : rows) {
      CAPTURE(name);
      const TemporaryFolder folder;
      const Project project = smallProjectWith(values);
      Run late, cpu;
      train("detached", project, folder / "late", late);
      train("cpu", project, folder / "cpu", cpu);
      CHECK(messageOf(cpu.outcome) == "no error");
      CHECK(cpu.outcome.steps > 8);
      checkEqual(late, cpu);
    }
  }

  TEST_CASE("a run that was stopped and resumed equals an uninterrupted one on the cpu") {
    for (const int64_t stopAt : {3, 8, 13}) {
      CAPTURE(stopAt);
      const TemporaryFolder folder;
      Run whole;
      train("cpu", smallProject(), folder / "whole", whole);
      Recorder first, second;
      const RunOutcome stopped =
          trainUntil(stopAt, onDevice("detached", smallProject(), folder / "run"), first);
      CHECK(stopped.outcome == Outcome::Stopped);
      CHECK(stopped.steps >= stopAt);
      CHECK(stopped.steps < whole.outcome.steps);
      CHECK(stopped.steps == static_cast<int64_t>(first.steps.size()));
      SessionOptions options = resumeOptions(smallProject(), folder / "run");
      options.device = "detached";
      const RunOutcome resumed = trainAll(std::move(options), second);
      CHECK(resumed.weightsHash == whole.outcome.weightsHash);
      CHECK(resumed.steps == whole.outcome.steps);
    }
  }

  TEST_CASE("a bad step is reported with its number, layer, batch and the weights before it") {
    constexpr int64_t kBadStep = 150;
    const TemporaryFolder folder;
    const Project project = rowsProject(folder.path(), 4 * 200, 4 * (kBadStep - 1) + 2);
    Run late, cpu;
    train("cpu", project, folder / "cpu", cpu);
    train("detached", project, folder / "late", late);
    checkEqual(late, cpu);
    REQUIRE(late.outcome.error);
    CHECK(late.outcome.error->code() == ErrorCode::NonFinite);
    CHECK(late.outcome.error->subject() != "");
    CHECK(has(late.outcome.error->line(), "step 150"));
    CHECK(late.outcome.steps == kBadStep - 1);
    // A run that ends before the bad step has the weights of the failed one
    SessionOptions until = onDevice("cpu", project, folder / "until");
    until.maxSteps = kBadStep - 1;
    Recorder recorder;
    const RunOutcome before = trainAll(std::move(until), recorder);
    CHECK(messageOf(before) == "no error");
    REQUIRE(recorder.steps.size() == static_cast<size_t>(kBadStep - 1));
    CHECK(recorder.steps.back().loss == late.recorder.steps[kBadStep - 2].loss);
  }

  TEST_CASE("samples are decoded and converted while a step runs") {
    // Decoding a batch takes about as long as a step. A step that waited for decoding, and decoding
    // that waited for a step, would take the sum of both times.
    constexpr auto kDecoding = std::chrono::milliseconds(12), kStep = std::chrono::milliseconds(24);
    constexpr int64_t kSamples = 40, kBatch = 2;
    Project project = smallProjectWith({{"/training/batch_size", "2"}, {"/training/epochs", "1"}});
    NetworkOptions options;
    options.device = "cpu";
    options.threads = 1;
    Network network(project, options);
    network.prepare({kBatch}, {});
    network.state().initialize(1);
    auto samples = std::make_shared<Samples>();
    samples->x[0] = Tensor(DType::F32, {0, 6, 6, 1});
    samples->y[0] = Tensor(DType::I32, {kSamples});
    std::atomic<int> decoded{0};
    samples->decode = [&](int64_t sample, std::byte* row) {
      std::this_thread::sleep_for(kDecoding);
      std::fill_n(reinterpret_cast<float*>(row), 36, static_cast<float>(sample));
      ++decoded;
    };
    Dataset dataset;
    dataset.train = samples;
    dataset.trainCount = kSamples;
    dataset.transforms.resize(1);
    const auto secondsOf = [&](bool runsSteps) {
      Feeder feeder(network, dataset, false);
      const auto started = Clock::now();
      for (int64_t step = 0; step < feeder.stepsPerPass(); ++step)
        for (const MicroBatch& piece : feeder.microBatchesOf(step)) {
          Program& program = feeder.place(1, 1, step, piece);
          if (!runsSteps) continue;
          setStep(program, step + 1, 0.001, 1, 0);
          program.run();
          std::this_thread::sleep_for(kStep);
        }
      return secondsSince(started);
    };
    const double decoding = secondsOf(false), both = secondsOf(true),
                 steps = 20 * std::chrono::duration<double>(kStep).count();
    MESSAGE("decoding " << decoding << " s, steps " << steps << " s, both " << both << " s");
    CHECK(decoded >= 2 * kSamples);
    CHECK(both < 0.8 * (decoding + steps));
  }
}

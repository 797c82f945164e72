// SPDX-License-Identifier: Apache-2.0
// Tests that a run which was stopped, killed or damaged and then resumed is bit-identical to an
// uninterrupted run.
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/runs/history.h"
#include "core/train/session.h"
#include "tests/support/paths.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

/// Checks that the run in `got` recorded the same steps and values as the run in `wanted`.
void checkSameHistory(const std::filesystem::path& got, const std::filesystem::path& wanted) {
  const HistoryReader rows((got / "history.bin").string()),
      expected((wanted / "history.bin").string());
  REQUIRE(rows.size() == expected.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].step == expected[i].step);
    CHECK(rows[i].kind == expected[i].kind);
    CHECK(rows[i].loss == expected[i].loss);
    CHECK(rows[i].learningRate == expected[i].learningRate);
  }
}

/// Checks that a run which is stopped after each of these steps and then resumed has the weights,
/// the history and the outcome of an uninterrupted run.
void checkResumed(const Project& project, const std::vector<int64_t>& lastSteps) {
  TemporaryFolder folder;
  Recorder whole;
  const RunOutcome expected = trainAll(optionsFor(project, folder / "whole"), whole);
  REQUIRE_MESSAGE(expected.outcome == Outcome::Finished, messageOf(expected));
  for (const int64_t lastStep : lastSteps) {
    CAPTURE(lastStep);
    const auto run = folder / std::to_string(lastStep);
    Recorder first;
    const RunOutcome stopped = trainUntil(lastStep, optionsFor(project, run), first);
    REQUIRE(stopped.outcome == Outcome::Stopped);
    CHECK(stopped.steps == lastStep);
    CHECK(std::filesystem::exists(run / "weights.safetensors"));
    CHECK(first.outcomes == 1);
    Recorder second;
    SessionOptions options = resumeOptions(project, run);
    // 0 uses the number of threads that the run recorded.
    options.threads = 0;
    const RunOutcome outcome = trainAll(options, second);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(second.start.firstStep == lastStep);
    CHECK(outcome.weightsHash == expected.weightsHash);
    CHECK(outcome.steps == expected.steps);
    CHECK(outcome.endedBy == expected.endedBy);
    CHECK(outcome.restoredEpoch == expected.restoredEpoch);
    CHECK(outcome.testLoss == expected.testLoss);
    CHECK(second.epochs.back().loss == whole.epochs.back().loss);
    checkSameHistory(run, folder / "whole");
  }
}

}  // namespace

TEST_SUITE("continue") {
  TEST_CASE("a run that is stopped at any step and resumed equals an uninterrupted run") {
    checkResumed(smallProject(), {1, 7, 8, 9, 20, 23});
  }

  TEST_CASE("a resumed run with stages and changed settings equals an uninterrupted run") {
    checkResumed(
        smallProjectWith(
            {{"/training/epochs", "6"},
             {"/training/stages",
              R"([{"steps": 5, "trainable": ["out"]}, {"epochs": 2, "frozen": ["out"]},
                  {"epochs": 1, "learning_rate": {"type": "ExponentialDecay", "initial_learning_rate": 0.05, "decay_steps": 3, "decay_rate": 0.5}},
                  {"learning_rate": 0.003, "reset_optimizer": true}])"},
             {"/training/changes",
              R"([{"step": 7, "name": "clipnorm", "value": 0.5}, {"step": 12, "name": "drop/rate", "value": 0.5},
                  {"step": 30, "name": "learning_rate", "value": 0.02}, {"step": 12, "name": "weight_decay", "value": 0.01}])"}}),
        {1, 4, 5, 6, 7, 11, 12, 16, 24, 30, 41});
  }

  TEST_CASE("a resumed run with callbacks equals an uninterrupted run") {
    checkResumed(smallProjectWith(
                     {{"/training/epochs", "12"},
                      {"/training/optimizer", R"({"type": "adam", "learning_rate": 0.05})"},
                      {"/training/callbacks",
                       R"([{"type": "EarlyStopping", "patience": 4, "restore_best_weights": true},
                  {"type": "ReduceLROnPlateau", "patience": 1, "factor": 0.5, "monitor": "loss"},
                  {"type": "ModelCheckpoint", "save_freq": 3, "keep_last": 2}])"}}),
                 {3, 8, 9, 17, 25});
  }

  TEST_CASE("a resumed run with validations within epochs equals an uninterrupted run") {
    checkResumed(smallProjectWith({{"/training/steps_per_epoch", "5"},
                                   {"/training/validation_freq", "2"},
                                   {"/training/validation_freq_steps", "3"}}),
                 {1, 3, 5, 6, 8, 9, 10, 14});
  }

  TEST_CASE("a resumed run with gradient accumulation equals an uninterrupted run") {
    checkResumed(smallProjectWith({{"/training/steps_per_epoch", "11"},
                                   {"/training/gradient_accumulation_steps", "2"}}),
                 {2, 8, 11, 12, 20});
  }

  TEST_CASE(
      "resuming after a kill removes events and history after the checkpoint, skips a damaged "
      "checkpoint, and starts over without one") {
    TemporaryFolder folder;
    Recorder recorder;
    const RunOutcome expected = trainAll(optionsFor(smallProject(), folder / "whole"), recorder);
    // A killed run leaves events and history records that it wrote after its last checkpoint.
    const auto resume = [&](const char* name, auto&& damage) {
      const auto run = folder / name;
      std::filesystem::copy(folder / "whole", run, std::filesystem::copy_options::recursive);
      std::filesystem::remove(run / "weights.safetensors");
      damage(run);
      Recorder second;
      const RunOutcome outcome = trainAll(resumeOptions(smallProject(), run), second);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(outcome.weightsHash == expected.weightsHash);
      CHECK(HistoryReader((run / "history.bin").string()).size() == 30);
      std::ifstream in(run / "events.jsonl");
      std::string line;
      int ends = 0, epochs = 0;
      while (std::getline(in, line)) {
        const Json event = parseJson(line, "events");
        ends += event["event"] == "end" ? 1 : 0;
        epochs += event["event"] == "epoch" ? 1 : 0;
      }
      CHECK(ends == 1);
      CHECK(epochs == 3);
      return second.warnings.size();
    };
    const auto files = [](const std::filesystem::path& run) {
      std::vector<std::filesystem::path> result;
      for (const auto& entry : std::filesystem::directory_iterator(run / "checkpoints"))
        result.push_back(entry.path());
      std::sort(result.begin(), result.end());
      return result;
    };
    CHECK(resume("same", [](const auto&) {}) == 0);
    CHECK(resume("older", [&](const auto& run) { std::filesystem::remove(files(run).back()); }) ==
          1);
    CHECK(resume("damaged", [&](const auto& run) {
            std::filesystem::resize_file(files(run).back(), 100);
          }) == 1);
    // This run was killed before its first checkpoint.
    CHECK(resume("none", [&](const auto& run) {
            for (const char* name : {"checkpoints", "record.json", "events.jsonl"})
              std::filesystem::remove_all(run / name);
          }) == 1);
  }

  TEST_CASE("a run that lost files, never started or gets another batch size can be resumed") {
    TemporaryFolder folder;
    Recorder whole;
    const RunOutcome expected = trainAll(optionsFor(smallProject(), folder / "whole"), whole);
    const auto stopAt = [&](const std::filesystem::path& run, int64_t last) {
      Recorder recorder;
      trainUntil(last, optionsFor(smallProject(), run), recorder);
    };
    const auto resume = [&](const std::filesystem::path& run, std::optional<int64_t> batch = {}) {
      Recorder recorder;
      SessionOptions options = resumeOptions(smallProject(), run);
      options.batchSize = batch;
      return trainAll(options, recorder);
    };
    stopAt(folder / "a", 5);
    std::filesystem::remove(folder / "a/events.jsonl");
    CHECK(resume(folder / "a").weightsHash == expected.weightsHash);

    stopAt(folder / "b", 5);
    std::filesystem::remove(folder / "b/history.bin");
    CHECK(resume(folder / "b").weightsHash == expected.weightsHash);

    stopAt(folder / "e", 5);
    std::filesystem::remove(folder / "e/events.jsonl");
    std::filesystem::create_directory(folder / "e/events.jsonl");
    // If the file for events cannot be written, the run fails without a crash.
    CHECK(resume(folder / "e").outcome == Outcome::Failed);

    // This run was killed after it had created its folder and before it wrote project.json.
    std::filesystem::create_directory(folder / "c");
    std::ofstream(folder / "c/lock");
    CHECK(resume(folder / "c").weightsHash == expected.weightsHash);
    CHECK(std::filesystem::exists(folder / "c/project.json"));

    // The run stops after 80 of the 117 samples of the epoch. A batch size of 32 does not divide
    // 80.
    stopAt(folder / "d", 5);
    RunOutcome outcome = resume(folder / "d", 32);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->code() == ErrorCode::InvalidArgument);
    CHECK(std::string(outcome.error->what()).find("80") != std::string::npos);
    outcome = resume(folder / "d", 8);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(outcome.steps == 5 + (15 - 10) + 2 * 15);
  }

  TEST_CASE("a run resumed with another batch size ends after the requested epochs") {
    for (const auto& [batch, perEpoch] : {std::pair<int64_t, int64_t>{64, 2}, {4, 30}}) {
      TemporaryFolder folder;
      Recorder first;
      REQUIRE(trainAll(optionsFor(smallProject(), folder / "run"), first).steps == 3 * 8);
      Recorder recorder;
      SessionOptions options = resumeOptions(smallProject(), folder / "run");
      options.batchSize = batch;
      options.epochs = 5;
      const RunOutcome outcome = trainAll(options, recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(recorder.start.totalSteps == 24 + 2 * perEpoch);
      CHECK(recorder.start.epochs == 5);
      CHECK(outcome.steps == 24 + 2 * perEpoch);
      REQUIRE(recorder.epochs.size() == 2);
      CHECK(recorder.epochs[0].epoch == 4);
      CHECK(recorder.epochs[1].epoch == 5);

      // The run has already trained the four requested epochs.
      Recorder fewer;
      options.epochs = 4;
      CHECK(trainAll(options, fewer).outcome == Outcome::Finished);
      CHECK(fewer.steps.empty());
      CHECK(fewer.start.totalSteps == outcome.steps);
    }
  }

  TEST_CASE("the log contains the event of the checkpoint from which a run resumes") {
    TemporaryFolder folder;
    Recorder first;
    REQUIRE(trainAll(optionsFor(smallProject(), folder / "run"), first).outcome ==
            Outcome::Finished);
    std::filesystem::remove(folder / "run/checkpoints/000000000024.safetensors");
    Recorder recorder;
    REQUIRE(trainAll(resumeOptions(smallProject(), folder / "run"), recorder).outcome ==
            Outcome::Finished);
    std::ifstream file(folder / "run/events.jsonl");
    std::vector<int64_t> steps;
    for (std::string line; std::getline(file, line);) {
      const Json event = Json::parse(line);
      if (event["event"] == "checkpoint") {
        steps.push_back(event["step"]);
        CHECK(event["bytes"] > 0);
      }
    }
    CHECK(steps == std::vector<int64_t>{8, 16, 24});
  }
}

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

TEST_SUITE("continue") {
  TEST_CASE("a run that is stopped at any step and resumed equals an uninterrupted run") {
    TemporaryFolder folder;
    Recorder whole;
    const RunOutcome expected = trainAll(optionsFor(smallProject(), folder / "whole"), whole);
    REQUIRE(expected.outcome == Outcome::Finished);
    for (const int64_t stopAt : {1, 7, 8, 9, 20, 23}) {
      const auto run = folder / ("run" + std::to_string(stopAt));
      {
        Recorder recorder;
        TrainingSession session(optionsFor(smallProject(), run), recorder);
        recorder.onStepDone = [&](int64_t step) {
          if (step == stopAt) session.stop();
        };
        session.start();
        const RunOutcome outcome = session.wait();
        CHECK(outcome.outcome == Outcome::Stopped);
        CHECK(outcome.steps == stopAt);
        CHECK(std::filesystem::exists(run / "weights.safetensors"));
        CHECK(recorder.outcomes == 1);
      }
      Recorder recorder;
      SessionOptions options = optionsFor(smallProject());
      // The value 0 selects the number of threads that the run recorded.
      options.threads = 0;
      options.writesRunDirectory = true;
      options.resumeFrom = run.string();
      const RunOutcome outcome = trainAll(options, recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      CHECK(recorder.start.firstStep == stopAt);
      CHECK(outcome.weightsHash == expected.weightsHash);
      CHECK(outcome.testLoss == expected.testLoss);
      CHECK(recorder.epochs.back().loss == whole.epochs.back().loss);
      const HistoryReader history((run / "history.bin").string()),
          wanted((folder / "whole/history.bin").string());
      REQUIRE(history.size() == wanted.size());
      for (size_t i = 0; i < history.size(); ++i) {
        CHECK(history[i].step == wanted[i].step);
        CHECK(history[i].kind == wanted[i].kind);
        CHECK(history[i].loss == wanted[i].loss);
      }
    }
  }

  TEST_CASE(
      "resuming after a kill removes events and history after the checkpoint, skips a damaged "
      "checkpoint, and starts over without one") {
    TemporaryFolder folder;
    Recorder recorder;
    const RunOutcome expected = trainAll(optionsFor(smallProject(), folder / "whole"), recorder);
    // A killed run leaves lines and records that are later than its last checkpoint.
    const auto resume = [&](const char* name, auto&& damage) {
      const auto run = folder / name;
      std::filesystem::copy(folder / "whole", run, std::filesystem::copy_options::recursive);
      std::filesystem::remove(run / "weights.safetensors");
      damage(run);
      Recorder second;
      SessionOptions options = optionsFor(smallProject());
      options.writesRunDirectory = true;
      options.resumeFrom = run.string();
      const RunOutcome outcome = trainAll(options, second);
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
    Recorder unheard;
    const RunOutcome expected = trainAll(optionsFor(smallProject(), folder / "whole"), unheard);
    const auto stopAt = [&](const std::filesystem::path& run, int64_t last) {
      Recorder recorder;
      TrainingSession session(optionsFor(smallProject(), run), recorder);
      recorder.onStepDone = [&](int64_t step) {
        if (step == last) session.stop();
      };
      session.start();
      session.wait();
    };
    const auto goOn = [&](const std::filesystem::path& run, std::optional<int64_t> batch = {}) {
      Recorder recorder;
      SessionOptions options = optionsFor(smallProject());
      options.writesRunDirectory = true;
      options.resumeFrom = run.string();
      options.batchSize = batch;
      return trainAll(options, recorder);
    };
    stopAt(folder / "a", 5);
    std::filesystem::remove(folder / "a/events.jsonl");
    CHECK(goOn(folder / "a").weightsHash == expected.weightsHash);

    stopAt(folder / "b", 5);
    std::filesystem::remove(folder / "b/history.bin");
    CHECK(goOn(folder / "b").weightsHash == expected.weightsHash);

    stopAt(folder / "e", 5);
    std::filesystem::remove(folder / "e/events.jsonl");
    std::filesystem::create_directory(folder / "e/events.jsonl");
    // If the file for events cannot be written, the run fails without a crash.
    CHECK(goOn(folder / "e").outcome == Outcome::Failed);

    // This run was killed after it had created its folder and before it wrote project.json.
    std::filesystem::create_directory(folder / "c");
    std::ofstream(folder / "c/lock");
    CHECK(goOn(folder / "c").weightsHash == expected.weightsHash);
    CHECK(std::filesystem::exists(folder / "c/project.json"));

    // The run stops after 80 of the 117 samples of the epoch. A batch size of 32 does not divide
    // 80.
    stopAt(folder / "d", 5);
    RunOutcome outcome = goOn(folder / "d", 32);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->code() == ErrorCode::InvalidArgument);
    CHECK(std::string(outcome.error->what()).find("80") != std::string::npos);
    outcome = goOn(folder / "d", 8);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(outcome.steps == 5 + (15 - 10) + 2 * 15);
  }

  TEST_CASE("a run resumed with another batch size ends after the requested epochs") {
    for (const auto& [batch, perEpoch] : {std::pair<int64_t, int64_t>{64, 2}, {4, 30}}) {
      TemporaryFolder folder;
      Recorder first;
      REQUIRE(trainAll(optionsFor(smallProject(), folder / "run"), first).steps == 3 * 8);
      Recorder recorder;
      SessionOptions options = optionsFor(smallProject());
      options.writesRunDirectory = true;
      options.resumeFrom = (folder / "run").string();
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
    SessionOptions options = optionsFor(smallProject());
    options.writesRunDirectory = true;
    options.resumeFrom = (folder / "run").string();
    Recorder recorder;
    REQUIRE(trainAll(options, recorder).outcome == Outcome::Finished);
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

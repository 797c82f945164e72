// SPDX-License-Identifier: Apache-2.0
// Tests the weights that callbacks keep or restore: checkpoints and best weights of
// ModelCheckpoint, and the best epoch of EarlyStopping.
#include <algorithm>
#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/interchange/safetensors.h"
#include "tests/support/small_run.h"

using namespace strata;

TEST_SUITE("kept weights") {
  TEST_CASE("ModelCheckpoint keeps its newest and best checkpoints, and the best weights") {
    TemporaryFolder folder;
    Recorder recorder;
    const Project project = smallProjectWith(
        {{"/training/epochs", "6"},
         {"/training/callbacks",
          R"([{"type": "ModelCheckpoint", "monitor": "loss", "save_freq": 5, "keep_last": 2, "keep_best": 1}])"}});
    const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    std::vector<std::string> names;
    uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "run/checkpoints")) {
      names.push_back(entry.path().filename().string());
      bytes += entry.file_size();
    }
    for (const char* name :
         {"000000000040.safetensors", "000000000045.safetensors", "000000000048.safetensors"})
      CHECK(std::find(names.begin(), names.end(), name) != names.end());
    CHECK(names.size() <= 6);
    CHECK(outcome.checkpointBytes == bytes);
    CHECK(outcome.bestPath == (folder / "run/best.safetensors").string());
    const CheckpointSaved* best = nullptr;
    double bestLoss = 1e9;
    for (const CheckpointSaved& saved : recorder.checkpoints) {
      CHECK(saved.diskBytes >= saved.bytes);
      CHECK(saved.files > 0);
      if (!saved.isBest) continue;
      CHECK(saved.monitor == "loss");
      CHECK(saved.value < bestLoss);
      bestLoss = saved.value;
      best = &saved;
    }
    REQUIRE(best);
    CHECK(readSafetensors(outcome.bestPath).metadata["step"] == std::to_string(best->step));
  }

  TEST_CASE("EarlyStopping ends with the weights of its best epoch") {
    const Project project = smallProjectWith(
        {{"/training/epochs", "30"},
         {"/training/optimizer", R"({"type": "adam", "learning_rate": 0.05})"},
         {"/training/callbacks",
          R"([{"type": "EarlyStopping", "patience": 2, "restore_best_weights": true}])"}});
    TemporaryFolder folder;
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    REQUIRE(outcome.endedBy == "EarlyStopping");
    REQUIRE(recorder.epochs.size() < 30);
    CHECK(outcome.restoredEpoch == outcome.epochs - 2);
    Project shorter = project;
    shorter.document()["training"].erase("callbacks");
    shorter.document()["training"]["epochs"] = outcome.restoredEpoch;
    Recorder best;
    CHECK(trainAll(optionsFor(shorter), best).weightsHash == outcome.weightsHash);

    SUBCASE("a resumed run that has ended does not train") {
      Recorder again;
      CHECK(trainAll(resumeOptions(project, folder / "run"), again).weightsHash ==
            outcome.weightsHash);
      CHECK(again.steps.empty());
    }
    SUBCASE("a resumed run with more epochs trains") {
      SessionOptions options = resumeOptions(project, folder / "run");
      options.epochs = 30;
      Recorder more;
      CHECK(trainAll(options, more).outcome == Outcome::Finished);
      CHECK(!more.steps.empty());
    }
  }
}

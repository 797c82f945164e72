// SPDX-License-Identifier: Apache-2.0
// Tests damaged and changed run directories. Trained results must never be lost, and damage must
// never be accepted.
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "core/data/dataset.h"
#include "core/interchange/safetensors.h"
#include "core/project/project.h"
#include "core/runs/event_log.h"
#include "core/runs/run_directory.h"
#include "core/runs/run_record.h"
#include "core/train/checkpoint.h"
#include "core/train/evaluator.h"
#include "tests/support/has.h"
#include "tests/support/small_run.h"

using namespace strata;
namespace fs = std::filesystem;

namespace {

std::string bytesOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void put(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void flip(const fs::path& path, size_t at) {
  std::string bytes = bytesOf(path);
  bytes.at(at) = static_cast<char>(bytes.at(at) ^ 1);
  put(path, bytes);
}

/// A run of three epochs in folder/run, which was stopped in the second epoch. `expected` is the
/// hash of the weights of an uninterrupted run.
struct StoppedRun {
  TemporaryFolder folder;
  fs::path run = folder / "run";
  std::string expected;

  StoppedRun() {
    Recorder whole;
    expected = trainAll(optionsFor(smallProject(), folder / "whole"), whole).weightsHash;
    Recorder recorder;
    REQUIRE(trainUntil(11, optionsFor(smallProject(), run), recorder).outcome == Outcome::Stopped);
    REQUIRE(newest().filename() == "000000000011.safetensors");
  }
  fs::path newest() const {
    std::string problem;
    return checkpointFiles(run.string(), readRunRecord(run.string(), problem)).at(0);
  }
  RunOutcome resume(Recorder& recorder) const {
    return trainAll(resumeOptions(smallProject(), run), recorder);
  }
  std::string resumedHash() const {
    Recorder recorder;
    const RunOutcome outcome = resume(recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(recorder.warnings.empty());
    return outcome.weightsHash;
  }
  /// Checks that the resumed run has the expected weights and exactly one warning, which contains
  /// this text.
  void checkGoesOn(const std::string& warning) const {
    Recorder recorder;
    const RunOutcome outcome = resume(recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(outcome.weightsHash == expected);
    REQUIRE(recorder.warnings.size() == 1);
    CHECK_MESSAGE(has(recorder.warnings[0], warning), recorder.warnings[0]);
  }
  /// Returns the names and contents of all files of the run.
  std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(run))
      if (entry.is_regular_file()) files[entry.path().string()] = bytesOf(entry.path());
    return files;
  }
  /// Checks that resuming is refused for this reason and changes nothing in the directory.
  void checkRefused(const std::string& reason) const {
    const auto before = contents();
    Recorder recorder;
    const RunOutcome outcome = resume(recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK_MESSAGE(has(messageOf(outcome), reason), messageOf(outcome));
    CHECK(recorder.steps.empty());
    CHECK(contents() == before);
  }
};

}  // namespace

TEST_SUITE("run kept") {
  TEST_CASE("a run that another process trains is not touched") {
    const StoppedRun stopped;
    const fs::path temporary = stopped.run / "checkpoints/000000000012.safetensors.77-1.tmp";
    put(temporary, "being written");
    {
      const RunLock lock(stopped.run.string());
      stopped.checkRefused("is being trained by another process");
      CHECK(bytesOf(temporary) == "being written");
    }
    CHECK(stopped.resumedHash() == stopped.expected);
    // Once this process has the lock, the temporary file must belong to a killed process and is
    // removed.
    CHECK(!fs::exists(temporary));
  }

  TEST_CASE("only incomplete files of a killed process are removed") {
    const StoppedRun stopped;
    for (const char* name : {"best.safetensors.12-1.tmp", "weights.safetensors.12-2.tmp",
                             "record.json.1-1.tmp", "project.json.1-12.tmp"})
      put(stopped.run / name, "half");
    for (const char* name :
         {"notes.tmp", "best.safetensors.tmp", "weights.safetensors.12-2.tmp.keep",
          "checkpoints/mine.safetensors.1-1.tmp"})
      put(stopped.run / name, "mine");
    CHECK(stopped.resumedHash() == stopped.expected);
    for (const char* name : {"best.safetensors.12-1.tmp", "weights.safetensors.12-2.tmp",
                             "record.json.1-1.tmp", "project.json.1-12.tmp"})
      CHECK_MESSAGE(!fs::exists(stopped.run / name), name);
    for (const char* name :
         {"notes.tmp", "best.safetensors.tmp", "weights.safetensors.12-2.tmp.keep",
          "checkpoints/mine.safetensors.1-1.tmp"})
      CHECK_MESSAGE(fs::exists(stopped.run / name), name);
  }

  TEST_CASE("files that the run did not record are not checkpoints and are not removed") {
    const StoppedRun stopped;
    const fs::path folder = stopped.run / "checkpoints";
    const std::string first = bytesOf(folder / "000000000008.safetensors");
    REQUIRE(!first.empty());
    for (const char* name : {"backup.safetensors", "zzz.safetensors", "000000000999.safetensors",
                             "000000000003.safetensors"})
      put(folder / name, first);
    put(stopped.folder / "elsewhere.safetensors", first);
    fs::create_symlink(stopped.folder / "elsewhere.safetensors", folder / "link.safetensors");
    CHECK(readRun(stopped.run.string()).checkpoint == stopped.newest().string());
    CHECK(stopped.resumedHash() == stopped.expected);
    for (const char* name : {"backup.safetensors", "zzz.safetensors", "000000000999.safetensors",
                             "000000000003.safetensors", "link.safetensors"})
      CHECK_MESSAGE(bytesOf(folder / name) == first, name);
    CHECK(bytesOf(stopped.folder / "elsewhere.safetensors") == first);
    // The folder contains the five other files and the two checkpoints of the run.
    CHECK(std::distance(fs::directory_iterator(folder), {}) == 7);
  }

  TEST_CASE("a different checkpoint under a recorded name is skipped") {
    const StoppedRun stopped;
    put(stopped.newest(), bytesOf(stopped.run / "checkpoints/000000000008.safetensors"));
    stopped.checkGoesOn(
        "is the checkpoint of step 8, which does not fit its name. The run continues from the "
        "checkpoint of step 8.");
  }

  TEST_CASE("checkpoints of another run with the same steps are not used") {
    const StoppedRun stopped, other;
    Recorder recorder;
    SessionOptions options = optionsFor(smallProject(), other.folder / "seeded");
    options.seed = 99;
    options.maxSteps = 11;
    REQUIRE(trainAll(options, recorder).outcome == Outcome::Finished);
    put(stopped.newest(), bytesOf(other.folder / "seeded/checkpoints/000000000011.safetensors"));
    stopped.checkGoesOn(
        "is not the checkpoint that the run recorded (its hash differs). The run continues from "
        "the checkpoint of step 8.");
  }

  TEST_CASE("a run that lost its checkpoints does not start again and overwrite its results") {
    {
      const StoppedRun stopped;
      fs::remove_all(stopped.run / "checkpoints");
      stopped.checkRefused("000000000011.safetensors: is missing");
      fs::create_directory(stopped.run / "checkpoints");
      stopped.checkRefused(
          "000000000011.safetensors: is missing, although the run recorded it. Starting at step 0 "
          "would overwrite what the run has trained.");
      put(stopped.run / "checkpoints/000000000020.safetensors", "foreign");
      stopped.checkRefused("is missing");
      fs::remove(stopped.run / "record.json");
      stopped.checkRefused("Starting at step 0 would overwrite what the run has trained.");
    }
    const StoppedRun stopped;
    fs::remove_all(stopped.run / "checkpoints");
    put(stopped.run / "checkpoints", "a file");
    stopped.checkRefused("checkpoints: is not a folder");
    fs::remove(stopped.run / "checkpoints");
    fs::remove(stopped.run / "record.json");
    fs::remove(stopped.run / "weights.safetensors");
    // An empty weights file also counts as a result.
    put(stopped.run / "weights.safetensors", "");
    stopped.checkRefused("Starting at step 0 would overwrite what the run has trained.");
  }

  TEST_CASE(
      "a run of an earlier version, or with a lost or damaged record, resumes with a warning") {
    {
      const StoppedRun stopped;
      fs::remove(stopped.run / "record.json");
      put(stopped.run / "checkpoints/backup.safetensors", bytesOf(stopped.newest()));
      stopped.checkGoesOn("has no record.json");
      CHECK(fs::exists(stopped.run / "checkpoints/backup.safetensors"));
      std::string problem;
      // The resumed run has written a new record.
      CHECK(readRunRecord(stopped.run.string(), problem));
    }
    const StoppedRun stopped;
    flip(stopped.run / "record.json", bytesOf(stopped.run / "record.json").find("\"step\": ") + 8);
    stopped.checkGoesOn("has a damaged record.json");
  }

  TEST_CASE("every bit of the files that determine a result is checked") {
    for (const char* name : {"project.json", "environment.json"}) {
      const StoppedRun stopped;
      const std::string whole = bytesOf(stopped.run / name);
      // Only the contents are changed, because white space between members has no meaning.
      for (size_t at = whole.find(name[0] == 'p' ? "learning_rate" : "threads"); at < whole.size();
           at += 97) {
        if (std::isspace(static_cast<unsigned char>(whole[at]))) continue;
        flip(stopped.run / name, at);
        stopped.checkRefused(name);
        put(stopped.run / name, whole);
      }
      CHECK(stopped.resumedHash() == stopped.expected);
    }
  }

  TEST_CASE("a setting that changed after the checkpoint counts only if it was recorded") {
    const StoppedRun stopped;
    std::ostringstream line;
    EventLog(line, false).onSetting({13, "learning_rate", 0.5});
    const std::string events = bytesOf(stopped.run / "events.jsonl");
    std::string forged = line.str();
    forged.replace(forged.find("0.5"), 3, "0.9");
    put(stopped.run / "events.jsonl",
        events + forged +
            "{\"event\":\"setting\",\"step\":13,\"name\":\"learning_rate\",\"value\":0.1}\n");
    Recorder recorder;
    const RunOutcome outcome = stopped.resume(recorder);
    CHECK(outcome.weightsHash == stopped.expected);
    CHECK(recorder.warnings.size() == 2);
    CHECK(has(recorder.warnings.at(0), "a changed setting in this file is damaged and ignored"));

    const StoppedRun sound;
    put(sound.run / "events.jsonl", bytesOf(sound.run / "events.jsonl") + line.str());
    // The undamaged line changes the result of the run.
    CHECK(sound.resumedHash() != sound.expected);
  }

  TEST_CASE("best weights that are damaged or from another run are not reported as best") {
    const TemporaryFolder folder;
    Project project = smallProject();
    project.document()["training"]["callbacks"] =
        Json::array({{{"type", "ModelCheckpoint"}, {"monitor", "loss"}}});
    Recorder first;
    const RunOutcome whole = trainAll(optionsFor(project, folder / "run"), first);
    REQUIRE_MESSAGE(whole.outcome == Outcome::Finished, messageOf(whole));
    REQUIRE(!whole.bestPath.empty());
    const auto goOn = [&] {
      Recorder recorder;
      const RunOutcome outcome = trainAll(resumeOptions(project, folder / "run"), recorder);
      return std::pair(outcome.bestPath, recorder.warnings.size());
    };
    CHECK(goOn() == std::pair(whole.bestPath, size_t{0}));
    TensorFile other;
    other.tensors.emplace("w", Tensor(DType::F32, Shape{3}));
    writeSafetensors(whole.bestPath, other);
    CHECK(goOn() == std::pair(std::string(), size_t{1}));
    put(whole.bestPath, "");
    CHECK(goOn() == std::pair(std::string(), size_t{1}));
    // A run that has only its best weights does not start again and overwrite them.
    for (const char* name : {"record.json", "checkpoints", "events.jsonl", "weights.safetensors"})
      fs::remove_all(folder / "run" / name);
    goOn();
    CHECK(bytesOf(whole.bestPath).empty());
  }

  TEST_CASE("a lost environment file is reported, and the run continues") {
    const StoppedRun stopped;
    fs::remove(stopped.run / "environment.json");
    stopped.checkGoesOn("environment.json: is missing");
  }

  TEST_CASE("a run with damaged curves or kernel choices can be resumed") {
    const auto after = [](const char* name, const char* warning,
                          const std::function<void(const fs::path&)>& damage) {
      const StoppedRun stopped;
      damage(stopped.run / name);
      stopped.checkGoesOn(warning);
      return bytesOf(stopped.run / name);
    };
    const auto empty = [](const fs::path& file) {
      put(file, "");
    };
    const auto cut = [](const fs::path& file) {
      fs::resize_file(file, fs::file_size(file) / 2);
    };
    const auto lose = [](const fs::path& file) {
      fs::remove(file);
    };
    CHECK(
        has(after("choices.json", "choices.json: is empty, so the kernels are timed again", empty),
            "\"kernels\""));
    CHECK(
        has(after("choices.json", "choices.json: is damaged, so the kernels are timed again", cut),
            "\"kernels\""));
    CHECK(
        has(after("choices.json", "choices.json: is missing, so the kernels are timed again", lose),
            "\"kernels\""));
    const std::string events = after("events.jsonl", "events.jsonl: is truncated", cut);
    CHECK(events.find("\n{") != std::string::npos);
    for (size_t at = 0; at < events.size(); at = events.find('\n', at) + 1)
      CHECK(events[at] == '{');
    CHECK(has(after("events.jsonl", "events.jsonl: is missing", lose), "\"event\":\"end\""));
    after("history.bin", "history.bin: is missing, so the curves lack steps 1 to 11.", lose);
    after(
        "history.bin",
        "history.bin: is damaged (kept as history.damaged.bin), so the curves lack steps 1 to 11.",
        empty);
    after("history.bin", "history.bin: is truncated, so the curves lack steps", cut);
    after("history.bin", "history.bin: is damaged (kept",
          [](const fs::path& file) { flip(file, 13); });
    after("history.bin", "history.bin: is damaged (its hash",
          [](const fs::path& file) { flip(file, 200); });
  }

  TEST_CASE("writing does not follow links in a run directory") {
    const auto linked = [](const StoppedRun& stopped, const char* name, bool isHard) {
      const fs::path elsewhere = stopped.folder / (std::string("elsewhere-") + name);
      fs::rename(stopped.run / name, elsewhere);
      if (isHard)
        fs::create_hard_link(elsewhere, stopped.run / name);
      else
        fs::create_symlink(elsewhere, stopped.run / name);
      return std::pair(elsewhere, bytesOf(elsewhere));
    };
    for (const bool isHard : {false, true}) {
      const StoppedRun stopped;
      std::vector<std::pair<fs::path, std::string>> kept;
      for (const char* name : {"events.jsonl", "history.bin", "weights.safetensors", "project.json",
                               "environment.json", "choices.json", "record.json"})
        kept.push_back(linked(stopped, name, isHard));
      CHECK(stopped.resumedHash() == stopped.expected);
      for (const auto& [file, bytes] : kept)
        CHECK_MESSAGE(bytesOf(file) == bytes, file);
      CHECK(!fs::is_symlink(stopped.run / "events.jsonl"));
      CHECK(bytesOf(stopped.run / "events.jsonl").starts_with("{\"event\":\"start\""));
    }
    const StoppedRun stopped;
    fs::rename(stopped.run / "checkpoints", stopped.folder / "elsewhere");
    fs::create_directory_symlink(stopped.folder / "elsewhere", stopped.run / "checkpoints");
    const auto count = std::distance(fs::directory_iterator(stopped.folder / "elsewhere"), {});
    stopped.checkRefused("checkpoints: is a link");
    CHECK(std::distance(fs::directory_iterator(stopped.folder / "elsewhere"), {}) == count);
    fs::remove(stopped.run / "checkpoints");
    fs::create_directory(stopped.run / "checkpoints");
    fs::remove(stopped.run / "lock");
    fs::create_symlink(stopped.folder / "elsewhere/000000000011.safetensors", stopped.run / "lock");
    stopped.checkRefused("lock: is a link");
  }

  TEST_CASE("a new run does not overwrite files of another run") {
    for (const char* name : {"events.jsonl", "history.bin", "weights.safetensors",
                             "best.safetensors", "checkpoints"}) {
      const TemporaryFolder folder;
      fs::create_directory(folder / "run");
      fs::create_symlink(folder / "nowhere", folder / "run" / name);
      Recorder recorder;
      const RunOutcome outcome = trainAll(optionsFor(smallProject(), folder / "run"), recorder);
      REQUIRE(outcome.outcome == Outcome::Failed);
      CHECK(has(messageOf(outcome), "already contains a run"));
      CHECK(!fs::exists(folder / "nowhere"));
    }
  }

  TEST_CASE("a run's saved description of its inputs is checked before use") {
    const TemporaryFolder folder;
    Project project = smallProject(folder / "small.json");
    project.document()["data"]["transforms"] = Json::array({{{"type", "standardize"}}});
    Recorder recorder;
    REQUIRE(trainAll(optionsFor(project, folder / "run"), recorder).outcome == Outcome::Finished);
    const fs::path file = folder / "run/preprocessing.json";
    const std::string whole = bytesOf(file);
    REQUIRE(!whole.empty());
    const auto ask = [&] {
      const Evaluator evaluator(project, (folder / "run").string(), "reference");
    };
    CHECK_NOTHROW(ask());
    int refused = 0, asked = 0;
    for (size_t at = 0; at < whole.size(); at += std::max<size_t>(1, whole.size() / 60)) {
      if (std::isspace(static_cast<unsigned char>(whole[at]))) continue;
      ++asked;
      flip(file, at);
      try {
        ask();
      }
      catch (const Error& error) {
        ++refused;
        CHECK_MESSAGE(error.code() != ErrorCode::Internal, error.line());
        CHECK_MESSAGE(error.line().find("json.exception") == std::string::npos, error.line());
      }
      put(file, whole);
    }
    CHECK(asked > 30);
    CHECK(refused == asked);
    // A valid file of another run is refused, because that run has other data.
    Project other = project;
    other.document()["data"]["source"]["seed"] = 9;
    REQUIRE(trainAll(optionsFor(other, folder / "other"), recorder).outcome == Outcome::Finished);
    put(file, bytesOf(folder / "other/preprocessing.json"));
    CHECK_THROWS_WITH(ask(), doctest::Contains("is damaged or belongs to another run"));
    const auto goOn = [&] {
      Recorder continued;
      REQUIRE(trainAll(resumeOptions(project, folder / "run"), continued).outcome ==
              Outcome::Finished);
      return continued.warnings;
    };
    const auto isMadeAgain = [&] {
      const std::vector<std::string> warnings = goOn();
      return warnings.size() == 1 && has(warnings[0], "was restored from the data") &&
             bytesOf(file) == whole;
    };
    CHECK(isMadeAgain());
    CHECK_NOTHROW(ask());
    fs::remove(file);
    CHECK_THROWS_WITH(ask(),
                      doctest::Contains("is missing (it describes how raw values become inputs"));
    CHECK(isMadeAgain());
    CHECK(goOn().empty());
  }
}

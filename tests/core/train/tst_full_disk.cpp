// SPDX-License-Identifier: Apache-2.0
// A limit on the size of files stands for a full disk.
#include <csignal>
#include <filesystem>
#include <fstream>

#include <sys/resource.h>

#include <doctest/doctest.h>

#include "core/interchange/safetensors.h"
#include "core/runs/given_weights.h"
#include "core/runs/history.h"
#include "core/runs/moved_run.h"
#include "core/runs/run_directory.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

void limitFiles(rlim_t bytes) {
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

/// Fills the disk after a step, and answers the questions in their order. The disk has space again
/// when `spaceAt` questions have been asked.
class FullDisk : public Recorder {
 public:
  explicit FullDisk(std::vector<DiskAnswer> answers, size_t spaceAt = 1)
      : m_answers(std::move(answers)), m_spaceAt(spaceAt) {
    std::signal(SIGXFSZ, SIG_IGN);
    onStepDone = [](int64_t step) {
      constexpr rlim_t kFull = 16;
      if (step == 10) limitFiles(kFull);
    };
  }
  ~FullDisk() override { limitFiles(RLIM_INFINITY); }
  void onDiskProblem(const Error& error) override {
    problems.push_back(error.line());
    if (problems.size() >= m_spaceAt) limitFiles(RLIM_INFINITY);
    if (problems.size() <= m_answers.size())
      session->answerDisk(m_answers[problems.size() - 1]);
    else
      session->stop();
  }
  void onMoved(const std::string& directory) override { moved = directory; }
  RunOutcome train(SessionOptions options) {
    options.asksAboutDisk = true;
    TrainingSession own(std::move(options), *this);
    session = &own;
    own.start();
    return own.wait();
  }
  TrainingSession* session = nullptr;
  std::vector<std::string> problems;
  std::string moved;

 private:
  const std::vector<DiskAnswer> m_answers;
  const size_t m_spaceAt;
};

using Choice = DiskAnswer::Choice;

std::string undisturbedHash() {
  const TemporaryFolder folder;
  Recorder recorder;
  return trainAll(optionsFor(smallProject(), folder / "run"), recorder).weightsHash;
}

/// Checks that the run in this directory is complete.
void checkComplete(const std::string& directory, const RunOutcome& outcome) {
  REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
  CHECK(outcome.weightsHash == undisturbedHash());
  CHECK(readSafetensors(directory + "/weights.safetensors").metadata.at("hash") ==
        outcome.weightsHash);
  CHECK(HistoryReader(directory + "/history.bin").size() == 24 + 6);
  const RunInfo info = readRun(directory);
  CHECK(info.status == RunStatus::Finished);
  CHECK(info.steps == 24);
  CHECK(*info.testLoss == outcome.testLoss);
}

}  // namespace

TEST_SUITE("full disk") {
  TEST_CASE("a retry loses nothing") {
    const TemporaryFolder folder;
    FullDisk disk({{Choice::Retry, {}}, {Choice::Retry, {}}}, 2);
    const RunOutcome outcome = disk.train(optionsFor(smallProject(), folder / "run"));
    CHECK(disk.problems.size() == 2);
    CHECK(disk.problems.front().find((folder / "run").string()) != std::string::npos);
    checkComplete((folder / "run").string(), outcome);
  }

  TEST_CASE("another folder gets the whole run") {
    const TemporaryFolder folder;
    FullDisk disk({{Choice::OtherFolder, (folder / "elsewhere").string()}});
    const RunOutcome outcome = disk.train(optionsFor(smallProject(), folder / "run"));
    CHECK(disk.moved == (folder / "elsewhere/run").string());
    CHECK(outcome.weightsPath == (folder / "elsewhere/run/weights.safetensors").string());
    checkComplete((folder / "elsewhere/run").string(), outcome);
    // The former files are as they were.
    CHECK(readRun((folder / "run").string()).steps == 8);
    CHECK(placeOfRun((folder / "run").string()) == disk.moved);
  }

  TEST_CASE("a run that moved stays in the list of its project") {
    const TemporaryFolder folder;
    Project project = smallProject();
    project.setPath((folder / "small.json").string());
    SessionOptions options = optionsFor(project, folder / "small.runs/001");
    std::filesystem::create_directories(folder / "small.runs");
    FullDisk disk({{Choice::OtherFolder, (folder / "elsewhere").string()}});
    const RunOutcome outcome = disk.train(options);
    REQUIRE(outcome.outcome == Outcome::Finished);
    const std::vector<RunInfo> runs = listRuns(project);
    REQUIRE(runs.size() == 1);
    CHECK(runs[0].directory == disk.moved);
    CHECK(runs[0].number == 1);
    CHECK(runs[0].weightsPath == outcome.weightsPath);
    CHECK(latestRunDirectory(project) == disk.moved);
    // Without the other folder, the former files are listed.
    std::filesystem::remove_all(folder / "elsewhere");
    CHECK(listRuns(project)[0].directory == (folder / "small.runs/001").string());
  }

  TEST_CASE("a run that moved is found again after it was continued") {
    const TemporaryFolder folder;
    FullDisk disk({{Choice::OtherFolder, (folder / "elsewhere").string()}});
    const RunOutcome outcome = disk.train(optionsFor(smallProject(), folder / "run"));
    REQUIRE(outcome.outcome == Outcome::Finished);
    SessionOptions again = optionsFor(smallProject(), {});
    again.resumeFrom = disk.moved;
    again.epochs = 4;
    Recorder recorder;
    CHECK(trainAll(again, recorder).outcome == Outcome::Finished);
    CHECK(placeOfRun((folder / "run").string()) == disk.moved);
    CHECK(weightsFile((folder / "run").string()) == disk.moved + "/weights.safetensors");
  }

  TEST_CASE("without checkpoints, a pause ends nothing, and all events are written later") {
    const TemporaryFolder folder;
    FullDisk disk({{Choice::WithoutFiles, {}}, {Choice::Retry, {}}}, 2);
    const auto fill = disk.onStepDone;
    disk.onStepDone = [&](int64_t step) {
      fill(step);
      if (step == 20) {
        disk.session->pause();
        disk.session->resume();
      }
    };
    const RunOutcome outcome = disk.train(optionsFor(smallProject(), folder / "run"));
    checkComplete((folder / "run").string(), outcome);
    int epochs = 0;
    std::ifstream events(folder / "run/events.jsonl");
    for (std::string line; std::getline(events, line);)
      epochs += line.starts_with(R"({"event":"epoch")") ? 1 : 0;
    CHECK(epochs == 3);
  }

  TEST_CASE("weights are saved at the end even if the last checkpoint is left out") {
    const TemporaryFolder folder;
    FullDisk disk({{Choice::WithoutFiles, {}}, {Choice::WithoutFiles, {}}}, 2);
    const RunOutcome outcome = disk.train(optionsFor(smallProject(), folder / "run"));
    CHECK(disk.problems.size() == 2);
    checkComplete((folder / "run").string(), outcome);
    const RunInfo info = readRun((folder / "run").string());
    CHECK(info.checkpointStep == 8);
    CHECK(info.steps == 24);
  }

  TEST_CASE("a folder that cannot be used is reported, and another one can be chosen") {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder / "used/run/checkpoints");
    // The folder of the run itself, one with another run, one while the disk is still full, and the
    // same one again
    FullDisk disk({{Choice::OtherFolder, folder.path().string()},
                   {Choice::OtherFolder, (folder / "used").string()},
                   {Choice::OtherFolder, (folder / "elsewhere").string()},
                   {Choice::OtherFolder, (folder / "elsewhere").string()}},
                  4);
    const RunOutcome outcome = disk.train(optionsFor(smallProject(), folder / "run"));
    REQUIRE(disk.problems.size() == 4);
    CHECK(disk.problems[2].find("already contains a run") != std::string::npos);
    CHECK(disk.problems[3].find("elsewhere") != std::string::npos);
    checkComplete((folder / "elsewhere/run").string(), outcome);
    CHECK(std::filesystem::status(folder / "elsewhere/run/checkpoints").permissions() ==
          std::filesystem::perms::owner_all);
  }

  TEST_CASE("without checkpoints, the end tries again") {
    const TemporaryFolder folder;
    FullDisk disk({{Choice::WithoutFiles, {}}, {Choice::Retry, {}}}, 2);
    const RunOutcome outcome = disk.train(optionsFor(smallProject(), folder / "run"));
    CHECK(disk.problems.size() == 2);
    checkComplete((folder / "run").string(), outcome);
    CHECK(disk.steps.size() == 24);
  }

  TEST_CASE("a stop during the question loses no step if there is space at the end") {
    const TemporaryFolder folder;
    FullDisk disk({});
    const RunOutcome outcome = disk.train(optionsFor(smallProject(), folder / "run"));
    CHECK(outcome.outcome == Outcome::Stopped);
    CHECK(disk.problems.size() == 1);
    CHECK(outcome.steps == 16);
    const RunInfo info = readRun((folder / "run").string());
    CHECK(info.status == RunStatus::Stopped);
    CHECK(info.checkpointStep == 16);
    SessionOptions again = optionsFor(smallProject(), folder / "run");
    again.resumeFrom = again.runDirectory;
    again.runDirectory.clear();
    Recorder recorder;
    checkComplete((folder / "run").string(), trainAll(again, recorder));
  }

  TEST_CASE("a second stop ends the run, which can continue from its checkpoint") {
    const TemporaryFolder folder;
    {
      FullDisk disk({}, 100);
      const RunOutcome outcome = disk.train(optionsFor(smallProject(), folder / "run"));
      CHECK(outcome.outcome == Outcome::Failed);
      CHECK(disk.problems.size() == 2);
    }
    SessionOptions again = optionsFor(smallProject(), folder / "run");
    again.resumeFrom = again.runDirectory;
    again.runDirectory.clear();
    Recorder recorder;
    checkComplete((folder / "run").string(), trainAll(again, recorder));
  }

  TEST_CASE("a session that does not ask fails, as in the command line") {
    const TemporaryFolder folder;
    FullDisk disk({});
    SessionOptions options = optionsFor(smallProject(), folder / "run");
    const RunOutcome outcome = trainAll(options, disk);
    CHECK(outcome.outcome == Outcome::Failed);
    CHECK(disk.problems.empty());
  }
}

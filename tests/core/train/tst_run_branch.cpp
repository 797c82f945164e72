// SPDX-License-Identifier: Apache-2.0
// Tests new runs that begin with a checkpoint of another run.
#include <doctest/doctest.h>

#include <cstring>
#include <fstream>

#include "core/run_list/lineage.h"
#include "core/run_list/trash.h"
#include "core/train/evaluator.h"
#include "core/train/run_branch.h"
#include "tests/support/small_run.h"

using namespace strata;
namespace fs = std::filesystem;

namespace {

/// Returns the content and time of every file in a folder.
std::map<std::string, std::string> filesIn(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& each : fs::recursive_directory_iterator(folder)) {
    if (!each.is_regular_file()) continue;
    std::ifstream in(each.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    const auto time = each.last_write_time().time_since_epoch().count();
    files[each.path().string()] = std::to_string(time) + ":" + bytes;
  }
  return files;
}

SessionOptions branchOptions(const fs::path& source, int64_t step, const fs::path& target) {
  SessionOptions options = resumeOptions(smallProject(), source);
  options.branchStep = step;
  options.runDirectory = target.string();
  return options;
}

bool isEqual(const std::map<std::string, Tensor>& a, const std::map<std::string, Tensor>& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, tensor] : a) {
    const auto found = b.find(name);
    if (found == b.end() || tensor.bytes() != found->second.bytes() ||
        std::memcmp(tensor.data(), found->second.data(), tensor.bytes()) != 0)
      return false;
  }
  return true;
}

}  // namespace

TEST_SUITE("run branch") {
  TEST_CASE("a new run from a checkpoint ends with the bits of the run that has it") {
    const TemporaryFolder folder;
    const fs::path a = folder.path() / "net.runs/001", b = folder.path() / "net.runs/002";
    fs::create_directories(a.parent_path());
    Recorder first;
    REQUIRE(trainAll(optionsFor(smallProject(), a), first).outcome == Outcome::Finished);
    const auto before = filesIn(a);
    const std::vector<ListedCheckpoint> list = listCheckpoints(a.string());
    // The first one may be kept, because it survives a power failure
    REQUIRE(list.size() >= 2);
    CHECK(list[0].step == 24);
    CHECK(list[1].step == 16);
    CHECK(list[0].epoch == 3);
    CHECK(list[1].epoch == 2);
    CHECK(list[1].bytes == fs::file_size(list[1].path));
    CHECK(list[1].savedAt > 0);
    REQUIRE(list[1].validation.size() == 2);
    CHECK(list[1].validation[0].first == "loss");
    CHECK(list[1].validation[0].second == first.epochs[1].validationLoss);
    CHECK(list[1].validation[1].second == first.epochs[1].validationMetrics[0]);

    Recorder second;
    const RunOutcome outcome = trainAll(branchOptions(a, 16, b), second);
    INFO(messageOf(outcome));
    REQUIRE(outcome.outcome == Outcome::Finished);
    CHECK(second.warnings.empty());
    CHECK(filesIn(a) == before);
    CHECK(second.start.firstStep == 16);
    CHECK(second.start.runDirectory == b.string());
    REQUIRE(second.steps.size() == 8);
    for (size_t i = 0; i < 8; ++i)
      CHECK(second.steps[i].loss == first.steps[16 + i].loss);
    CHECK(outcome.weightsHash == first.outcome.weightsHash);
    CHECK(isEqual(weightsIn(a), weightsIn(b)));
    // The history begins with that of the first run
    const HistoryReader history((b / "history.bin").string());
    CHECK(history[0].step == 1);
    CHECK(history[0].loss == first.steps[0].loss);
    CHECK(history[history.size() - 1].step == 24);

    const RunInfo info = readRun(b.string());
    REQUIRE(info.origin);
    CHECK(info.origin->run == a.string());
    CHECK(info.origin->step == 16);
    CHECK(!readRun(a.string()).origin);
    const std::vector<Descent> descents = descentsIn({a.parent_path().string()});
    REQUIRE(descents.size() == 1);
    CHECK(descents[0].run == b.string());
    CHECK(descents[0].from == canonicalPlace(a.string()));
  }

  TEST_CASE("a continuation of the new run keeps its origin, and needs the other run no more") {
    const TemporaryFolder folder;
    const fs::path a = folder.path() / "a", b = folder.path() / "b";
    Recorder first, second, third;
    trainAll(optionsFor(smallProject(), a), first);
    REQUIRE(trainUntil(20, branchOptions(a, 16, b), second).outcome == Outcome::Stopped);
    fs::remove_all(a);
    const RunOutcome outcome = trainAll(resumeOptions(smallProject(), b), third);
    INFO(messageOf(outcome));
    REQUIRE(outcome.outcome == Outcome::Finished);
    CHECK(outcome.weightsHash == first.outcome.weightsHash);
    REQUIRE(readRun(b.string()).origin);
    CHECK(readRun(b.string()).origin->step == 16);
  }

  TEST_CASE("a new run from a run without a record can predict") {
    const TemporaryFolder folder;
    const fs::path a = folder.path() / "a", b = folder.path() / "b";
    const Project project =
        smallProjectWith({{"/data/transforms", R"([{"type": "standardize"}])"}});
    Recorder first, second;
    REQUIRE(trainAll(optionsFor(project, a), first).outcome == Outcome::Finished);
    fs::remove(a / "record.json");
    SessionOptions options = branchOptions(a, 16, b);
    options.project = project;
    const RunOutcome outcome = trainAll(options, second);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK_NOTHROW(Evaluator(project, b.string(), "reference"));
  }

  TEST_CASE("settings that were changed after the checkpoint do not apply to the new run") {
    const TemporaryFolder folder;
    const fs::path a = folder.path() / "a", b = folder.path() / "b", whole = folder.path() / "c";
    Recorder plain, changed, branched;
    trainAll(optionsFor(smallProject(), whole), plain);
    {
      TrainingSession session(optionsFor(smallProject(), a), changed);
      changed.onStepDone = [&](int64_t step) {
        if (step == 17) session.change("learning_rate", 0.5);
      };
      session.start();
      REQUIRE(session.wait().outcome == Outcome::Finished);
    }
    CHECK(changed.outcome.weightsHash != plain.outcome.weightsHash);
    REQUIRE(trainAll(branchOptions(a, 16, b), branched).outcome == Outcome::Finished);
    CHECK(branched.outcome.weightsHash == plain.outcome.weightsHash);
    CHECK(branched.settings.empty());
  }

  TEST_CASE("a step without a checkpoint is refused, with those that exist, and nothing is made") {
    const TemporaryFolder folder;
    const fs::path a = folder.path() / "a", b = folder.path() / "b";
    Recorder first, second;
    trainAll(optionsFor(smallProject(), a), first);
    const auto before = filesIn(a);
    const RunOutcome outcome = trainAll(branchOptions(a, 17, b), second);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(messageOf(outcome).starts_with(
        a.string() + ": has no checkpoint of step 17 (expected one of: 24, 16"));
    CHECK(!fs::exists(b));
    CHECK(filesIn(a) == before);
  }

  TEST_CASE("a damaged checkpoint is refused") {
    const TemporaryFolder folder;
    const fs::path a = folder.path() / "a", b = folder.path() / "b";
    Recorder first, second;
    trainAll(optionsFor(smallProject(), a), first);
    const std::string path = checkpointPath(a.string(), 16);
    {
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(-1, std::ios::end);
      file.put('\x7f');
    }
    const RunOutcome outcome = trainAll(branchOptions(a, 16, b), second);
    CHECK(outcome.outcome == Outcome::Failed);
    CHECK(messageOf(outcome).find("is damaged") != std::string::npos);
    CHECK(!fs::exists(b));
  }

  TEST_CASE("a directory with a run is not overwritten") {
    const TemporaryFolder folder;
    const fs::path a = folder.path() / "a", b = folder.path() / "b";
    Recorder first, other, second;
    trainAll(optionsFor(smallProject(), a), first);
    trainAll(optionsFor(smallProject(), b), other);
    const auto before = filesIn(b);
    const RunOutcome outcome = trainAll(branchOptions(a, 16, b), second);
    CHECK(outcome.outcome == Outcome::Failed);
    CHECK(messageOf(outcome).find("already contains a run") != std::string::npos);
    CHECK(filesIn(b) == before);
  }
}

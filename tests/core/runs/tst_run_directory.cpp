// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/runs/event_log.h"
#include "core/runs/run_directory.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

Project projectAt(const std::filesystem::path& path) {
  return Project(
      parseJson(
          R"({"format":"strata-project","version":1,"name":"Example","data":{},"model":{"layers":[]},"training":{}})",
          "test"),
      path.string());
}

void put(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

}  // namespace

TEST_SUITE("runs") {
  TEST_CASE("a new run gets the number after the highest one, and other folders are ignored") {
    TemporaryFolder folder;
    ::setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
    const Project project = projectAt(folder / "net.json");
    CHECK(latestRunDirectory(project).empty());
    CHECK(makeRunDirectory(project) == (folder / "net.runs/001").string());
    CHECK(makeRunDirectory(project) == (folder / "net.runs/002").string());
    std::filesystem::create_directory(folder / "net.runs/041");
    std::filesystem::create_directory(folder / "net.runs/notes");
    put(folder / "net.runs/099", "a file");
    CHECK(makeRunDirectory(project) == (folder / "net.runs/042").string());
    CHECK(latestRunDirectory(project) == (folder / "net.runs/042").string());
    ::unsetenv("XDG_DATA_HOME");
  }

  TEST_CASE(
      "a project without a file or in a read-only folder has its runs in the user's data folder") {
    TemporaryFolder folder;
    ::setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
    CHECK(makeRunDirectory(projectAt("")) ==
          (folder / "data/strata/runs/Example.runs/001").string());
    // Not even root can create a folder below a file.
    put(folder / "file", "x");
    const std::string run = makeRunDirectory(projectAt(folder / "file/net.json"));
    CHECK(run.starts_with((folder / "data/strata/runs/net-").string()));
    CHECK(run.ends_with(".runs/001"));
    CHECK(latestRunDirectory(projectAt(folder / "file/net.json")) == run);
    ::unsetenv("XDG_DATA_HOME");
  }

  TEST_CASE("a run of a project without a file belongs to the project after it was saved") {
    TemporaryFolder folder;
    ::setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
    (void)makeRunDirectory(projectAt(""));
    const std::filesystem::path run = makeRunDirectory(projectAt(""));
    put(run / "project.json", printJson(projectAt("").document()));
    put(run / "environment.json", R"({"started":"2026-01-02T03:04:05Z"})");
    put(run / "events.jsonl", "");
    const Project saved = projectAt(folder / "net.json");
    CHECK(listRuns(saved).empty());
    adoptRun(saved, run.string());
    REQUIRE(listRuns(saved).size() == 1);
    CHECK(listRuns(saved)[0].directory == run.string());
    CHECK(listRuns(saved)[0].number == 2);
    CHECK(latestRunDirectory(saved) == run.string());
    CHECK(makeRunDirectory(saved) == (folder / "net.runs/003").string());
    // A resumed run writes its environment again.
    put(run / "environment.json", R"({"started":"2026-02-03T04:05:06Z"})");
    CHECK(listRuns(saved).size() == 1);
    std::filesystem::remove_all(run);
    CHECK(listRuns(saved).empty());
    CHECK(latestRunDirectory(saved) == (folder / "net.runs/003").string());
    CHECK_THROWS_AS(adoptRun(saved, (folder / "nothing").string()), Error);
    ::unsetenv("XDG_DATA_HOME");
  }

  TEST_CASE(
      "in the data folder, projects with the same name in different folders have separate runs") {
    TemporaryFolder folder;
    ::setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
    put(folder / "one", "x");
    put(folder / "two", "x");
    const std::string first = makeRunDirectory(projectAt(folder / "one/net.json"));
    CHECK(latestRunDirectory(projectAt(folder / "two/net.json")).empty());
    CHECK(listRuns(projectAt(folder / "two/net.json")).empty());
    const std::string second = makeRunDirectory(projectAt(folder / "two/net.json"));
    CHECK(second != first);
    CHECK(second.ends_with("/001"));
    CHECK(latestRunDirectory(projectAt(folder / "one/net.json")) == first);
    ::unsetenv("XDG_DATA_HOME");
  }

  TEST_CASE("folders of runs are closed to others, and a link in their place is not used") {
    TemporaryFolder folder;
    ::setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
    const auto modeOf = [](const std::filesystem::path& path) {
      return std::filesystem::status(path).permissions();
    };
    std::vector<std::string> warnings;
    const std::string run = makeRunDirectory(projectAt(folder / "net.json"), &warnings);
    CHECK(modeOf(run) == std::filesystem::perms::owner_all);
    CHECK(modeOf(folder / "net.runs") == std::filesystem::perms::owner_all);
    CHECK(warnings.empty());
    std::filesystem::create_directory(folder / "elsewhere");
    std::filesystem::create_directory_symlink(folder / "elsewhere", folder / "link.runs");
    const std::string other = makeRunDirectory(projectAt(folder / "link.json"), &warnings);
    CHECK(other.starts_with((folder / "data/strata/runs/link-").string()));
    CHECK(std::filesystem::is_empty(folder / "elsewhere"));
    REQUIRE(warnings.size() == 1);
    CHECK(has(warnings[0], "link.runs: is a link"));
    CHECK_THROWS_AS(requireOwnRunDirectory((folder / "link.runs").string(), true), Error);
    CHECK_THROWS_AS(requireOwnRunDirectory((folder / "absent").string(), false), Error);
    ::unsetenv("XDG_DATA_HOME");
  }

  TEST_CASE("a run has its status and metrics") {
    TemporaryFolder folder;
    ::setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
    const Project project = projectAt(folder / "net.json");
    const std::string directory = makeRunDirectory(project);
    const std::filesystem::path path(directory);
    // The run has not written any file yet.
    CHECK(listRuns(project).empty());
    REQUIRE(saveProject(project, (path / "project.json").string()));
    writeEnvironment(directory, {"cpu", "A processor", 2, 40});
    std::vector<std::string> warnings;
    CHECK(readEnvironment(directory, warnings).threads == 2);
    CHECK(*readEnvironment(directory, warnings).maxSteps == 40);
    CHECK(warnings.empty());
    {
      std::ofstream out(path / "events.jsonl");
      EventLog log(out, false);
      RunStart start;
      start.runDirectory = directory;
      start.device = "cpu";
      start.parameters = 12;
      start.metricNames = {"accuracy"};
      start.totalSteps = 40;
      log.onStart(start);
      EpochMetrics epoch;
      epoch.epoch = 1;
      epoch.step = 20;
      epoch.hasValidation = true;
      epoch.validationLoss = 0.5;
      epoch.metrics = {0.8};
      epoch.validationMetrics = {0.75};
      log.onEpoch(epoch);
    }
    RunInfo info = readRun(directory);
    CHECK(info.status == RunStatus::Interrupted);
    CHECK(info.steps == 20);
    CHECK(info.totalSteps == 40);
    CHECK(*info.validationLoss == 0.5);
    CHECK(info.projectName == "Example");
    CHECK(info.started.size() == 20);
    {
      const RunLock lock(directory);
      CHECK(readRun(directory).status == RunStatus::Running);
      CHECK_THROWS_AS(RunLock{directory}, Error);
    }
    {
      std::ofstream out(path / "events.jsonl", std::ios::app);
      out << R"({"event":"end","outcome":"finished","steps":40,"test_loss":0.25,"test_metrics":{"accuracy":0.9},"seconds":1.5,"peak_bytes":99,"weights":"w","weights_hash":"abc"})"
          << "\n{\"cut";
    }
    info = readRun(directory);
    CHECK(info.status == RunStatus::Finished);
    CHECK(info.steps == 40);
    CHECK(*info.testLoss == 0.25);
    CHECK(info.testMetrics[0].second == 0.9);
    CHECK(listRuns(project).size() == 1);
    CHECK(info.endedBy.empty());
    CHECK(info.restoredBy.empty());
    {
      std::ofstream out(path / "events.jsonl", std::ios::app);
      out << "\n"
          << R"({"event":"epoch","epoch":3,"step":60,"val_loss":0.25,"val_metrics":{"accuracy":0.9}})"
          << "\n"
          << R"({"event":"epoch","epoch":4,"step":80,"val_loss":0.75,"val_metrics":{"accuracy":0.5}})"
          << "\n"
          << R"({"event":"end","outcome":"finished","steps":80,"ended_by":"EarlyStopping","restored":{"monitor":"val_loss","epoch":3}})"
          << "\n";
    }
    // The values of a run belong to the weights that it has kept.
    info = readRun(directory);
    CHECK(info.endedBy == "EarlyStopping");
    CHECK(info.restoredBy == "val_loss");
    CHECK(info.restoredEpoch == 3);
    CHECK(*info.validationLoss == 0.25);
    CHECK(info.validationMetrics[0].second == 0.9);
    ::unsetenv("XDG_DATA_HOME");
  }
}

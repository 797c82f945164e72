// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/runs/event_log.h"
#include "core/runs/run_directory.h"
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
      CHECK_THROWS_AS(deleteRun(directory), Error);
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
    CHECK_THROWS_AS(deleteRun(folder.path().string()), Error);
    deleteRun(directory);
    CHECK(!std::filesystem::exists(path));
    ::unsetenv("XDG_DATA_HOME");
  }
}

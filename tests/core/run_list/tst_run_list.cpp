// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/run_list/comparison.h"
#include "core/run_list/retention.h"
#include "core/run_list/run_settings.h"
#include "core/run_list/run_table.h"
#include "core/runs/run_environment.h"
#include "core/runs/source_revision.h"
#include "tests/core/run_list/small_runs.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

using namespace strata;
namespace fs = std::filesystem;

namespace {

/// A row of the table without files.
RunRow rowOf(int number, double loss, uint64_t bytes = 100) {
  RunRow row;
  row.info.number = number;
  row.info.listedAt = "/net.runs/" + std::to_string(number);
  row.info.status = RunStatus::Finished;
  row.info.started = "2026-11-" + std::to_string(10 + number) + "T00:00:00Z";
  row.info.validationLoss = loss;
  row.info.validationRanges["loss"] = {loss, loss, 1, 1};
  row.diskBytes = bytes;
  const Project project = runProjectAt("/net.json");
  row.settings = std::make_shared<const Json>(resolvedSettings(project.document()));
  row.project = std::make_shared<const Project>(project);
  return row;
}

std::vector<int> numbersOf(const std::vector<RetentionEntry>& entries) {
  std::vector<int> numbers;
  for (const RetentionEntry& each : entries)
    numbers.push_back(each.number);
  return numbers;
}

// 2026-11-20
constexpr int64_t kNow = 1795132800;

}  // namespace

TEST_SUITE("run list") {
  TEST_CASE("defaults count in settings") {
    const Json settings = resolvedSettings(parseJson(kRunProject, "test"));
    const FlatSettings flat = flattened(settings);
    CHECK(flat.at("/training/batch_size") == 12);
    CHECK(flat.at("/training/optimizer/type") == "adam");
    CHECK(flat.at("/training/optimizer/learning_rate") == 0.001);
    CHECK(flat.at("/training/shuffle") == true);
    CHECK(flattened(parseJson(R"({"a":[1,2],"b":[{"c":3}],"d/e":{}})", "test")) ==
          FlatSettings{{"/a", Json::array({1, 2})}, {"/b/0/c", 3}});
  }

  TEST_CASE("rows are sorted with empty values last") {
    std::vector<RunRow> rows{rowOf(1, 3), rowOf(2, 1), rowOf(3, 2)};
    rows.push_back(rowOf(4, 0));
    rows[3].info.validationRanges.clear();
    const RunColumn column = columnOf("best_val_loss", rows);
    CHECK(column.direction == Direction::Down);
    CHECK(column.heading() == "Best validation loss");
    const auto order = [&](bool isDescending) {
      sortRows(rows, column, isDescending);
      std::vector<int> numbers;
      for (const RunRow& row : rows)
        numbers.push_back(row.info.number);
      return numbers;
    };
    CHECK(order(false) == std::vector<int>{2, 3, 1, 4});
    CHECK(order(true) == std::vector<int>{1, 3, 2, 4});
  }

  TEST_CASE("filters") {
    std::vector<RunRow> rows{rowOf(1, 0.5)};
    rows[0].notes = {"Wider net", "see page 7", {"good"}, true, false};
    const auto matches = [&](const char* text) {
      return RunFilter(text, rows).isMatch(rows[0]);
    };
    for (const char* const yes :
         {"", "WIDER", "wider page", "1", "tag=good", "val_loss<1", "val_loss<=0.5",
          "status=Finished", "archived=yes", "tag!=bad", "learning_rate=0.001",
          "/training/optimizer/type=adam", "test_loss!=1", "/nothing!=3", "started>2026-11-10"})
      CHECK_MESSAGE(matches(yes), yes);
    for (const char* const no : {"narrow", "2", "tag=bad", "val_loss>0.5", "status!=finished",
                                 "keep=yes", "/training/batch_size>12", "/nothing=3"})
      CHECK_FALSE_MESSAGE(matches(no), no);
    for (const char* const wrong : {"epochs=x", "val_los<1", "epochs!3", "archived=maybe"})
      CHECK_THROWS_AS(matches(wrong), Error);
  }

  TEST_CASE("directions of metrics") {
    const Project project(
        parseJson(R"({"training":{"metrics":{"a":[{"type":"mean_absolute_error","name":"off"}]}}})",
                  "test"),
        "");
    CHECK(directionOfMetric("accuracy", &project) == Direction::Up);
    CHECK(directionOfMetric("head_accuracy", nullptr) == Direction::Up);
    CHECK(directionOfMetric("head_loss", nullptr) == Direction::Down);
    CHECK(directionOfMetric("f1_score/0", nullptr) == Direction::Up);
    CHECK(directionOfMetric("off", &project) == Direction::Down);
    CHECK(directionOfMetric("unheard", &project) == Direction::None);
  }

  TEST_CASE("rules of retention") {
    std::vector<RunRow> rows;
    for (int number = 1; number <= 6; ++number)
      rows.push_back(rowOf(number, 10 - number));
    rows[0].info.validationRanges["loss"].smallest = 0;
    CHECK(numbersOf(retentionPlan(rows, {.keepLast = 2}, kNow).going) == std::vector<int>{2, 3, 4});
    CHECK(numbersOf(retentionPlan(rows, {.keepBest = 2}, kNow).going) ==
          std::vector<int>{2, 3, 4, 5});
    // Run n started on the day 10 + n, so run 5 is 5 days old on the 20th
    CHECK(numbersOf(retentionPlan(rows, {.keepDays = 5}, kNow).going) == std::vector<int>{2, 3, 4});
    RetentionPlan plan = retentionPlan(rows, {.maxBytes = 350}, kNow);
    CHECK(numbersOf(plan.going) == std::vector<int>{2, 3, 4});
    CHECK(plan.goingBytes == 300);
    CHECK_FALSE(plan.exceedsSize);
    plan = retentionPlan(rows, {.maxBytes = 50}, kNow);
    CHECK(numbersOf(plan.staying) == std::vector<int>{1, 6});
    CHECK(plan.exceedsSize);
    plan = retentionPlan(rows, {.keepLast = 4, .maxBytes = 300}, kNow);
    CHECK(numbersOf(plan.going) == std::vector<int>{2, 3, 4});
    CHECK_THROWS_AS(retentionPlan(rows, {}, kNow), Error);
    CHECK_THROWS_AS(retentionPlan(rows, {.keepBest = 1, .metric = "title"}, kNow), Error);
    CHECK_THROWS_AS(retentionPlan(rows, {.keepBest = 1, .metric = "epochs"}, kNow), Error);

    rows[1].notes.isKept = true;
    rows[2].notes.isArchived = true;
    rows[3].info.status = RunStatus::Running;
    rows[5].startsFrom = rows[4].info.listedAt;
    plan = retentionPlan(rows, {.keepLast = 0}, kNow);
    CHECK(plan.going.empty());
    CHECK(plan.staying[4].neededBy == rows[5].info.listedAt);
    CHECK(retentionText(plan.staying[0].reason) == "is the best run");
    rows[3].info.status = RunStatus::Stopped;
    rows[3].startsFrom = rows[1].info.listedAt;
    CHECK(numbersOf(retentionPlan(rows, {.keepLast = 0}, kNow).going) == std::vector<int>{4});
  }

  TEST_CASE("the start of a run that goes because of the size is not needed") {
    std::vector<RunRow> rows;
    for (int number = 1; number <= 5; ++number)
      rows.push_back(rowOf(number, number));
    rows[3].startsFrom = rows[2].info.listedAt;
    rows[2].startsFrom = rows[1].info.listedAt;
    CHECK(numbersOf(retentionPlan(rows, {.keepLast = 2}, kNow).staying) ==
          std::vector<int>{1, 2, 3, 4, 5});
    const RetentionPlan plan = retentionPlan(rows, {.keepLast = 2, .maxBytes = 200}, kNow);
    CHECK(numbersOf(plan.staying) == std::vector<int>{1, 5});
    CHECK_FALSE(plan.exceedsSize);
  }

  TEST_CASE("the size removes no more runs than it needs") {
    // Run 4 is the best one and the last one
    std::vector<RunRow> rows;
    for (int number = 1; number <= 4; ++number)
      rows.push_back(rowOf(number, 5 - number));
    rows[1].startsFrom = rows[0].info.listedAt;
    // The start of run 2 goes together with it
    CHECK(numbersOf(retentionPlan(rows, {.keepLast = 3, .maxBytes = 225}, kNow).staying) ==
          std::vector<int>{3, 4});
    // Nothing needs run 1 after run 2, so it goes before run 3
    CHECK(numbersOf(retentionPlan(rows, {.keepLast = 4, .maxBytes = 225}, kNow).staying) ==
          std::vector<int>{3, 4});
  }

  TEST_CASE("a plan is checked again when it is applied") {
    const TemporaryFolder folder;
    ::setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
    const Project project = runProjectAt(folder / "net.json");
    for (const char* const name : {"001", "002", "003", "004", "005"})
      putRun(folder / "net.runs" / name);
    putRun(folder / "net.runs/006", 0.1);
    const RetentionPlan plan = retentionPlan(readRunRows(project), {.keepLast = 1}, kNow);
    CHECK(plan.going.size() == 5);
    writeRunNotes((folder / "net.runs/001").string(), {"", "", {}, false, true});
    putRun(folder / "net.runs/007", 1, kRunProject, (folder / "net.runs/002").string());
    const RunLock lock((folder / "net.runs/003").string());
    const Deletion deletion = applyRetention(plan);
    CHECK(deletion.deleted.size() == 2);
    CHECK(deletion.refused.size() == 3);
    CHECK(readRunRows(project).size() == 5);
    ::unsetenv("XDG_DATA_HOME");
  }

  TEST_CASE("a comparison has settings, layers and results that differ") {
    std::vector<RunRow> rows{rowOf(1, 1), rowOf(2, 0.5)};
    CHECK(compareRuns(rows).hasEqualProjects() == true);
    Project other = *rows[1].project;
    // The default optimizer in other words
    other.document()["training"]["optimizer"] = Json{{"learning_rate", 0.001}, {"type", "adam"}};
    other.document()["training"]["epochs"] = 7;
    Json& layers = other.document()["model"]["layers"];
    layers[1]["units"] = 9.0;
    layers[1]["use_bias"] = true;
    layers.erase(2);
    layers.push_back({{"type", "Block"},
                      {"name", "block"},
                      {"layers", Json::array({{{"type", "ReLU"}, {"name", "relu"}}})}});
    rows[1].settings = std::make_shared<const Json>(resolvedSettings(other.document()));
    rows[1].project = std::make_shared<const Project>(other);
    const RunComparison comparison = compareRuns(rows);
    REQUIRE(comparison.settings.size() == 1);
    CHECK(comparison.settings[0].pointer == "/training/epochs");
    REQUIRE(comparison.layers.size() == 4);
    CHECK(comparison.layers[0].name == "hidden");
    REQUIRE(comparison.layers[0].fields.size() == 1);
    CHECK(comparison.layers[0].fields[0].pointer == "/units");
    CHECK(comparison.layers[1].changes[1] == LayerChange::Removed);
    CHECK(comparison.layers[2].changes[1] == LayerChange::Added);
    CHECK(comparison.layers[3].name == "block/relu");
    const auto loss = std::ranges::find_if(
        comparison.results, [](const ResultRow& row) { return row.column.id == "best_val_loss"; });
    REQUIRE(loss != comparison.results.end());
    CHECK(loss->best == 1);
    CHECK(comparison.toJson()["results"].size() == comparison.results.size());
    CHECK_THROWS_AS(compareRuns({rows[0]}), Error);
    CHECK_THROWS_AS(compareRuns({rows[0], rows[0]}), Error);
    rows[0].project.reset();
    rows[0].settings.reset();
    CHECK(compareRuns(rows).unread.size() == 1);
    CHECK(!compareRuns(rows).hasEqualProjects());
    CHECK(compareRuns(rows).toJson()["equal"].is_null());
  }

  TEST_CASE("times") {
    CHECK(secondsOfTime("1970-01-02T00:00:01Z") == 86401);
    CHECK(secondsOfTime("2026-11-20T00:00:00Z") == kNow);
    for (const char* const wrong :
         {"", "2026-11-20", "2026-11-20T00:00:00", "x", "2026-11-20T00:00:00Z "})
      CHECK_FALSE(secondsOfTime(wrong));
  }

  TEST_CASE("the commit of a folder") {
    const TemporaryFolder folder;
    const std::string one(40, '1'), two(40, '2');
    const fs::path deep = folder / "first/a/b";
    fs::create_directories(deep);
    CHECK(revisionOf(deep.string()).commit.empty());
    putFile(folder / "first/.git/HEAD", "ref: refs/heads/topic/x\n");
    CHECK(revisionOf(deep.string()).commit.empty());
    putFile(folder / "first/.git/packed-refs",
            "# pack-refs\n" + two + " refs/heads/other\n" + one + " refs/heads/topic/x\n^" + two);
    CHECK(revisionOf(deep.string()).commit == one);
    CHECK(revisionOf(deep.string()).branch == "topic/x");
    putFile(folder / "first/.git/refs/heads/topic/x", two + "\n");
    CHECK(revisionOf(deep.string()).commit == two);
    putFile(folder / "first/.git/HEAD", one + "\n");
    CHECK(revisionOf(deep.string()).commit == one);
    CHECK(revisionOf(deep.string()).branch.empty());
    // A further work tree of the repository
    putFile(folder / "second/.git", "gitdir: ../first/.git/worktrees/second\n");
    putFile(folder / "first/.git/worktrees/second/HEAD", "ref: refs/heads/topic/x\n");
    putFile(folder / "first/.git/worktrees/second/commondir", "../..\n");
    CHECK(revisionOf((folder / "second").string()).commit == two);
    // Names that lead elsewhere
    putFile(folder / "first/secret", one);
    for (const char* const head : {"ref: refs/../../secret", "ref: /etc/passwd", "ref: ", "xyz"}) {
      putFile(folder / "first/.git/HEAD", head);
      CHECK(revisionOf(deep.string()).commit.empty());
    }
  }

  TEST_CASE("the environment keeps what began the run") {
    const TemporaryFolder folder;
    std::vector<std::string> warnings;
    RunEnvironment environment{"cpu", "A processor", 2, 40};
    environment.command = ownCommandLine();
    environment.commit = std::string(40, 'a');
    environment.branch = "main";
    environment.versions = versionsFor("cpu");
    environment.started = "2026-01-01T00:00:00Z";
    CHECK_FALSE(environment.command.empty());
    writeEnvironment(folder.path().string(), environment);
    const RunEnvironment read = readEnvironment(folder.path().string(), warnings);
    CHECK(read.command == environment.command);
    CHECK(read.commit == environment.commit);
    CHECK(read.branch == "main");
    CHECK(read.versions == environment.versions);
    CHECK(read.started == environment.started);
    CHECK(read.versions.at(0).first == "kernel");
    // A file of an earlier version
    putFile(folder / "environment.json", R"({"device":"cpu","threads":2})");
    CHECK(readEnvironment(folder.path().string(), warnings).command.empty());
  }
}

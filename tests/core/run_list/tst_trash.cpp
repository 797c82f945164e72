// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include <sys/resource.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/run_list/lineage.h"
#include "core/run_list/run_table.h"
#include "core/run_list/trash.h"
#include "core/runs/moved_run.h"
#include "core/runs/run_directory.h"
#include "tests/core/run_list/small_runs.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

using namespace strata;
namespace fs = std::filesystem;

namespace {

/// A run in two folders, as after a full disk, and a plain run.
struct TwoPlaces {
  TemporaryFolder folder;
  fs::path first = folder / "net.runs/001", second = folder / "elsewhere/001";
  std::string runs = (folder / "net.runs").string();
  Project project = runProjectAt(folder / "net.json");

  TwoPlaces() {
    ::setenv("XDG_DATA_HOME", (folder / "data").c_str(), 1);
    putRun(first);
    putRun(second, 0.5);
    putRun(folder / "net.runs/002");
    REQUIRE(noteMove(first.string(), second.string()));
  }
  ~TwoPlaces() { ::unsetenv("XDG_DATA_HOME"); }
  DeletedRun deleted() const {
    const Deletion deletion = deleteRuns({first.string()});
    REQUIRE(deletion.refused.empty());
    REQUIRE(deletion.deleted.size() == 1);
    return deletion.deleted[0];
  }
  fs::path inTrash(const DeletedRun& run) const { return fs::path(runs) / ".trash" / run.slot; }
  fs::path partInTrash(const DeletedRun& run) const {
    return folder / "elsewhere/.strata-trash" / (run.slot + ".part1");
  }
  void checkDeleted(const DeletedRun& run) const {
    CHECK(readRunRows(project).size() == 1);
    REQUIRE(deletedRuns(runs).size() == 1);
    CHECK(deletedRuns(runs)[0].slot == run.slot);
    CHECK_FALSE(fs::exists(first));
    CHECK_FALSE(fs::exists(second));
    CHECK(fs::exists(inTrash(run) / "project.json"));
    CHECK(fs::exists(partInTrash(run) / "project.json"));
  }
  void checkListed() const {
    const std::vector<RunRow> rows = readRunRows(project);
    REQUIRE(rows.size() == 2);
    CHECK(rows[0].info.directory == second.string());
    CHECK(rows[0].info.listedAt == first.string());
    CHECK(rows[0].info.validationRanges.at("loss").smallest == 0.5);
    CHECK(deletedRuns(runs).empty());
  }
};

}  // namespace

TEST_SUITE("run list") {
  TEST_CASE("both directories of a run that went on elsewhere go and come back together") {
    const TwoPlaces places;
    const DeletedRun run = places.deleted();
    CHECK(run.directory() == places.first.string());
    CHECK(run.bytes > 0);
    places.checkDeleted(run);
    CHECK(has(refusedDeletions({places.inTrash(run).string()}).at(0).what(), "in the trash"));
    CHECK(undoDelete({run}).restored == std::vector<std::string>{places.first.string()});
    places.checkListed();
    CHECK_FALSE(fs::exists(places.folder / "elsewhere/.strata-trash"));
    CHECK(undoDelete({run}).refused.size() == 1);
  }

  TEST_CASE("a deletion that was killed between two directories is completed") {
    const TwoPlaces places;
    const DeletedRun run = places.deleted();
    fs::rename(places.partInTrash(run), places.second);
    places.checkDeleted(run);
  }

  TEST_CASE("an undo that was killed between two directories can be repeated") {
    const TwoPlaces places;
    const DeletedRun run = places.deleted();
    fs::rename(places.partInTrash(run), places.second);
    CHECK(undoDelete({run}).restored.size() == 1);
    places.checkListed();
  }

  TEST_CASE("a deletion that was killed before its rename leaves only a record, which goes") {
    const TwoPlaces places;
    const DeletedRun run = places.deleted();
    REQUIRE(undoDelete({run}).restored.size() == 1);
    const fs::path record = places.inTrash(run).string() + ".json";
    putFile(record, "{}");
    putFile(record.string() + ".01234567-89ab.tmp", "{");
    places.checkListed();
    CHECK_FALSE(fs::exists(record));
    CHECK_FALSE(fs::exists(record.string() + ".01234567-89ab.tmp"));
  }

  TEST_CASE("a removal for good that was killed is completed") {
    for (const int stage : {0, 1, 2}) {
      const TwoPlaces places;
      const DeletedRun run = places.deleted();
      fs::rename(places.inTrash(run), places.inTrash(run).string() + ".gone");
      if (stage == 1) fs::remove(places.partInTrash(run) / "project.json");
      if (stage == 2) fs::remove_all(places.partInTrash(run));
      CHECK(deletedRuns(places.runs).empty());
      CHECK(readRunRows(places.project).size() == 1);
      CHECK_FALSE(fs::exists(places.partInTrash(run)));
      CHECK_FALSE(fs::exists(places.inTrash(run).string() + ".gone"));
      CHECK_FALSE(fs::exists(places.inTrash(run).string() + ".json"));
      CHECK(fs::exists(places.folder / "net.runs/002/project.json"));
    }
  }

  TEST_CASE("the second directory of a run that trains stays until it has ended") {
    const TwoPlaces places;
    {
      const RunLock lock(places.second.string());
      const Deletion deletion = deleteRuns({places.first.string()});
      REQUIRE(deletion.refused.size() == 1);
      CHECK(has(deletion.refused[0].what(), "is training"));
    }
    places.checkListed();
  }

  TEST_CASE("a directory that cannot be moved brings the others back") {
    const TwoPlaces places;
    // A file in the way of the trash
    putFile(places.folder / "elsewhere/.strata-trash", "mine");
    const Deletion deletion = deleteRuns({places.first.string()});
    REQUIRE(deletion.refused.size() == 1);
    CHECK(deletion.refused[0].subject() == places.first.string());
    places.checkListed();
    CHECK(readText(places.folder / "elsewhere/.strata-trash") == "mine");
  }

  TEST_CASE("a place that is taken keeps the run in the trash") {
    const TwoPlaces places;
    const DeletedRun run = places.deleted();
    for (const fs::path& taken : {places.first, places.second}) {
      fs::create_directories(taken);
      CHECK(undoDelete({run}).refused.size() == 1);
      fs::remove(taken);
      places.checkDeleted(run);
    }
  }

  TEST_CASE("a run from which another starts stays, in the trash it does not count") {
    const TwoPlaces places;
    const fs::path third = places.folder / "net.runs/003";
    putRun(third, 1, kRunProject, (places.second / "weights.safetensors").string());
    const Deletion deletion = deleteRuns({places.first.string()});
    REQUIRE(deletion.refused.size() == 1);
    CHECK(has(deletion.refused[0].what(), third.string()));
    CHECK(refusedDeletions({third.string(), places.first.string()}).empty());
    CHECK(deleteRuns({third.string()}).deleted.size() == 1);
    CHECK(deleteRuns({places.first.string()}).deleted.size() == 1);
  }

  TEST_CASE("a run of another project in the folder counts, too") {
    const TwoPlaces places;
    putRun(places.folder / "other.runs/001", 1, kRunProject, places.first.string());
    CHECK(deleteRuns({places.first.string()}).refused.size() == 1);
  }

  TEST_CASE("a run in the data folder belongs to the project that it has recorded") {
    const TwoPlaces places;
    const fs::path elsewhere = fs::path(runFolders(places.project).at(1)) / "001";
    const auto recorded = R"({"project":)" + Json(places.project.path()).dump() + "}";
    putRun(elsewhere);
    putFile(elsewhere / "environment.json", recorded);
    CHECK(likelyProjectOf(elsewhere.string()) == places.project.path());
    putRun(places.folder / "net.runs/003", 1, kRunProject, elsewhere.string());
    CHECK(deleteRuns({elsewhere.string()}).refused.size() == 1);
    // Relative paths in its project start at the folder of the project
    Json project = parseJson(kRunProject, "test");
    project["training"]["initial_weights"] = "net.runs/002";
    putRun(elsewhere, 1, project.dump());
    putFile(elsewhere / "environment.json", recorded);
    const Deletion deletion = deleteRuns({(places.folder / "net.runs/002").string()});
    REQUIRE(deletion.refused.size() == 1);
    CHECK(has(deletion.refused[0].what(), elsewhere.string()));
    // The project and its runs were moved, so the record is out of date
    fs::rename(places.folder / "net.runs", places.folder / "moved.runs");
    putFile(places.folder / "moved.runs/002/environment.json", recorded);
    CHECK(likelyProjectOf((places.folder / "moved.runs/002").string()) ==
          (places.folder / "moved.json").string());
  }

  TEST_CASE("the copy of a run that went on elsewhere goes alone") {
    const TwoPlaces places;
    const fs::path copied = places.folder / "copy.runs/001", moved = places.folder / "moved.runs";
    fs::create_directories(copied.parent_path());
    fs::copy(places.first, copied, fs::copy_options::recursive);
    {
      // Training in the other directory does not concern the copy
      const RunLock lock(places.second.string());
      REQUIRE(deleteRuns({copied.string()}).deleted.size() == 1);
    }
    CHECK_FALSE(fs::exists(copied));
    places.checkListed();
    // Also when the first note has another place
    fs::rename(places.runs, moved);
    REQUIRE(deletedRuns(copied.parent_path().string()).size() == 1);
    CHECK(fs::exists(places.second / "project.json"));
    CHECK(undoDelete(deletedRuns(copied.parent_path().string())).refused.empty());
    CHECK(placeOfRun(copied.string()) == places.second.string());
    fs::rename(moved, places.runs);
    // The first note decides
    CHECK(deleteRuns({places.first.string()}).deleted.size() == 1);
    CHECK_FALSE(fs::exists(places.second));
  }

  TEST_CASE("a moved project deletes both directories of a run") {
    const TwoPlaces places;
    const fs::path moved = places.folder / "moved.runs";
    fs::rename(places.runs, moved);
    CHECK(deleteRuns({(moved / "001").string()}).deleted.size() == 1);
    CHECK_FALSE(fs::exists(places.second));
  }

  TEST_CASE("runs can be deleted through a link to the folder of their project") {
    const TwoPlaces places;
    const TemporaryFolder links;
    const fs::path runs = links / "link/net.runs", third = places.folder / "net.runs/003";
    fs::create_directory_symlink(places.folder.path(), links / "link");
    putRun(third, 1, kRunProject, (places.folder / "net.runs/002").string());
    for (const char* const name : {"002", "003"})
      putFile(places.folder / "net.runs" / name / "environment.json",
              R"({"project":)" + Json(places.project.path()).dump() + "}");
    const Deletion deletion =
        deleteRuns({(runs / "002").string(), (runs / "003").string(), third.string()});
    CHECK(deletion.refused.empty());
    CHECK(deletion.deleted.size() == 2);
  }

  TEST_CASE("of a chain of runs, those that are needed stay") {
    const TwoPlaces places;
    const fs::path third = places.folder / "net.runs/003", fourth = places.folder / "net.runs/004";
    putRun(third, 1, kRunProject, (places.folder / "net.runs/002").string());
    putRun(fourth, 1, kRunProject, (third / "checkpoints/000000000010.safetensors").string());
    const RunLock lock(fourth.string());
    const Deletion deletion =
        deleteRuns({(places.folder / "net.runs/002").string(), third.string(), fourth.string()});
    CHECK(deletion.deleted.empty());
    CHECK(deletion.refused.size() == 3);
  }

  TEST_CASE("a trash record in another place moves nothing") {
    const TwoPlaces places;
    const DeletedRun run = places.deleted();
    for (const DeletedRun& wrong :
         {DeletedRun{places.runs, "../x", run.slot, "", "", 0},
          DeletedRun{places.runs, "x", "x", "", "", 0},
          DeletedRun{places.runs, "..", "...01234567-89ab", "", "", 0},
          DeletedRun{places.runs, "a/b", "a/b.01234567-89ab", "", "", 0}}) {
      CHECK(undoDelete({wrong}).refused.size() == 1);
      CHECK(emptyTrash({wrong}).refused.size() == 1);
    }
    places.checkDeleted(run);
  }

  TEST_CASE("new runs do not get the numbers of runs in the trash") {
    const TwoPlaces places;
    REQUIRE(deleteRuns({(places.folder / "net.runs/002").string()}).deleted.size() == 1);
    CHECK(makeRunDirectory(places.project) == (places.folder / "net.runs/003").string());
    CHECK(emptyTrash(deletedRuns(places.runs)).removed.size() == 1);
    fs::remove(places.folder / "net.runs/003");
    CHECK(makeRunDirectory(places.project) == (places.folder / "net.runs/002").string());
  }
}

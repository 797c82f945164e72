// SPDX-License-Identifier: Apache-2.0
// Targets for the notes of runs, the records in the trash, and the files of Git. Only one thread of
// a process may use them.
#include <stdexcept>

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/project/seal.h"
#include "core/run_list/run_notes.h"
#include "core/run_list/run_table.h"
#include "core/run_list/trash.h"
#include "core/runs/source_revision.h"
#include "gpu/base/error.h"
#include "tests/fuzz/target.h"
#include "tests/support/paths.h"

namespace strata::fuzz {

namespace {

constexpr const char* kSmallProject =
    R"({"format":"strata-project","version":1,"name":"P","data":{},"model":{"layers":[]},"training":{}})";

std::vector<Seed> notesSeeds() {
  const TemporaryFolder folder;
  RunNotes notes{"A title", "Two\nlines", {"good", "größer"}, true, false};
  writeRunNotes(folder.path().string(), notes);
  return {{bytesOf(folder / "notes.json"), Kind::Json},
          {R"({"format":"strata-run-notes","version":1,"later":[1,{"x":null}]})", Kind::Json}};
}

/// Notes that can be read can be written, and are then the same.
std::string readNotes(const Mutant& mutant) {
  mutant.put("notes.json");
  const std::string directory = mutant.folder.string();
  const RunNotes notes = readRunNotes(directory);
  writeRunNotes(directory, notes);
  if (readRunNotes(directory) != notes) throw std::logic_error("the notes changed");
  return "";
}

/// A run in the trash can be restored whatever its record and its note of a move say.
std::string readTrash(const Mutant& mutant) {
  const std::string runs = (mutant.folder / "p.runs").string();
  mutant.put("p.runs/001/project.json", kSmallProject);
  const Deletion deletion = deleteRuns({runs + "/001"});
  if (deletion.deleted.size() != 1) throw std::logic_error("the run was not deleted");
  const std::string slot = "p.runs/.trash/" + deletion.deleted[0].slot;
  const bool isNote = mutant.file == "moved.json";
  const std::string file = mutant.put(isNote ? slot + "/moved.json" : slot + ".json");
  ::chmod(file.c_str(), 0600);
  const std::vector<DeletedRun> found = deletedRuns(runs);
  if (found.size() != 1 || found[0].name != "001") throw std::logic_error("the run is lost");
  // A record may say that a part of the run is missing
  const Restoration restoration = undoDelete(found);
  if (restoration.restored.empty()) throw Error(restoration.refused.at(0));
  if (readRunRow(runs + "/001").info.projectName != "P") throw std::logic_error("another run");
  return "";
}

std::vector<Seed> trashSeeds() {
  const char* const record =
      R"({"format":"strata-deleted-run","version":1,"title":"A","deleted":"2026-11-28T12:00:00Z","bytes":12,"parts":1})";
  return {{printSealed(parseJson(record, "seed")), Kind::Json, "record.json"},
          {R"({"to":"/nowhere/001","id":"1-2-3-4"})", Kind::Json, "moved.json"}};
}

std::string readGit(const Mutant& mutant) {
  const std::string commit(40, 'a');
  mutant.put(".git/HEAD", "ref: refs/heads/main\n");
  mutant.put(".git/packed-refs", "# pack-refs with: peeled\n" + commit + " refs/heads/main\n");
  mutant.put(".git/" + mutant.file);
  const SourceRevision revision = revisionOf(mutant.folder.string());
  if (!revision.commit.empty() && revision.commit.size() != 40 && revision.commit.size() != 64)
    throw std::logic_error("a commit has the wrong length");
  return "";
}

std::vector<Seed> gitSeeds() {
  const std::string commit = "0123456789012345678901234567890123456789";
  return {{"ref: refs/heads/main\n", Kind::Text, "HEAD"},
          {commit + "\n", Kind::Text, "HEAD"},
          {"# pack-refs with: peeled fully-peeled sorted\n" + commit + " refs/heads/main\n",
           Kind::Text, "packed-refs"},
          {"..\n", Kind::Text, "commondir"}};
}

std::string withSeal(const std::string& file) {
  try {
    return printSealed(parseJson(file, "mutant"));
  }
  catch (const std::exception&) {
    return file;
  }
}

}  // namespace

void addRunListTargets(std::vector<Target>& targets) {
  targets.push_back({"notes", notesSeeds, readNotes});
  targets.push_back({"trash", trashSeeds, readTrash, withSeal});
  targets.push_back({"git", gitSeeds, readGit});
}

}  // namespace strata::fuzz

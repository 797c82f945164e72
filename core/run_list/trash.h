// SPDX-License-Identifier: Apache-2.0
// Deletes runs with undo. A deleted run lies as it is in a trash folder next to it, until the trash
// is emptied: `<project>.runs/.trash/003.<random>`, and `.strata-trash` beside a directory that is
// not among the runs of a project. A run that went on elsewhere (moved_run.h) has several
// directories; each lies in the trash next to it, under the same name.
// A directory is moved by renaming it, so it is whole in one place or in the other. The first
// directory of a run decides: if it is in the trash, so is the run. If a process was killed, the
// next call moves the other directories after it.
// Not here: which runs to delete (retention.h).
// Thread: any. Only one thread or process changes a trash folder at a time; others wait.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/project/json.h"
#include "gpu/base/error.h"

namespace strata {

/// A run in the trash.
struct DeletedRun {
  // The folder and the name of the run before it was deleted
  std::string folder, name;
  // Its name in the trash, such as "003.5f0c9a1e-77b2"
  std::string slot;
  // What its record says. The values are "" and 0 if the record is missing or damaged.
  std::string title, deletedAt;
  uint64_t bytes = 0;
  /// Returns the directory of the run before it was deleted.
  std::string directory() const { return folder + "/" + name; }
  bool operator==(const DeletedRun&) const = default;
  Json toJson() const;
};

struct Deletion {
  std::vector<DeletedRun> deleted;
  // One error for each run that stays, with its directory as the subject
  std::vector<Error> refused;
};
/// Returns why these runs cannot be deleted now, without changing anything: one error for each of
/// them. A run stays if it trains, if a run that is not in the list starts from it, or if the
/// directory is no run, a link, or not of this user. Runs in the trash do not count.
std::vector<Error> refusedDeletions(const std::vector<std::string>& directories);
/// Moves runs to the trash, except those of refusedDeletions(). Name a run that went on elsewhere
/// by its directory among the runs of its project (RunInfo::listedAt).
Deletion deleteRuns(const std::vector<std::string>& directories);

struct Restoration {
  // The directories of the runs, under the same names as before
  std::vector<std::string> restored;
  std::vector<Error> refused;
};
/// Moves runs from the trash to their former places. Files, modes and times are as before. A run
/// stays in the trash if its place is taken.
Restoration undoDelete(const std::vector<DeletedRun>& runs);

struct EmptiedTrash {
  std::vector<DeletedRun> removed;
  std::vector<Error> refused;
};
/// Removes runs in the trash for good.
EmptiedTrash emptyTrash(const std::vector<DeletedRun>& runs);

/// Returns the runs in the trash of a folder, oldest deletion first. `folder` is the one that
/// contains the runs, such as one of runFolders().
std::vector<DeletedRun> deletedRuns(const std::string& folder);
/// Completes what a killed process left half-done in a folder. Does nothing if there is no trash,
/// if another process changes it now, or if it cannot be changed.
void finishDeletions(const std::string& folder);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Runs in another folder: their disk was full, or their project had no file when they began. A
// directory with a note among the runs of the project keeps them in its list. Not here: copying the
// files (core/train/run_files.cpp).
// Thread: any thread, as long as no other process writes to the directories.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace strata {

/// The content of moved.json.
struct MoveNote {
  // The directory in which the run went on, an absolute path, and its identity
  std::string to, id;
};
/// Returns the note in a directory, or nullopt if it has none, or a damaged one.
std::optional<MoveNote> readMoveNote(const std::string& directory);
/// Whether the directory is the one of the note, wherever it is now.
bool isPlaceOfNote(const std::string& directory, const MoveNote& note);

/// Notes in the directory `from` that its run went on in `to`, an absolute path. If the disk has no
/// space even for this, removes the history in `from`, which `to` contains. Returns false if the
/// note could not be written.
bool noteMove(const std::string& from, const std::string& to);

/// Returns the directory in which the run of this directory went on, or the same directory if it
/// did not move, or if the other one does not contain the same run.
std::string placeOfRun(const std::string& directory);
/// Returns all directories of a run: the given one, those in between, and placeOfRun().
std::vector<std::string> partsOfRun(const std::string& directory);
/// Whether the note that leads to `place` is not only in `from`, but also in the directory that was
/// the first to have it. `from` then is a copy, such as one in the copied runs of a project.
bool isPlaceOfOther(const std::string& place, const std::string& from);
/// Returns the directories of a run. Directories of another run (isPlaceOfOther) are left out.
std::vector<std::string> ownPartsOfRun(const std::string& directory);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "core/run_list/trash.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/project/text.h"
#include "core/run_list/lineage.h"
#include "core/run_list/run_notes.h"
#include "core/run_list/run_table.h"
#include "core/run_list/trash_folder.h"
#include "core/runs/moved_run.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

bool isThere(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

std::string utcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

Error refusal(const fs::path& directory, const std::string& why,
              ErrorCode code = ErrorCode::InvalidArgument) {
  return {code, directory.string(), why};
}

Error runningRefusal(const fs::path& directory) {
  return refusal(directory,
                 "is training (expected a run that has ended). Stop it first, then delete it.");
}

/// Fails unless the path leads to a folder of this user. Changes nothing, unlike OwnFolder.
void requireOwnPlace(const fs::path& directory) {
  struct stat status {};
  if (::lstat(directory.c_str(), &status) != 0)
    throw refusal(directory,
                  "does not exist (expected a run directory). Name a folder such as "
                  "mnist-cnn.runs/001.");
  if (S_ISLNK(status.st_mode))
    throw refusal(directory,
                  "is a link (expected the directory of a run). Name the directory itself.");
  if (!S_ISDIR(status.st_mode))
    throw refusal(directory, "is not a folder (expected the directory of a run).");
  if (status.st_uid != ::geteuid())
    throw refusal(directory, "belongs to another user (expected your own run).");
}

/// Fails if the directory cannot be deleted, whatever other runs there are.
void requireDeletable(const fs::path& directory) {
  const std::vector<std::string> parts = ownPartsOfRun(directory.string());
  for (const std::string& part : parts)
    requireOwnPlace(part);
  const fs::path folder = directory.parent_path();
  if (folder.filename() == trashNameIn(folder.parent_path()))
    throw refusal(directory, "is in the trash already (expected a run that is listed).");
  const std::string place = placeOfRun(directory.string());
  std::error_code error;
  if (!fs::is_regular_file(fs::symlink_status(fs::path(place) / "project.json", error)))
    throw refusal(directory,
                  "is not a run directory (expected a project.json in it). Name a folder such as "
                  "mnist-cnn.runs/001.");
  for (const std::string& part : parts)
    if (RunHold(part).isHeldByOther()) throw runningRefusal(directory);
}

/// The runs that shall be deleted, those that others start from last.
struct Candidates {
  std::vector<fs::path> runs;
  std::vector<Error> refused;
  std::vector<Descent> descents;
  /// Returns a run that stays and starts from this one, or "".
  std::string heir(const fs::path& run) const {
    std::vector<std::string> places;
    for (const std::string& part : ownPartsOfRun(run.string()))
      places.push_back(canonicalPlace(part));
    for (const Descent& each : descents)
      if (std::ranges::find(places, each.from) != places.end() &&
          std::ranges::find(runs, fs::path(each.run)) == runs.end() && each.run != run &&
          isThere(each.run))
        return each.run;
    return {};
  }
};

Error heirRefusal(const fs::path& run, const std::string& heir) {
  return refusal(run, "is the run from which " + heir +
                          " starts (expected a run that no other needs). Delete that run first.");
}

Candidates candidatesOf(const std::vector<std::string>& directories) {
  Candidates candidates;
  std::vector<std::string> folders;
  std::map<std::string, fs::path> runs;
  for (const std::string& each : directories) {
    const fs::path run = absolutePlace(each);
    const std::string place = canonicalPlace(each);
    if (runs.contains(place)) continue;
    try {
      requireDeletable(run);
      candidates.runs.push_back(run);
      runs.emplace(place, run);
    }
    catch (const Error& error) {
      candidates.refused.push_back(refusal(run, error.what(), error.code()));
      continue;
    }
    for (const std::string& folder : foldersNear(run.string()))
      if (std::ranges::find(folders, folder) == folders.end()) folders.push_back(folder);
  }
  candidates.descents = descentsIn(folders);
  // Through links, a run may be found under another path than the given one
  for (Descent& each : candidates.descents)
    if (const auto found = runs.find(canonicalPlace(each.run)); found != runs.end())
      each.run = found->second.string();
  // A run that stays may keep others, and so on
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (size_t i = 0; i < candidates.runs.size() && !isChanged; ++i) {
      const fs::path run = candidates.runs[i];
      const std::string heir = candidates.heir(run);
      if (heir.empty()) continue;
      candidates.refused.push_back(heirRefusal(run, heir));
      candidates.runs.erase(candidates.runs.begin() + static_cast<std::ptrdiff_t>(i));
      isChanged = true;
    }
  }
  return candidates;
}

/// Returns the runs in an order in which each comes before the run from which it starts.
std::vector<fs::path> heirsFirst(const Candidates& candidates) {
  std::vector<fs::path> waiting = candidates.runs, order;
  while (!waiting.empty()) {
    Candidates rest{{}, {}, {}};
    for (const Descent& each : candidates.descents)
      if (std::ranges::find(waiting, fs::path(each.run)) != waiting.end())
        rest.descents.push_back(each);
    auto next =
        std::ranges::find_if(waiting, [&](const fs::path& run) { return rest.heir(run).empty(); });
    // Runs cannot start from each other, unless somebody edited their files
    if (next == waiting.end()) next = waiting.begin();
    order.push_back(*next);
    waiting.erase(next);
  }
  return order;
}

/// Moves one run to the trash. Fails: as Deletion::refused.
DeletedRun moveToTrash(const fs::path& run) {
  Trash trash = Trash::make(run.parent_path());
  trash.finish();
  requireDeletable(run);
  std::vector<RunHold> holds;
  const std::vector<std::string> places = ownPartsOfRun(run.string());
  for (const std::string& part : places) {
    holds.emplace_back(part);
    if (holds.back().isHeldByOther()) throw runningRefusal(run);
  }
  const std::string name = run.filename().string();
  DeletedRun deleted{run.parent_path().string(), name, name + "." + randomNamePart(), {}, utcNow()};
  try {
    deleted.title = readRunNotes(placeOfRun(run.string())).title;
  }
  catch (const Error&) {
    // Damaged notes go to the trash, too
  }
  for (const std::string& part : places)
    deleted.bytes += bytesInFolder(part);
  std::vector<OtherPart> parts = otherParts(run, deleted.slot);
  const bool isCopy = places.size() < partsOfRun(run.string()).size();
  try {
    writeTrashRecord(trash.bin(), deleted.slot,
                     {deleted.title, deleted.deletedAt, deleted.bytes, parts.size() + 1, isCopy});
  }
  catch (const Error&) {
    // On a full disk, a run can go to the trash without its record, which only lists need. If a run
    // has several directories, an undo needs the record to know their number. If it is a copy, the
    // record protects the directories of the other run.
    if (!parts.empty() || isCopy) throw;
  }
  std::string problem;
  if (const int failed = trash.home().move(name, trash.bin(), deleted.slot))
    problem = std::generic_category().message(failed);
  else if (problem = moveParts(parts, true); !problem.empty())
    trash.bin().move(deleted.slot, trash.home(), name);
  if (!problem.empty()) {
    removeTrashRecord(trash.bin(), deleted.slot);
    throw refusal(run, "cannot be moved to the trash (" + problem + "). Check the folder.",
                  ErrorCode::IoFailure);
  }
  trash.sync();
  return deleted;
}

/// Opens the trash of a run in it. Fails: InvalidArgument if the run is not there.
Trash trashOf(const DeletedRun& run) {
  // The name of a run that was deleted decides where it goes, and nothing that a file says
  if (nameOfSlot(run.slot) == run.name && run.slot.find('/') == std::string::npos)
    if (std::optional<Trash> trash = Trash::find(run.folder, Wait::Long)) {
      trash->finish();
      if (trash->has(run.slot)) return std::move(*trash);
    }
  throw refusal(run.directory(), "is not in the trash (expected a deleted run).");
}

std::vector<OtherPart> requireAllParts(const Trash& trash, const DeletedRun& run) {
  std::vector<OtherPart> parts = otherParts(trash.bin().path() / run.slot, run.slot);
  const uint64_t wanted = readTrashRecord(trash.bin(), run.slot).parts;
  if (parts.size() + 1 < wanted)
    throw refusal(run.directory(),
                  "went on in another folder, which is not there (expected " +
                      counted(static_cast<int64_t>(wanted), "part") + ", found " +
                      std::to_string(parts.size() + 1) + "). Mount its disk.",
                  ErrorCode::IoFailure);
  return parts;
}

void restore(const DeletedRun& run) {
  const Trash trash = trashOf(run);
  std::vector<OtherPart> parts = requireAllParts(trash, run);
  if (isThere(fs::path(run.folder) / run.name))
    throw refusal(run.directory(), "exists again. Move it away, then restore the deleted run.");
  // The first directory decides where the run is, so it is last
  std::ranges::reverse(parts);
  std::string problem = moveParts(parts, false);
  if (problem.empty()) {
    if (const int failed = trash.bin().move(run.slot, trash.home(), run.name)) {
      problem = std::generic_category().message(failed);
      moveParts(parts, true);
    }
  }
  if (!problem.empty())
    throw refusal(run.directory(), "cannot be restored (" + problem + "). Check the folder.",
                  ErrorCode::IoFailure);
  removeTrashRecord(trash.bin(), run.slot);
  trash.sync();
}

void removeForGood(const DeletedRun& run) {
  const Trash trash = trashOf(run);
  (void)requireAllParts(trash, run);
  trash.remove(run.slot);
}

}  // namespace

Json DeletedRun::toJson() const {
  return {{"run", directory()},
          {"trash", slot},
          {"title", title},
          {"deleted", deletedAt},
          {"bytes", bytes}};
}

std::vector<Error> refusedDeletions(const std::vector<std::string>& directories) {
  return candidatesOf(directories).refused;
}

Deletion deleteRuns(const std::vector<std::string>& directories) {
  Candidates candidates = candidatesOf(directories);
  Deletion deletion;
  deletion.refused = candidates.refused;
  for (const fs::path& run : heirsFirst(candidates)) {
    try {
      // A run that could not be moved keeps the one from which it starts
      std::erase(candidates.runs, run);
      if (const std::string heir = candidates.heir(run); !heir.empty())
        throw heirRefusal(run, heir);
      deletion.deleted.push_back(moveToTrash(run));
    }
    catch (const Error& error) {
      deletion.refused.push_back(
          error.subject() == run
              ? error
              : refusal(run, "cannot be deleted: " + error.line(), error.code()));
    }
  }
  return deletion;
}

Restoration undoDelete(const std::vector<DeletedRun>& runs) {
  Restoration restoration;
  for (const DeletedRun& run : runs) {
    try {
      restore(run);
      restoration.restored.push_back(run.directory());
    }
    catch (const Error& error) {
      restoration.refused.push_back(error);
    }
  }
  return restoration;
}

EmptiedTrash emptyTrash(const std::vector<DeletedRun>& runs) {
  EmptiedTrash emptied;
  for (const DeletedRun& run : runs) {
    try {
      removeForGood(run);
      emptied.removed.push_back(run);
    }
    catch (const Error& error) {
      emptied.refused.push_back(error);
    }
  }
  return emptied;
}

std::vector<DeletedRun> deletedRuns(const std::string& folder) {
  finishDeletions(folder);
  std::vector<DeletedRun> runs;
  const fs::path home = absolutePlace(folder);
  const fs::path trash = home / trashNameIn(home);
  if (!isRealFolder(trash)) return runs;
  const std::optional<OwnFolder> bin =
      OwnFolder::find(home, {trashNameIn(home)}, OthersMay::Nothing);
  if (!bin) return runs;
  std::error_code error;
  for (fs::directory_iterator it(trash, error), end; !error && it != end; it.increment(error)) {
    const std::string slot = it->path().filename().string();
    const std::optional<std::string> name = nameOfSlot(slot);
    if (!name || !isRealFolder(it->path())) continue;
    const TrashRecord record = readTrashRecord(*bin, slot);
    runs.push_back({home.string(), *name, slot, record.title, record.deletedAt, record.bytes});
  }
  std::ranges::sort(runs, [](const DeletedRun& a, const DeletedRun& b) {
    return std::tie(a.deletedAt, a.slot) < std::tie(b.deletedAt, b.slot);
  });
  return runs;
}

void finishDeletions(const std::string& folder) {
  try {
    if (const std::optional<Trash> trash = Trash::find(absolutePlace(folder), Wait::None))
      trash->finish();
  }
  catch (const Error&) {
    // The list of runs is read all the same
  }
}

}  // namespace strata

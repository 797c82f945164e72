// SPDX-License-Identifier: GPL-3.0-or-later
// Implements `strata runs notes`, `delete`, `restore` and `empty`.
#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/runs.h"
#include "core/project/text.h"
#include "core/runs/moved_run.h"
#include "gpu/base/bytes.h"
#include "gpu/base/printable.h"

namespace strata::cli {

namespace {

struct NotesOptions {
  std::vector<std::string> words, tags, removedTags;
  std::string title, text, clears;
  bool archives = false, unarchives = false, keeps = false, releases = false, isJson = false;
};

/// Returns the notes with the changes of the options.
RunNotes changed(RunNotes notes, const NotesOptions& options) {
  if (options.clears == "title") notes.title.clear();
  if (options.clears == "text") notes.text.clear();
  if (options.clears == "tags") notes.tags.clear();
  if (!options.title.empty()) notes.title = options.title;
  if (!options.text.empty()) notes.text = options.text;
  for (const std::string& tag : options.removedTags)
    std::erase(notes.tags, tag);
  for (const std::string& tag : options.tags)
    if (std::ranges::find(notes.tags, tag) == notes.tags.end()) notes.tags.push_back(tag);
  if (options.archives || options.unarchives) notes.isArchived = options.archives;
  if (options.keeps || options.releases) notes.isKept = options.keeps;
  return notes;
}

void printNotes(const std::string& run, const RunNotes& notes) {
  std::cout << printable(shortPath(run)) << ": "
            << (notes.title.empty() ? "no title" : printable(notes.title));
  if (!notes.tags.empty()) std::cout << " [" << printable(joinedNames(notes.tags)) << "]";
  std::cout << (notes.isArchived ? ", archived" : "") << (notes.isKept ? ", kept" : "") << "\n";
  if (!notes.text.empty()) std::cout << printable(notes.text, Breaks::Keep) << "\n";
}

int editNotes(const NotesOptions& options) {
  Json list = Json::array();
  for (const std::string& run : namedRuns(options.words)) {
    // The notes lie where the run went on
    const std::string place = placeOfRun(readRunRow(run).info.listedAt);
    const RunNotes before = readRunNotes(place);
    const RunNotes after = changed(before, options);
    if (after != before) writeRunNotes(place, after);
    if (options.isJson) {
      list.push_back({{"run", run}});
      list.back().update(after.toJson());
    }
    else {
      printNotes(run, after);
    }
  }
  if (options.isJson) printJsonDocument(list);
  return kDone;
}

struct DeleteOptions {
  std::vector<std::string> words;
  bool isSure = false, isJson = false, isAll = false;
};

Json deletedToJson(const std::vector<DeletedRun>& runs) {
  Json list = Json::array();
  for (const DeletedRun& run : runs)
    list.push_back(run.toJson());
  return list;
}

uint64_t bytesOf(const std::vector<DeletedRun>& runs) {
  uint64_t bytes = 0;
  for (const DeletedRun& run : runs)
    bytes += run.bytes;
  return bytes;
}

std::string bytesAndRuns(size_t runs, uint64_t bytes) {
  return formatCounted(static_cast<int64_t>(runs), "run") + ", " +
         bytesText(static_cast<double>(bytes));
}

/// Lists what would be deleted. Deletes nothing.
int previewDeletion(const std::vector<std::string>& runs, const DeleteOptions& options) {
  const std::vector<Error> refused = refusedDeletions(runs);
  std::vector<std::vector<std::string>> lines;
  uint64_t bytes = 0;
  Json list = Json::array();
  for (const std::string& run : runs) {
    try {
      const RunRow row = readRunRow(run);
      if (std::ranges::any_of(
              refused, [&](const Error& error) { return error.subject() == row.info.listedAt; }))
        continue;
      bytes += row.diskBytes;
      lines.push_back({printable(shortPath(row.info.listedAt)),
                       bytesText(static_cast<double>(row.diskBytes)), printable(row.notes.title)});
      list.push_back(
          {{"run", row.info.listedAt}, {"title", row.notes.title}, {"bytes", row.diskBytes}});
    }
    catch (const Error&) {
      // It is among those that are refused
    }
  }
  if (options.isJson) {
    printJsonDocument(
        {{"would_delete", list}, {"refused", refusalsToJson(refused)}, {"bytes", bytes}});
  }
  else if (!lines.empty()) {
    std::cout << "Would move to the trash:\n";
    printTable(lines, {false, true, false});
    std::cout << bytesAndRuns(lines.size(), bytes) << "\n";
  }
  printRefusals(refused);
  return lines.empty() ? kWrongUsage : askForYes();
}

int deleteNamed(const DeleteOptions& options) {
  const std::vector<std::string> runs = namedRuns(options.words);
  if (!options.isSure) return previewDeletion(runs, options);
  const Deletion deletion = deleteRuns(runs);
  if (options.isJson) {
    printJsonDocument({{"deleted", deletedToJson(deletion.deleted)},
                       {"refused", refusalsToJson(deletion.refused)},
                       {"bytes", bytesOf(deletion.deleted)}});
  }
  else {
    for (const DeletedRun& run : deletion.deleted)
      std::cout << "Deleted " << printable(shortPath(run.directory())) << " ("
                << bytesText(static_cast<double>(run.bytes)) << "). Undo: strata runs restore "
                << printable(shortPath(run.directory())) << "\n";
  }
  return printRefusals(deletion.refused);
}

void printTrash(const std::vector<DeletedRun>& runs) {
  std::vector<std::vector<std::string>> lines{{"run", "deleted", "size", "title"}};
  for (const DeletedRun& run : runs)
    lines.push_back({printable(shortPath(run.directory())),
                     run.deletedAt.empty() ? "-" : printable(run.deletedAt),
                     bytesText(static_cast<double>(run.bytes)), printable(run.title)});
  printTable(lines, {false, false, true, false});
}

bool namesOnlyProjects(const std::vector<std::string>& words) {
  return std::ranges::all_of(words,
                             [](const std::string& word) { return word.ends_with(".json"); });
}

int restoreNamed(const DeleteOptions& options) {
  const std::vector<DeletedRun> runs = namedDeletedRuns(options.words);
  if (namesOnlyProjects(options.words) && !options.isAll) {
    if (options.isJson)
      printJsonDocument({{"trash", deletedToJson(runs)}, {"bytes", bytesOf(runs)}});
    else if (runs.empty())
      std::cout << "The trash is empty.\n";
    else
      printTrash(runs);
    return kDone;
  }
  const Restoration restoration = undoDelete(runs);
  if (options.isJson)
    printJsonDocument(
        {{"restored", restoration.restored}, {"refused", refusalsToJson(restoration.refused)}});
  else
    for (const std::string& run : restoration.restored)
      std::cout << "Restored " << printable(shortPath(run)) << "\n";
  return printRefusals(restoration.refused);
}

int emptyNamed(const DeleteOptions& options) {
  const std::vector<DeletedRun> runs = namedDeletedRuns(options.words);
  if (!options.isSure) {
    if (options.isJson)
      printJsonDocument({{"would_remove", deletedToJson(runs)}, {"bytes", bytesOf(runs)}});
    else if (!runs.empty())
      printTrash(runs);
    if (!runs.empty()) return askForYes();
    if (!options.isJson) std::cout << "The trash is empty.\n";
    return kDone;
  }
  const EmptiedTrash emptied = emptyTrash(runs);
  if (options.isJson)
    printJsonDocument({{"removed", deletedToJson(emptied.removed)},
                       {"refused", refusalsToJson(emptied.refused)},
                       {"bytes", bytesOf(emptied.removed)}});
  else
    std::cout << "Removed for good: "
              << bytesAndRuns(emptied.removed.size(), bytesOf(emptied.removed)) << "\n";
  return printRefusals(emptied.refused);
}

}  // namespace

void setupRunsNotes(Arguments& runs, Action& action) {
  auto options = std::make_shared<NotesOptions>();
  Arguments accepted = addRunsCommand(
      runs, action, "notes", "Show or change the title, text and tags of runs",
      "strata runs notes mnist-cnn.runs/003 --title \"wider\" --tag good", editNotes, options);
  accepted.list("RUN", options->words, "Run directories, or a project and numbers of runs", "RUN");
  accepted.text("--title", options->title, "Title of the run", "TEXT");
  accepted.text("--text", options->text, "Notes, of any number of lines", "TEXT");
  accepted.repeated("--tag", options->tags, "Add a tag (repeatable)", "TAG");
  accepted.repeated("--remove-tag", options->removedTags, "Remove a tag (repeatable)", "TAG");
  accepted.choice("--clear", options->clears, "Remove the title, the text or all tags", "WHAT",
                  {"title", "text", "tags"});
  accepted.flag("--archive", options->archives, "Hide the run from lists");
  accepted.flag("--unarchive", options->unarchives, "Show the run in lists again");
  accepted.flag("--keep", options->keeps, "Never propose the run for deletion");
  accepted.flag("--no-keep", options->releases, "Allow strata runs clean to propose the run");
  accepted.excludes("--archive", {"--unarchive"});
  accepted.excludes("--keep", {"--no-keep"});
  accepted.json(options->isJson);
}

void setupRunsDelete(Arguments& runs, Action& action) {
  auto options = std::make_shared<DeleteOptions>();
  Arguments accepted = addRunsCommand(
      runs, action, "delete", "Move runs to the trash, from where they can be restored",
      "strata runs delete mnist-cnn.json 3 5-7 --yes", deleteNamed, options);
  accepted.list("RUN", options->words, "Run directories, or a project and numbers of runs", "RUN");
  accepted.flag("--yes", options->isSure, "Delete; otherwise only list what would be deleted");
  accepted.json(options->isJson);
}

void setupRunsRestore(Arguments& runs, Action& action) {
  auto options = std::make_shared<DeleteOptions>();
  Arguments accepted = addRunsCommand(
      runs, action, "restore", "Restore deleted runs, or list those of a project in the trash",
      "strata runs restore mnist-cnn.runs/003", restoreNamed, options);
  accepted.list("RUN", options->words,
                "Former run directories, or a project and numbers of runs; a project alone lists "
                "its trash",
                "RUN");
  accepted.flag("--all", options->isAll, "Restore all runs in the trash of the project");
  accepted.json(options->isJson);
}

void setupRunsEmpty(Arguments& runs, Action& action) {
  auto options = std::make_shared<DeleteOptions>();
  Arguments accepted =
      addRunsCommand(runs, action, "empty", "Remove deleted runs for good",
                     "strata runs empty mnist-cnn.json --yes", emptyNamed, options);
  accepted.list("RUN", options->words,
                "Project, whose trash is emptied; numbers after it, or former run directories, "
                "choose runs",
                "RUN");
  accepted.flag("--yes", options->isSure, "Remove; otherwise only list what would be removed");
  accepted.json(options->isJson);
}

}  // namespace strata::cli

// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands of `strata runs` share: finding runs by the words of a user, and tables of
// text.
// Thread: main thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "core/run_list/run_table.h"
#include "core/run_list/trash.h"

namespace strata::cli {

// Each adds one command to `strata runs`, and sets `action` if the user names it.
void setupRunsList(Arguments& runs, Action& action);
void setupRunsShow(Arguments& runs, Action& action);
void setupRunsLayers(Arguments& runs, Action& action);
void setupRunsCompare(Arguments& runs, Action& action);
void setupRunsReport(Arguments& runs, Action& action);
void setupRunsNotes(Arguments& runs, Action& action);
void setupRunsDelete(Arguments& runs, Action& action);
void setupRunsRestore(Arguments& runs, Action& action);
void setupRunsEmpty(Arguments& runs, Action& action);
void setupRunsClean(Arguments& runs, Action& action);

/// Adds a command to `strata runs` that calls `run` with its options. `options` is filled by what
/// the caller adds to the result.
template <class Options>
Arguments addRunsCommand(Arguments& runs, Action& action, const char* name, const char* help,
                         const char* example, int (*run)(const Options&),
                         const std::shared_ptr<Options>& options) {
  return runs.command(name, help, example, [&action, run, options] {
    action = [run, options] {
      return run(*options);
    };
  });
}

/// Whether a word of a user is the path of a project.
bool isProjectFile(const std::string& word);
/// Loads the project whose runs a user names. Fails: InvalidFile; InvalidProject.
Project projectOfRuns(const std::string& path);
/// Returns the directories of runs that a user names: directories, and numbers after a project, as
/// in "net.json 3 5-7 latest". They are those among the runs of their project
/// (RunInfo::listedAt). Fails: InvalidArgument for a number without a project or without a run.
std::vector<std::string> namedRuns(const std::vector<std::string>& words);
/// Returns the runs in the trash that a user names in the same way. A project without numbers means
/// all of its runs in the trash.
std::vector<DeletedRun> namedDeletedRuns(const std::vector<std::string>& words);
/// Returns the runs in the trash of a project.
std::vector<DeletedRun> deletedRunsOf(const Project& project);

/// Returns a value of a table for a person, such as "1.5 MiB", "0:07" or "-".
std::string cellText(const RunCell& cell, const RunColumn& column);
/// Returns the directory of a run as a short name: its path from the current folder if it is in it.
std::string shortPath(const std::string& path);
/// Prints a warning for each damaged file of a run.
void printProblems(const RunInfo& run);
/// Prints lines of words in columns as wide as their widest word. `isRight`: for each column,
/// whether it is aligned to the right.
void printTable(const std::vector<std::vector<std::string>>& lines,
                const std::vector<bool>& isRight);
/// Prints the errors, one line each. Returns the exit code of the first one, or kDone.
int printRefusals(const std::vector<Error>& errors);
Json refusalsToJson(const std::vector<Error>& errors);
/// Says that nothing was deleted, because --yes is missing. Returns the exit code.
int askForYes();

}  // namespace strata::cli

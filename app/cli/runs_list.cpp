// SPDX-License-Identifier: GPL-3.0-or-later
// Implements `strata runs list` and `strata runs show`.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "app/cli/runs.h"
#include "core/project/text.h"
#include "gpu/base/bytes.h"
#include "gpu/base/printable.h"

namespace strata::cli {

namespace {

namespace fs = std::filesystem;

struct ListOptions {
  std::string project, sort, columns, filter;
  bool isAll = false, isReversed = false, showsSettings = false, isJson = false;
};

/// The runs of a project that the options choose, and the columns to show.
struct ChosenRuns {
  std::vector<RunRow> rows;
  std::vector<RunColumn> columns;
  // Runs that are archived and not shown, and runs in the trash
  int64_t archived = 0;
  std::vector<DeletedRun> deleted;
};

/// Returns the columns that a terminal has room for, without those that have no values.
std::vector<RunColumn> usualColumns(const std::vector<RunRow>& rows) {
  static const std::vector<std::string> kAlways{
      "number", "title", "tags", "status", "started", "duration", "epochs", "steps", "disk_bytes"};
  std::vector<RunColumn> columns;
  for (const RunColumn& column : columnsOf(rows)) {
    const bool isMetric = column.id.starts_with("best_val_") || column.id.starts_with("test_");
    const bool isUsual = isMetric || std::ranges::find(kAlways, column.id) != kAlways.end();
    const bool hasValue = std::ranges::any_of(
        rows, [&](const RunRow& row) { return !cellOf(row, column).isEmpty(); });
    if (isUsual && hasValue) columns.push_back(column);
  }
  return columns;
}

/// Whether large values of a column come first.
bool isLargestFirst(const RunColumn& column) {
  if (column.direction != Direction::None) return column.direction == Direction::Up;
  return column.kind != ColumnKind::Text;
}

ChosenRuns chosenRuns(const Project& project, const ListOptions& options) {
  ChosenRuns chosen;
  chosen.rows = readRunRows(project);
  const std::vector<RunRow> all = chosen.rows;
  const RunFilter filter(options.filter, all);
  // Newest first
  std::ranges::reverse(chosen.rows);
  const RunColumn order = columnOf(options.sort.empty() ? "number" : options.sort, all);
  sortRows(chosen.rows, order, isLargestFirst(order) != options.isReversed);
  std::erase_if(chosen.rows, [&](const RunRow& row) {
    const bool isHidden = row.notes.isArchived && !options.isAll;
    if (isHidden) ++chosen.archived;
    return isHidden || !filter.isMatch(row);
  });
  std::istringstream names(options.columns);
  for (std::string name; std::getline(names, name, ',');)
    chosen.columns.push_back(columnOf(name, all));
  if (chosen.columns.empty())
    chosen.columns = options.isJson ? columnsOf(all) : usualColumns(chosen.rows);
  if (options.showsSettings)
    for (RunColumn& column : settingColumnsOf(chosen.rows))
      chosen.columns.push_back(std::move(column));
  chosen.deleted = deletedRunsOf(project);
  return chosen;
}

const char* directionName(Direction direction) {
  if (direction == Direction::None) return nullptr;
  return direction == Direction::Up ? "up" : "down";
}

Json columnsToJson(const std::vector<RunColumn>& columns) {
  Json list = Json::array();
  for (const RunColumn& column : columns) {
    const char* const direction = directionName(column.direction);
    list.push_back({{"id", column.id},
                    {"title", column.heading()},
                    {"kind", columnKindName(column.kind)},
                    {"direction", direction ? Json(direction) : Json()}});
  }
  return list;
}

Json rowToJson(const RunRow& row, const std::vector<RunColumn>& columns) {
  Json json = toJson(row, columns);
  json["directory"] = row.info.directory;
  json["listed_at"] = row.info.listedAt;
  json["starts_from"] = row.startsFrom.empty() ? Json() : Json(row.startsFrom);
  json["weights_from"] = row.weightsFrom.empty() ? Json() : Json(row.weightsFrom);
  json["started_runs"] = row.startedRuns;
  json["problems"] = row.info.problems;
  return json;
}

Json chosenToJson(const std::string& path, const ChosenRuns& chosen) {
  Json rows = Json::array(), trash = Json::array();
  for (const RunRow& row : chosen.rows)
    rows.push_back(rowToJson(row, chosen.columns));
  for (const DeletedRun& run : chosen.deleted)
    trash.push_back(run.toJson());
  return {{"project", path},
          {"columns", columnsToJson(chosen.columns)},
          {"runs", rows},
          {"archived", chosen.archived},
          {"trash", trash}};
}

bool isRightAligned(const RunColumn& column) {
  return column.kind == ColumnKind::Number || column.kind == ColumnKind::Bytes ||
         column.kind == ColumnKind::Duration;
}

void printChosen(const std::string& path, const ChosenRuns& chosen) {
  std::vector<std::vector<std::string>> lines{{}};
  std::vector<bool> isRight;
  for (const RunColumn& column : chosen.columns) {
    lines[0].push_back(printable(column.heading()));
    isRight.push_back(isRightAligned(column));
  }
  for (const RunRow& row : chosen.rows) {
    lines.emplace_back();
    for (const RunColumn& column : chosen.columns)
      lines.back().push_back(excerpt(cellText(cellOf(row, column), column), 60));
    printProblems(row.info);
    if (!row.notesProblem.empty()) printMessage("warning: " + row.notesProblem);
  }
  if (chosen.rows.empty())
    std::cout << printable(path) << ": no runs\n";
  else
    printTable(lines, isRight);
  if (chosen.archived > 0)
    std::cout << formatCounted(chosen.archived, "archived run") << " not shown (--all)\n";
  if (!chosen.deleted.empty())
    std::cout << formatCounted(static_cast<int64_t>(chosen.deleted.size()), "run")
              << " in the trash (strata runs restore " << printable(path) << ")\n";
}

/// Returns the project files of the current folder that have runs, also in the trash.
std::vector<std::string> projectsHere() {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator it(".", error), end; !error && it != end; it.increment(error)) {
    const fs::path path = it->path().filename();
    if (path.extension() != ".json" || !fs::is_regular_file(path, error)) continue;
    const Result<Project> project = loadProject(path.string());
    if (project && (!listedRuns(*project).empty() || !deletedRunsOf(*project).empty()))
      paths.push_back(path.string());
  }
  std::ranges::sort(paths);
  return paths;
}

int listChosen(const ListOptions& options) {
  std::vector<std::string> paths;
  if (!options.project.empty())
    paths.push_back(options.project);
  else
    paths = projectsHere();
  if (paths.empty() && !options.isJson)
    std::cout << "No project in this folder has runs. Name a project: strata runs PROJECT.\n";
  Json projects = Json::array();
  for (const std::string& path : paths) {
    const ChosenRuns chosen = chosenRuns(projectOfRuns(path), options);
    if (options.isJson) {
      projects.push_back(chosenToJson(path, chosen));
      continue;
    }
    if (options.project.empty())
      std::cout << (path == paths.front() ? "" : "\n") << printable(path) << "\n";
    printChosen(path, chosen);
  }
  if (options.isJson)
    printJsonDocument(options.project.empty() ? Json{{"projects", projects}} : projects[0]);
  return kDone;
}

/// Finds a run by its directory among the runs of its project, so that its relatives are known.
RunRow rowNamed(const std::string& directory) {
  RunRow own = readRunRow(directory);
  const std::string path = fs::path(own.info.listedAt).parent_path().replace_extension(".json");
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return own;
  if (const Result<Project> project = loadProject(path))
    for (RunRow& row : readRunRows(*project))
      if (row.info.listedAt == own.info.listedAt) return row;
  return own;
}

int showRun(const std::string& directory, bool isJson) {
  const RunRow row = rowNamed(directory);
  const std::vector<RunColumn> columns = columnsOf({row});
  if (isJson) {
    Json json = rowToJson(row, columns);
    json["parts"] = row.parts;
    json["error"] = row.info.error.empty() ? Json() : Json(row.info.error);
    json["settings"] = row.settings ? *row.settings : Json();
    printJsonDocument(json);
    return kDone;
  }
  std::vector<std::vector<std::string>> lines;
  const auto add = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) lines.push_back({name, value});
  };
  for (const RunColumn& column : columns)
    if (const RunCell cell = cellOf(row, column); !cell.isEmpty() && column.id != "notes")
      add(printable(column.heading()), cellText(cell, column));
  add("Error", printable(row.info.error));
  add("Ended by", printable(row.info.endedBy));
  for (const std::string& run : row.startedRuns)
    add("Weights used by", printable(shortPath(run)));
  printTable(lines, {false, false});
  if (!row.notes.text.empty()) std::cout << "\n" << printable(row.notes.text, Breaks::Keep) << "\n";
  printProblems(row.info);
  if (!row.notesProblem.empty()) printMessage("warning: " + row.notesProblem);
  return kDone;
}

}  // namespace

void setupRunsList(Arguments& runs, Action& action) {
  auto options = std::make_shared<ListOptions>();
  Arguments accepted =
      addRunsCommand(runs, action, "list", "List the runs of a project, newest first",
                     "strata runs mnist-cnn.json --filter \"status=finished "
                     "val_accuracy>0.98\" --sort best_val_accuracy",
                     listChosen, options);
  accepted.text("PROJECT", options->project,
                "Project file (default: all projects in the current folder that have runs)",
                "FILE");
  accepted.flag("--all", options->isAll, "Also list archived runs");
  accepted.text("--sort", options->sort,
                "Column to sort by, best or largest values first (default: number)", "COLUMN");
  accepted.flag("--reverse", options->isReversed, "Reverse the order");
  accepted.text("--columns", options->columns,
                "Columns to show, such as number,best_val_accuracy,/training/batch_size; a JSON "
                "pointer shows a setting",
                "LIST");
  accepted.flag("--settings", options->showsSettings,
                "Add a column for each setting that differs between the runs");
  accepted.text("--filter", options->filter,
                "Words that a run has, and comparisons such as status=finished, tag=good or "
                "\"val_loss<0.1\"",
                "TEXT");
  accepted.json(options->isJson);
}

void setupRunsShow(Arguments& runs, Action& action) {
  auto words = std::make_shared<std::vector<std::string>>();
  auto isJson = std::make_shared<bool>(false);
  Arguments accepted =
      runs.command("show", "Show a run with its results and notes",
                   "strata runs show mnist-cnn.runs/003", [words, isJson, &action] {
                     action = [words, isJson] {
                       const std::vector<std::string> named = namedRuns(*words);
                       if (named.size() != 1)
                         throw Error(ErrorCode::InvalidArgument, "runs show",
                                     "shows one run (got " + std::to_string(named.size()) +
                                         "). Name one, or use strata runs compare.");
                       return showRun(named[0], *isJson);
                     };
                   });
  accepted.list("RUN", *words, "Run directory, or a project and the number of a run", "RUN");
  accepted.json(*isJson);
}

}  // namespace strata::cli

// SPDX-License-Identifier: GPL-3.0-or-later
// Implements `strata runs`, and what its commands share.
#include "app/cli/runs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include "core/project/duration.h"
#include "gpu/base/bytes.h"
#include "gpu/base/printable.h"

namespace strata::cli {

namespace fs = std::filesystem;

namespace {

/// A range of numbers of runs, such as "5-7".
struct NumberRange {
  int first = 0, last = 0;
};

std::optional<NumberRange> numbersIn(const std::string& word) {
  NumberRange range;
  const char* const end = word.data() + word.size();
  const auto [dash, failed] = std::from_chars(word.data(), end, range.first);
  if (failed != std::errc() || range.first < 1) return std::nullopt;
  range.last = range.first;
  if (dash == end) return range;
  if (*dash != '-') return std::nullopt;
  const auto [stop, alsoFailed] = std::from_chars(dash + 1, end, range.last);
  if (alsoFailed != std::errc() || stop != end || range.last < range.first) return std::nullopt;
  return range;
}

Error noSuchRun(const std::string& project, const std::string& word) {
  return {ErrorCode::InvalidArgument, project,
          "has no run " + word + ". See strata runs " + project + "."};
}

Error noProject(const std::string& word) {
  return {ErrorCode::InvalidArgument, word,
          "is a number without a project (expected a project before it, such as mnist-cnn.json " +
              word + ", or a run directory)."};
}

/// Returns the directories of the runs with these numbers.
void addNumbered(const std::string& path, const std::vector<ListedRun>& runs,
                 const std::string& word, std::vector<std::string>& found) {
  if (word == "latest") {
    if (runs.empty()) throw noSuchRun(path, word);
    found.push_back(runs.back().directory);
    return;
  }
  const NumberRange range = *numbersIn(word);
  bool isFound = false;
  for (const ListedRun& run : runs)
    if (run.number >= range.first && run.number <= range.last) {
      found.push_back(run.directory);
      isFound = true;
    }
  if (!isFound) throw noSuchRun(path, word);
}

}  // namespace

bool isProjectFile(const std::string& word) {
  std::error_code error;
  return word.ends_with(".json") && !fs::is_directory(word, error);
}

Project projectOfRuns(const std::string& path) {
  Result<Project> project = loadProject(path);
  if (project) return std::move(project).value();
  std::error_code error;
  if (fs::is_directory(path, error))
    throw Error(ErrorCode::InvalidFile, path, "is a folder (expected a project file).");
  const ErrorCode code = project.error().code();
  throw Error(code == ErrorCode::IoFailure ? ErrorCode::InvalidFile : code,
              project.error().subject(), project.error().what());
}

std::vector<std::string> namedRuns(const std::vector<std::string>& words) {
  std::vector<std::string> found;
  std::string path;
  std::vector<ListedRun> runs;
  bool isUsed = true;
  for (const std::string& word : words) {
    std::error_code error;
    if (isProjectFile(word)) {
      runs = listedRuns(projectOfRuns(word));
      path = word;
      isUsed = false;
    }
    else if ((numbersIn(word) || word == "latest") && !fs::is_directory(word, error)) {
      if (path.empty()) throw noProject(word);
      addNumbered(path, runs, word, found);
      isUsed = true;
    }
    else {
      found.push_back(word);
    }
  }
  if (!isUsed)
    throw Error(ErrorCode::InvalidArgument, path,
                "is a project (expected the number of a run after it, such as " + path + " 3" +
                    (words.back() == path ? "" : "; got " + words.back()) + ").");
  return found;
}

std::vector<DeletedRun> deletedRunsOf(const Project& project) {
  std::vector<DeletedRun> runs;
  for (const std::string& folder : runFolders(project))
    for (DeletedRun& run : deletedRuns(folder))
      runs.push_back(std::move(run));
  return runs;
}

std::vector<DeletedRun> namedDeletedRuns(const std::vector<std::string>& words) {
  std::vector<DeletedRun> found, runs;
  std::string path;
  bool isUsed = true;
  const auto addAll = [&] {
    if (!isUsed) found.insert(found.end(), runs.begin(), runs.end());
  };
  for (const std::string& word : words) {
    const std::optional<NumberRange> range = numbersIn(word);
    if (isProjectFile(word)) {
      addAll();
      runs = deletedRunsOf(projectOfRuns(word));
      path = word;
      isUsed = false;
    }
    else if (range && !path.empty()) {
      const size_t before = found.size();
      for (const DeletedRun& run : runs)
        if (const auto number = numbersIn(run.name);
            number && number->first >= range->first && number->first <= range->last)
          found.push_back(run);
      if (found.size() == before)
        throw Error(ErrorCode::InvalidArgument, path,
                    "has no run " + word + " in the trash. See strata runs restore " + path + ".");
      isUsed = true;
    }
    else {
      fs::path run = fs::absolute(word).lexically_normal();
      if (run.filename().empty()) run = run.parent_path();
      const std::vector<DeletedRun> there = deletedRuns(run.parent_path().string());
      // Directories may have been deleted under the same name one after the other
      const auto last = std::find_if(there.rbegin(), there.rend(), [&](const DeletedRun& each) {
        return each.name == run.filename();
      });
      if (last == there.rend())
        throw Error(ErrorCode::InvalidArgument, word,
                    "is not in the trash (expected a run that was deleted).");
      found.push_back(*last);
      isUsed = true;
    }
  }
  addAll();
  std::vector<DeletedRun> different;
  for (const DeletedRun& run : found)
    if (std::ranges::find(different, run) == different.end()) different.push_back(run);
  return different;
}

std::string cellText(const RunCell& cell, const RunColumn& column) {
  if (cell.isEmpty()) return "-";
  if (!cell.number) {
    if (column.kind == ColumnKind::Time && cell.text.size() == 20)
      return cell.text.substr(0, 10) + " " + cell.text.substr(11, 5);
    return printable(cell.text);
  }
  const double value = *cell.number;
  switch (column.kind) {
    case ColumnKind::Bytes: return bytesText(value);
    case ColumnKind::Duration:
      return value < 10 ? formatNumber(value, 1) + " s" : durationText(value);
    case ColumnKind::Flag: return value == 1 ? "yes" : "no";
    default: break;
  }
  const bool isMetric = column.direction != Direction::None && !column.subject.empty();
  if (isMetric && std::abs(value) < 1e5) return formatNumber(value, 4);
  if (column.id.starts_with('/')) return cell.toJson().dump();
  return value == std::floor(value) ? formatCount(value) : formatNumber(value, 4);
}

std::string shortPath(const std::string& path) {
  std::error_code error;
  const fs::path relative = fs::path(path).lexically_relative(fs::current_path(error));
  if (error || relative.empty() || *relative.begin() == "..") return path;
  return relative.string();
}

void printProblems(const RunInfo& run) {
  for (const std::string& problem : run.problems)
    printMessage("warning: " + problem);
}

void printTable(const std::vector<std::vector<std::string>>& lines,
                const std::vector<bool>& isRight) {
  const auto width = [](const std::string& text) {
    return static_cast<size_t>(
        std::ranges::count_if(text, [](char each) { return (each & 0xC0) != 0x80; }));
  };
  std::vector<size_t> widths(lines.front().size(), 0);
  for (const auto& line : lines)
    for (size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], width(line[i]));
  for (const auto& line : lines) {
    std::string text;
    for (size_t i = 0; i < line.size(); ++i) {
      const std::string space(widths[i] - width(line[i]), ' ');
      text += (i == 0 ? "" : "  ") + (isRight[i] ? space + line[i] : line[i] + space);
    }
    std::cout << text.substr(0, text.find_last_not_of(' ') + 1) << "\n";
  }
}

int printRefusals(const std::vector<Error>& errors) {
  for (const Error& error : errors)
    printMessage(error.line());
  return errors.empty() ? kDone : exitCodeOf(errors.front());
}

Json refusalsToJson(const std::vector<Error>& errors) {
  Json list = Json::array();
  for (const Error& error : errors)
    list.push_back({{"run", error.subject()}, {"reason", error.what()}});
  return list;
}

int askForYes() {
  printMessage("nothing was deleted. Add --yes to delete.");
  return kWrongUsage;
}

Action setupRuns(Arguments& accepted) {
  auto action = std::make_shared<Action>();
  setupRunsList(accepted, *action);
  setupRunsShow(accepted, *action);
  setupRunsLayers(accepted, *action);
  setupRunsCompare(accepted, *action);
  setupRunsReport(accepted, *action);
  setupRunsNotes(accepted, *action);
  setupRunsDelete(accepted, *action);
  setupRunsRestore(accepted, *action);
  setupRunsEmpty(accepted, *action);
  setupRunsClean(accepted, *action);
  return [action] {
    return (*action)();
  };
}

}  // namespace strata::cli

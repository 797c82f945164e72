// SPDX-License-Identifier: Apache-2.0
// The runs of a project as a table: a row for each run, and columns that can be chosen, sorted and
// filtered. A column of a setting has the setting's JSON pointer as its name. Only small files of a
// run are read, and never its history. Not here: deleting runs (trash.h).
// Thread: value types, and functions that only access the file system.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/recipe/metrics.h"
#include "core/run_list/run_notes.h"
#include "core/runs/run_directory.h"

namespace strata {

struct RunRow {
  // info.listedAt identifies the run. info.directory has its newest files.
  RunInfo info;
  RunNotes notes;
  // Why the notes cannot be read, or ""
  std::string notesProblem;
  // The project as it was trained; null if it cannot be read
  std::shared_ptr<const Project> project;
  // Its settings with defaults (resolvedSettings()); null if the project cannot be read
  std::shared_ptr<const Json> settings;
  // The directories of the run (partsOfRun()), and the sizes of all files in them. Links are not
  // followed.
  std::vector<std::string> parts;
  uint64_t diskBytes = 0;
  // The file or run directory with the initial weights; "" if the seed made them
  std::string weightsFrom;
  // listedAt of the run in this table that has these weights, or ""
  std::string startsFrom;
  // listedAt of the runs in this table that start from this run
  std::vector<std::string> startedRuns;
};

/// Returns the runs of a project, oldest first. Damaged files of a run leave its values empty.
/// First completes deletions that a killed process left half-done.
std::vector<RunRow> readRunRows(const Project& project);
/// Returns the row of one run, without the other runs of its project. Fails: InvalidFile if the
/// directory is not a run.
RunRow readRunRow(const std::string& directory);
/// Returns the sizes of all files in a folder and its folders. Links are not followed.
uint64_t bytesInFolder(const std::string& folder);

enum class ColumnKind : uint8_t {
  Text,
  Number,
  // A time in UTC, such as "2026-11-21T19:05:00Z"
  Time,
  // Seconds
  Duration,
  Bytes,
  // Yes (1) or no (0)
  Flag,
};
/// Returns the name of a kind, such as "number".
std::string columnKindName(ColumnKind kind);

struct RunColumn {
  // A stable name, such as "status", "best_val_accuracy" or "/training/batch_size"
  std::string id;
  // The heading. A metric or setting has none: its name is `subject`, and `title` says which value
  // of it, such as "Best validation %1".
  Text title;
  std::string subject;
  ColumnKind kind = ColumnKind::Text;
  // Which values are better, if that is known
  Direction direction = Direction::None;
  /// Returns the heading in English.
  std::string heading() const;
};

/// A value of a table. Values of the kinds Text and Time are texts, others are numbers. A value
/// that is not known is neither.
struct RunCell {
  std::optional<double> number = {};
  std::string text = {};
  bool isEmpty() const { return !number && text.empty(); }
  Json toJson() const;
};

/// Returns the columns of these runs: those that every run has, and those of the metrics of any
/// run.
std::vector<RunColumn> columnsOf(const std::vector<RunRow>& rows);
/// Returns the columns of all settings that have several values among these runs.
std::vector<RunColumn> settingColumnsOf(const std::vector<RunRow>& rows);
/// Returns the column of this name: one of columnsOf(), a JSON pointer, or the word
/// "learning_rate". Fails: InvalidArgument with the nearest name.
RunColumn columnOf(const std::string& id, const std::vector<RunRow>& rows);
RunCell cellOf(const RunRow& row, const RunColumn& column);

/// Sorts rows by a column. Rows without a value are last in either order, and equal rows keep their
/// order.
void sortRows(std::vector<RunRow>& rows, const RunColumn& column, bool isDescending);
/// Chooses rows by words that are separated by spaces. A run must have all of them. A word is a
/// part of its title, text, tags, status or devices (case does not matter), or its number, or
/// compares a column, as in "status=finished", "val_accuracy>0.9", "/training/batch_size<=64" or
/// "tag=good".
class RunFilter {
 public:
  /// Fails: InvalidArgument for an unknown column, or a value that is not a number.
  RunFilter(const std::string& text, const std::vector<RunRow>& rows);
  bool isMatch(const RunRow& row) const;

 private:
  struct Word {
    std::string text;
    // For a comparison: the column, the sign, and the value as a number. A comparison of tags has
    // no column.
    std::optional<RunColumn> column = {};
    std::string sign = {};
    std::optional<double> number = {};
  };
  std::vector<Word> m_words;
};
/// Returns the direction of a displayed metric of this project, such as "loss", "accuracy" or
/// "head_accuracy".
Direction directionOfMetric(const std::string& name, const Project* project);
/// Returns a row with the values of these columns by their names.
Json toJson(const RunRow& row, const std::vector<RunColumn>& columns);

}  // namespace strata

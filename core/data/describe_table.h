// SPDX-License-Identifier: Apache-2.0
// Describes the columns of a table for a person who chooses their roles. Not here: loading samples
// (csv_loader.h).
// Thread: the function is pure, so any thread may call it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/data/number_format.h"
#include "core/project/diagnostic.h"
#include "core/project/json.h"

namespace strata {

struct ColumnDescription {
  enum class Kind : uint8_t { Number, Category, Empty };
  enum class Role : uint8_t { Input, Label, Weight, Ignored };
  std::string name;
  // The unit in the row after the names; "" without one
  std::string unit;
  Kind kind = Kind::Number;
  Role role = Role::Input;
  // Whether the project does not name the label, so that the last column is the label
  bool isLabelGuessed = false;
  // The notation of the numbers, if it is not the usual one
  std::optional<NumberFormat> format = {};
  // The texts of the first cells
  std::vector<std::string> samples;
  // Number of missing cells, and how many of them the source replaces
  int64_t missing = 0, filled = 0;
  // Number of different words of a category, at most kMaxCountedCategories
  int64_t categories = 0;
  static constexpr int64_t kMaxCountedCategories = 1001;
  /// What the numbers of a label have in common.
  struct Numbers {
    double mean = 0, deviation = 0, minimum = 0, maximum = 0;
    bool isWhole = true;
    // Number of different values, at most kMaxCountedValues
    int64_t distinct = 0;
    static constexpr int64_t kMaxCountedValues = 101;
  };
  // Absent for columns that are not a label, and for labels without numbers
  std::optional<Numbers> numbers = {};
};

struct TableDescription {
  std::string path;
  char delimiter = ',';
  bool hasHeader = false;
  // Number of rows with the right number of cells, and of other rows
  int64_t rows = 0, damaged = 0;
  // Number of rows with a missing input, label or weight, and of rows without a label or weight
  int64_t incomplete = 0, unlabeled = 0;
  std::vector<ColumnDescription> columns;
  // Warnings about what was recognized
  Diagnostics notes;
};

/// Describes the table of a source `csv`. `source` is the object in the project, and `folder` the
/// folder of the project file. Fails: InvalidProject for a wrong field; the errors of CsvTable;
/// InvalidFile for a column that the table does not have.
TableDescription describeTable(const Json& source, const std::string& folder);

}  // namespace strata

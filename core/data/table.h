// SPDX-License-Identifier: Apache-2.0
// Encodes the columns of a table for a network: numbers, categories, and replacements of missing
// values. The encoding is learned from the training part alone and saved, so that rows for
// prediction are encoded in the same way. Not here: reading the text (csv.h), selecting training
// rows (selection.h).
// Thread: value types without shared state.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/csv.h"
#include "core/data/number_format.h"
#include "core/project/json.h"

namespace strata {

enum class MissingPolicy : uint8_t { Error, Mean, Median, Value, Drop };

struct TableColumn {
  std::string name;
  // Sorted names of the categories; empty for a number column
  std::vector<std::string> categories;
  bool isCategorical = false;
  // Replacement for a missing number
  double fill = 0;
  // Replacement for a missing category; "" counts as unknown
  std::string fillCategory;
  // The notation of the numbers, if it is not that of CsvOptions::decimal
  std::optional<NumberFormat> format = {};
};

struct TableEncoding {
  std::vector<TableColumn> inputs;
  // Whether categories are encoded as one-hot vectors. Otherwise a category is encoded as its
  // index, which starts at 1. An unknown category is 0, as in Keras's StringLookup.
  bool isOneHot = true;
  MissingPolicy missing = MissingPolicy::Error;
  CsvOptions options;
  bool hadHeader = false;
  // Columns of the training file, and their units, if it has a row of units
  std::vector<std::string> allColumns, unitRow;

  /// Returns the number of values per sample.
  int64_t width() const;
  /// Returns whether a missing value is an error or drops the row.
  bool needsAllValues() const {
    return missing == MissingPolicy::Error || missing == MissingPolicy::Drop;
  }
  /// Returns the names of the values of a sample, such as "age" or "colour=red".
  std::vector<std::string> names() const;
};

/// Returns the names of the columns in the order of the inputs.
std::vector<std::string> inputNames(const TableEncoding& encoding);
/// Returns the indices of columns by name. Spaces and invisible characters around a name only count
/// if several columns differ by them. Fails: InvalidFile naming the missing column.
std::vector<size_t> findColumns(const CsvTable& table, const std::vector<std::string>& names,
                                const std::string& what);

/// Numbers of cells in a column.
struct CellCounts {
  size_t words = 0, numbers = 0, missing = 0;
};
CellCounts countCells(const CsvTable& table, size_t column);

struct UnknownCategory {
  std::string column, word;
};

/// Encodes rows of a table. The constructor finds the columns, so that they are not searched for
/// each row.
class RowEncoder {
 public:
  /// Finds the columns of the encoding in the table. Fails: InvalidFile naming the missing column.
  RowEncoder(const TableEncoding& encoding, const CsvTable& table);
  /// Writes width() values of type float or double to `target`. Requires: a valid row (see
  /// rowProblem).
  template <class T>
  void encode(size_t row, T* target) const;
  /// Returns the index of each input column in the table.
  const std::vector<size_t>& places() const { return m_places; }
  /// Returns the problem of a row, or "" if there is none. A problem is a word in a number column,
  /// or a missing value without replacement.
  std::string rowProblem(size_t row) const;
  bool hasMissing(size_t row) const;
  /// Returns the words of the row that are not among the categories of their column.
  std::vector<UnknownCategory> unknownCategories(size_t row) const;

 private:
  const TableEncoding& m_encoding;
  const CsvTable& m_table;
  std::vector<size_t> m_places;
  std::vector<std::map<std::string, size_t, std::less<>>> m_categories;
  bool m_readsText = false;
};

/// Reads the columns of the encodings in the notation of the training file. Fails: InvalidFile
/// naming a missing column.
void applyFormats(const std::vector<TableEncoding>& encodings, CsvTable& table);

/// Learns replacements of missing values, and categories, from these rows. Requires:
/// encoding.inputs contains the names and kinds of the columns.
void fitTable(TableEncoding& encoding, const CsvTable& table, const std::vector<size_t>& rows);

/// A cell of a row that was decoded again.
struct TableCell {
  std::string column;
  // The number; absent for a category
  std::optional<double> number;
  // The category; "" if it is unknown
  std::string word;
};
/// Returns the cells that the values of an encoded row stand for, at most the first `limit` ones.
/// Replacements of missing cells look like other cells. Requires: `values` has width() elements.
std::vector<TableCell> decodeRow(const TableEncoding& encoding, std::span<const double> values,
                                 size_t limit = SIZE_MAX);

Json toJson(const TableEncoding& encoding);
/// Parses a saved encoding. Fails: InvalidFile naming `file`.
TableEncoding parseTableEncoding(const Json& json, const std::string& file);

}  // namespace strata

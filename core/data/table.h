// SPDX-License-Identifier: Apache-2.0
// Encodes the columns of a table for a network: numbers, categories, and replacements of missing
// values. The encoding is learned from the training part alone and saved, so that rows for
// prediction are encoded in the same way. Not here: reading the text (csv.h), selecting training
// rows (selection.h).
// Thread: value types without shared state.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/data/csv.h"
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
};

struct TableEncoding {
  std::vector<TableColumn> inputs;
  // Whether categories are encoded as one-hot vectors. Otherwise a category is encoded as its
  // index, which starts at 1. An unknown category is 0, as in Keras's StringLookup.
  bool isOneHot = true;
  MissingPolicy missing = MissingPolicy::Error;
  CsvOptions options;
  bool hadHeader = false;
  // Columns of the training file
  std::vector<std::string> allColumns;

  /// Returns the number of values per sample.
  int64_t width() const;
  /// Returns the names of the values of a sample, such as "age" or "colour=red".
  std::vector<std::string> names() const;
};

/// Returns the indices of columns by name. Fails: InvalidFile naming the missing column.
std::vector<size_t> findColumns(const CsvTable& table, const std::vector<std::string>& names,
                                const std::string& what);

struct UnknownCategory {
  std::string column, word;
};

/// Encodes rows of a table. The constructor finds the columns, so that they are not searched for
/// each row.
class RowEncoder {
 public:
  /// Finds the columns of the encoding in the table. Fails: InvalidFile naming the missing column.
  RowEncoder(const TableEncoding& encoding, const CsvTable& table);
  /// Writes width() values to `target`. Requires: a valid row (see rowProblem).
  void encode(size_t row, float* target) const;
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

/// Learns replacements of missing values, and categories, from these rows. Requires:
/// encoding.inputs contains the names and kinds of the columns.
void fitTable(TableEncoding& encoding, const CsvTable& table, const std::vector<size_t>& rows);

Json toJson(const TableEncoding& encoding);
/// Parses a saved encoding. Fails: InvalidFile naming `file`.
TableEncoding parseTableEncoding(const Json& json, const std::string& file);

}  // namespace strata

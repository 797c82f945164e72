// SPDX-License-Identifier: Apache-2.0
// How the columns of a table are encoded for a network: numbers, categories, replacements of
// missing values. Learned from the training part alone and saved, so that rows for prediction are
// encoded the same way. Not here: reading the text (csv.h), selecting training rows (selection.h).
// Thread: values.
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
  // Sorted; empty for a number column
  std::vector<std::string> categories;
  bool isCategorical = false;
  // Replacement for a missing number
  double fill = 0;
  // Replacement for a missing category; "": unknown
  std::string fillCategory;
};

struct TableEncoding {
  std::vector<TableColumn> inputs;
  // False: a category is its index from 1, an unknown one 0 (as Keras's StringLookup)
  bool isOneHot = true;
  MissingPolicy missing = MissingPolicy::Error;
  CsvOptions options;
  bool hadHeader = false;
  // Columns of the training file
  std::vector<std::string> allColumns;

  /// Number of values per sample.
  int64_t width() const;
  /// Names of these values: "age", "colour=red".
  std::vector<std::string> names() const;
};

/// Indices of columns of a table by name. Fails: InvalidFile naming the missing column.
std::vector<size_t> findColumns(const CsvTable& table, const std::vector<std::string>& names,
                                const std::string& what);

struct UnknownCategory {
  std::string column, word;
};

/// Encodes rows; looks up columns and categories once for many rows.
class RowEncoder {
 public:
  /// Fails: InvalidFile naming the column that is missing.
  RowEncoder(const TableEncoding& encoding, const CsvTable& table);
  /// Writes width() values. Requires: a valid row (see rowProblem).
  void encode(size_t row, float* target) const;
  /// The problem of a row: a word in a number column, or a missing value without replacement; "" if
  /// there is none.
  std::string rowProblem(size_t row) const;
  bool hasMissing(size_t row) const;
  /// Words of the row that are not among the categories of their column.
  std::vector<UnknownCategory> unknownCategories(size_t row) const;

 private:
  const TableEncoding& m_encoding;
  const CsvTable& m_table;
  std::vector<size_t> m_places;
  std::vector<std::map<std::string, size_t, std::less<>>> m_categories;
  bool m_readsText = false;
};

/// Learns replacements and categories from these rows. Requires: names and kinds in
/// encoding.inputs.
void fitTable(TableEncoding& encoding, const CsvTable& table, const std::vector<size_t>& rows);

Json toJson(const TableEncoding& encoding);
/// Fails: InvalidFile naming `file`.
TableEncoding parseTableEncoding(const Json& json, const std::string& file);

}  // namespace strata

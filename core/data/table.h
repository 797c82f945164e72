// SPDX-License-Identifier: Apache-2.0
// What the columns of a table mean to a network: numbers, categories, what stands in for missing
// values. Learned from the training part alone and kept, so that rows given to predict go the same
// way. Not here: reading the text (csv.h), which rows train (selection.h). Thread: values.
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
  // Sorted; empty for a column of numbers
  std::vector<std::string> categories;
  bool isCategorical = false;
  // For a missing number
  double fill = 0;
  // For a missing category; "" : none of them
  std::string fillCategory;
};

struct TableEncoding {
  std::vector<TableColumn> inputs;
  // Else a category is its number from 1, an unknown one 0 (as Keras's StringLookup)
  bool isOneHot = true;
  MissingPolicy missing = MissingPolicy::Error;
  CsvOptions options;
  bool hadHeader = false;
  // Of the training file
  std::vector<std::string> allColumns;

  /// Numbers of one sample.
  int64_t width() const;
  /// Names of these numbers: "age", "colour=red".
  std::vector<std::string> names() const;
};

/// Columns of a table in the order of an encoding. Fails: InvalidFile naming the column that is not
/// there.
std::vector<size_t> findColumns(const CsvTable& table, const std::vector<std::string>& names,
                                const std::string& what);

struct UnknownCategory {
  std::string column, word;
};

/// Places of columns in a table and of categories in their lists, made once for many rows.
class RowEncoder {
 public:
  /// Fails: InvalidFile naming the column that is missing.
  RowEncoder(const TableEncoding& encoding, const CsvTable& table);
  /// Writes width() numbers. Requires: a sound row (see rowProblem).
  void encode(size_t row, float* target) const;
  /// "" or what is wrong with a cell: a word in a column of numbers, a missing value that nothing
  /// stands in for.
  std::string rowProblem(size_t row) const;
  bool hasMissing(size_t row) const;
  /// Words of the row that are none of their column's categories, so they count as none of them.
  std::vector<UnknownCategory> unknownCategories(size_t row) const;

 private:
  const TableEncoding& m_encoding;
  const CsvTable& m_table;
  std::vector<size_t> m_places;
  std::vector<std::map<std::string, size_t, std::less<>>> m_categories;
  bool m_readsText = false;
};

/// Learns fills and categories from these rows. Requires: encoding.inputs has names and kinds.
void fitTable(TableEncoding& encoding, const CsvTable& table, const std::vector<size_t>& rows);

Json toJson(const TableEncoding& encoding);
/// Fails: InvalidFile naming `file`.
TableEncoding parseTableEncoding(const Json& json, const std::string& file);

}  // namespace strata

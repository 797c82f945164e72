// SPDX-License-Identifier: Apache-2.0
// Warnings about a table: what was recognized in it, what was replaced, and what the training rows
// lack. Each one names file, row or column. Not here: damaged rows (csv_loader.cpp).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/data/csv.h"
#include "core/data/csv_formats.h"
#include "core/data/csv_labels.h"
#include "core/data/dataset.h"
#include "core/data/table.h"

namespace strata {

/// Warns about cells with several lines, because a missing quote may be the reason.
void reportLongCells(const CsvTable& table, const char* field, Diagnostics& notes);
/// Warns about lines that are not data, and about numbers that may be names of columns, unless the
/// fields of the source confirm them.
void reportBeginning(const CsvTable& table, const Json& fields, Diagnostics& notes);
/// Checks that the names of columns are not in a line where the fields do not expect them. Fails:
/// FixableError.
void requireNamesInPlace(const CsvTable& table);
/// Warns about columns whose numbers have another notation, except the columns in `confirmed`.
void reportFormats(const CsvTable& table, const std::vector<FoundFormat>& formats,
                   const Json& fields, const std::vector<std::string>& confirmed,
                   Diagnostics& notes);
/// Warns about columns that are treated as categories although most cells are numbers, in several
/// notations. Returns their names.
std::set<std::string> reportMixedNotations(const CsvTable& table,
                                           const std::vector<FoundFormat>& formats,
                                           const std::vector<TableEncoding>& encodings,
                                           const Json& fields, Diagnostics& notes);
/// Warns that the last column is the label by default, if the name of another input column means a
/// label.
void reportDefaultLabel(const std::vector<std::string>& columns, const Json& fields,
                        Diagnostics& notes);
/// Warns about class numbers below the highest one that no row has.
void reportUnusedLabels(const LabelPlan& label, Diagnostics& notes);
/// Warns about the values of a target that lose their digits in float32.
void reportLabelDigits(const LabelPlan& label, const CsvTable& table,
                       const std::vector<size_t>& rows, const std::vector<size_t>& columns,
                       Diagnostics& notes);
/// Warns about whole numbers that become equal in double precision, although their texts differ.
void reportLongNumbers(const TableEncoding& encoding, const CsvTable& table, const Json& fields,
                       Diagnostics& notes);
/// Warns about columns whose unit in the test file differs from that in the training file.
void reportOtherUnits(const CsvTable& table, const CsvTable& test, Diagnostics& notes);
/// Warns about input columns that only number the rows, by their name and their values, unless the
/// fields of the source name them.
void reportRowNumbers(const TableEncoding& encoding, const CsvTable& table, const Json& fields,
                      Diagnostics& notes);
/// Refuses or reports columns with too many categories. Does not report the columns in `known`,
/// which have another warning. Fails: InvalidFile.
void reportManyCategories(const TableEncoding& encoding, const CsvTable& table, size_t rows,
                          const std::set<std::string>& known, Diagnostics& notes);
/// Warns about categories that do not occur in the training set, once per column.
void reportUnknownCategories(const std::vector<RowEncoder>& encoders, const CsvTable& table,
                             const std::vector<size_t>& rows, const char* field,
                             Diagnostics& notes);
/// Counts the missing cells of a column in these rows, and adds them to the column's entry in
/// `filled`.
void addFilled(std::vector<FilledColumn>& filled, const TableColumn& column, const CsvTable& table,
               size_t place, const std::vector<size_t>& rows);
/// Warns about words that count as missing values in columns of categories.
void reportFilledWords(const std::vector<FilledColumn>& filled, const Json& fields,
                       Diagnostics& notes);

}  // namespace strata

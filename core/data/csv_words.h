// SPDX-License-Identifier: Apache-2.0
// Warnings about columns of words that may mean something else: dates and other texts of numbers,
// and words that differ only by case or spaces. Not here: notations of numbers (csv_formats.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/data/csv.h"
#include "core/data/csv_labels.h"
#include "core/data/table.h"
#include "core/project/diagnostic.h"

namespace strata {

/// Returns the word in lower case, without spaces and invisible characters at its ends. Words with
/// the same result are probably meant to be the same.
std::string foldedWord(const std::string& word);
/// Returns the words that differ only by case or spaces from another one, next to each other.
std::vector<std::string> similarWords(const std::vector<std::string>& words);

/// Returns the words in a column of numbers that probably stand for missing values: usual ones,
/// such as "--", or the only word without digits that several cells have. Returns an empty set if
/// the column also has other words.
std::set<std::string> likelyMissingWords(const CsvTable& table, size_t column,
                                         bool areUsual = false);
/// Returns the fix that adds words to the field missing_words.
Fix missingWordsFix(const Json& fields, const std::set<std::string>& words);
/// Reports columns without a value in these rows, if mean or median should replace missing values.
void reportColumnsWithoutValues(const std::vector<TableEncoding>& encodings, const CsvTable& table,
                                const std::vector<size_t>& rows, const Json& fields,
                                Diagnostics& notes);

/// Reports columns whose categories are texts of numbers, such as dates, ranges and hexadecimal
/// numbers, unless the field `categorical` lists them. Does not report the columns in `known`,
/// which have another warning. Returns the names of these columns and of the reported ones.
std::set<std::string> reportTextsOfNumbers(const std::vector<TableEncoding>& encodings,
                                           const std::set<std::string>& known, const Json& fields,
                                           Diagnostics& notes);
/// Reports categories and classes that differ only by case or spaces, with the number of rows,
/// unless the field `categorical` lists their column.
void reportSimilarWords(const std::vector<TableEncoding>& encodings,
                        const std::vector<LabelPlan>& labels, const CsvTable& table,
                        const std::vector<size_t>& rows, const Json& fields, Diagnostics& notes);

}  // namespace strata

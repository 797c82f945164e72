// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv_labels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/data/csv_words.h"
#include "core/data/source.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

// Integer labels above this are not used as class numbers, because there would be too many classes.
constexpr int64_t kMaxDirectLabel = 1000000;

std::string textOfLabel(const CsvTable& table, size_t row, size_t column, bool isText) {
  if (isText) return table.text(row, column);
  const double value = table.number(row, column);
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<int64_t>(value));
  return Json(value).dump();
}

/// Returns whether the loss ignores this label.
bool isIgnored(const LabelPlan& label, double value) {
  return label.wanted.ignored && value == static_cast<double>(*label.wanted.ignored);
}

/// Refuses labels that are words if the loss compares values, because it would treat class numbers
/// as quantities.
void requireLossForWords(const LabelPlan& label, const CsvTable& table) {
  // core/check reports that categorical_crossentropy needs one-hot targets.
  if (label.wanted.isSparseTarget || label.wanted.loss.empty() ||
      label.wanted.loss == "categorical_crossentropy")
    return;
  const std::string words =
      "column \"" + excerpt(label.columns[0], 60) + "\": the labels are words";
  if (label.wanted.loss.starts_with("binary") || label.wanted.loss.ends_with("hinge")) {
    if (label.classes <= 2) return;
    const std::vector<std::string> similar = similarWords(label.names);
    std::set<std::string> different;
    for (const std::string& name : label.names)
      different.insert(foldedWord(name));
    if (different.size() <= 2)
      throw Error(ErrorCode::InvalidFile, table.path(),
                  words + " of " + std::to_string(label.classes) +
                      " classes, of which some differ "
                      "only by case or spaces (expected 2 classes, got \"" +
                      excerpt(joinedNames(similar), 80) + "\"). Write them the same way.");
    throw Error(ErrorCode::InvalidFile, table.path(),
                words + " of " + std::to_string(label.classes) + " classes, but " +
                    label.wanted.loss +
                    " supports only two (expected 2). Choose sparse_categorical_crossentropy.");
  }
  throw Error(ErrorCode::InvalidFile, table.path(),
              words + ", but " + label.wanted.loss +
                  " compares values (expected numbers). Choose sparse_categorical_crossentropy, "
                  "or another label.");
}

/// Refuses numbers among which some words probably stand for missing values, if the loss compares
/// values.
void requireNoMissingWords(const LabelPlan& label, const CsvTable& table, size_t column) {
  if (label.wanted.isSparseTarget || label.wanted.loss.empty()) return;
  const std::set<std::string> words = likelyMissingWords(table, column);
  if (words.empty()) return;
  throw Error(ErrorCode::InvalidFile, table.path(),
              "column \"" + excerpt(label.columns[0], 60) +
                  "\": most labels are numbers, but some "
                  "are '" +
                  excerpt(*words.begin(), 40) + "' (expected a number). Add \"" +
                  excerpt(*words.begin(), 40) +
                  "\" to missing_words, and set missing to drop to leave these rows out.");
}

}  // namespace

namespace {

/// Returns the label of a row as text, which is its key in LabelPlan::numbers.
std::string labelText(const LabelPlan& label, const CsvTable& table, size_t row, size_t column) {
  return textOfLabel(table, row, column, label.isText || isTextCell(table.number(row, column)));
}

/// What the labels of the rows have in common.
struct LabelValues {
  size_t words = 0;
  bool isWhole = true;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  // The first row with a fraction
  size_t firstFraction = 0;
  // The different numbers, at most three of them
  std::set<double> some;
};

LabelValues valuesOf(const LabelPlan& label, const CsvTable& table, const std::vector<size_t>& rows,
                     const std::vector<size_t>& columns) {
  constexpr size_t kMaxCollected = 3;
  LabelValues values;
  for (const size_t row : rows)
    for (const size_t column : columns) {
      const double value = table.number(row, column);
      if (isTextCell(value)) {
        ++values.words;
        continue;
      }
      if (isIgnored(label, value)) continue;
      if (value != std::floor(value) && values.isWhole) {
        values.isWhole = false;
        values.firstFraction = row;
      }
      values.lowest = std::min(values.lowest, value);
      values.highest = std::max(values.highest, value);
      if (values.some.size() < kMaxCollected) values.some.insert(value);
    }
  return values;
}

bool separatesTwoClasses(const std::string& loss) {
  return loss.starts_with("binary") || loss == "hinge" || loss == "squared_hinge";
}

/// Whether the labels are two numbers that stand for the classes 0 and 1 of a loss of two classes,
/// such as 1 and 2. Numbers that the loss accepts as they are do not.
bool areTwoNumbers(const LabelPlan& label, const LabelValues& values) {
  const std::string& loss = label.wanted.loss;
  if (!separatesTwoClasses(loss) || values.words > 0 || !values.isWhole || values.some.size() != 2)
    return false;
  return values.lowest < (loss.starts_with("binary") ? 0 : -1) || values.highest > 1;
}

/// Returns the numbers from 0 to the highest label that no row has.
std::vector<int64_t> unusedNumbers(const LabelPlan& label, const CsvTable& table,
                                   const std::vector<size_t>& rows, size_t column, double highest) {
  std::vector<bool> isUsed(static_cast<size_t>(highest) + 1, false);
  for (const size_t row : rows)
    if (const double value = table.number(row, column); !isIgnored(label, value))
      isUsed[static_cast<size_t>(value)] = true;
  std::vector<int64_t> unused;
  for (size_t i = 0; i < isUsed.size(); ++i)
    if (!isUsed[i]) unused.push_back(static_cast<int64_t>(i));
  return unused;
}

/// Returns whether the labels are used as class numbers. They must begin at 0, two of them must be
/// 0 and 1, and most numbers up to the highest one must occur. If the loss ignores a label by its
/// number, all labels keep their numbers.
bool areClassNumbers(LabelPlan& label, const CsvTable& table, const std::vector<size_t>& rows,
                     size_t column, const LabelValues& values) {
  if (label.isText || !(values.highest <= static_cast<double>(kMaxDirectLabel))) return false;
  if (label.wanted.ignored) return values.lowest >= 0 && values.highest >= 0;
  if (values.lowest != 0 || (values.some.size() == 2 && values.highest != 1)) return false;
  label.unused = unusedNumbers(label, table, rows, column, values.highest);
  const auto classes = static_cast<size_t>(values.highest) + 1;
  if (2 * label.unused.size() <= classes) return true;
  label.unused.clear();
  return false;
}

/// Returns the key of a label in LabelPlan::pairs.
std::string pairText(const CsvTable& table, size_t row, size_t column) {
  return textOfLabel(table, row, column, isTextCell(table.number(row, column)));
}

/// Whether all words in these columns are "true" and "false", which stand for 1 and 0 in any loss.
bool areTruthWords(const CsvTable& table, const std::vector<size_t>& rows,
                   const std::vector<size_t>& columns) {
  bool hasWord = false;
  for (const size_t row : rows)
    for (const size_t column : columns) {
      if (!isTextCell(table.number(row, column))) continue;
      const std::string word = foldedWord(table.text(row, column));
      if (word != "true" && word != "false") return false;
      hasWord = true;
    }
  return hasWord;
}

/// Determines the targets of several label columns that have two values each. Fails: InvalidFile.
void planPairs(LabelPlan& label, const CsvTable& table, const std::vector<size_t>& rows,
               const std::vector<size_t>& columns) {
  for (size_t k = 0; k < columns.size(); ++k) {
    label.pairs.emplace_back();
    const LabelValues values = valuesOf(label, table, rows, {columns[k]});
    if (values.words == 0 && !areTwoNumbers(label, values)) continue;
    // Numbers come before words, in their order
    std::set<std::tuple<bool, double, std::string>> known;
    for (const size_t row : rows) {
      const double value = table.number(row, columns[k]);
      const bool isWord = isTextCell(value);
      known.emplace(isWord, isWord ? 0 : value, pairText(table, row, columns[k]));
      if (known.size() > 2)
        throw Error(ErrorCode::InvalidFile, table.path(),
                    "column \"" + excerpt(label.columns[k], 60) +
                        "\": the labels are words, and more than two differ (expected two values, "
                        "because there are " +
                        std::to_string(columns.size()) +
                        " label columns). Choose this column alone with "
                        "sparse_categorical_crossentropy, or another label.");
    }
    for (const auto& [isWord, value, text] : known)
      label.pairs[k].emplace(text, static_cast<float>(label.pairs[k].size()));
    // A column without "false" would have 0 for "true".
    for (auto& [text, target] : label.pairs[k])
      if (foldedWord(text) == "true") target = 1;
  }
}

}  // namespace

void planLabels(LabelPlan& label, const CsvTable& table, const std::vector<size_t>& rows,
                const std::vector<size_t>& columns) {
  const LabelValues values = valuesOf(label, table, rows, columns);
  if (columns.size() > 1 &&
      (separatesTwoClasses(label.wanted.loss) || areTruthWords(table, rows, columns))) {
    planPairs(label, table, rows, columns);
    return;
  }
  // Several columns of numbers are values. For a loss that needs class numbers, core/check says so.
  if (columns.size() > 1 && values.words == 0) return;
  label.isClasses = label.wanted.isSparseTarget || values.words > 0 ||
                    (columns.size() == 1 && areTwoNumbers(label, values));
  if (!label.isClasses) return;
  if (columns.size() > 1)
    throw Error(ErrorCode::InvalidProject, "/data/source/label",
                "classes need one label column (expected 1, got " + std::to_string(columns.size()) +
                    "; some contain words). Choose one.");
  label.isText = values.words > 0;
  if (!label.isText && !values.isWhole)
    throw Error(ErrorCode::InvalidFile, table.path(),
                table.rowName(values.firstFraction) + ", column \"" +
                    excerpt(label.columns[0], 60) + "\": the label " +
                    Json(table.number(values.firstFraction, columns[0])).dump() +
                    " is not a class (expected integers or words). Choose mean_squared_error, or "
                    "another label column.");
  label.isDirect = areClassNumbers(label, table, rows, columns[0], values);
  if (label.isDirect) {
    label.names = numbersAsNames(static_cast<int64_t>(values.highest) + 1);
    label.classes = static_cast<int64_t>(values.highest) + 1;
    return;
  }
  if (label.isText) {
    std::set<std::string> known;
    for (const size_t row : rows)
      known.insert(textOfLabel(table, row, columns[0], true));
    label.names.assign(known.begin(), known.end());
  }
  else {
    // The classes have the order of the values. The order of the texts would put 10 before 2.
    std::map<double, std::string> known;
    for (const size_t row : rows)
      if (const double value = table.number(row, columns[0]); !isIgnored(label, value))
        known.emplace(value, textOfLabel(table, row, columns[0], false));
    for (const auto& [value, name] : known)
      label.names.push_back(name);
  }
  label.classes = static_cast<int64_t>(label.names.size());
  if (label.isText && 2 * values.words < rows.size())
    requireNoMissingWords(label, table, columns[0]);
  if (label.isText) requireLossForWords(label, table);
  for (size_t i = 0; i < label.names.size(); ++i)
    label.numbers.emplace(label.names[i], static_cast<int32_t>(i));
}

std::optional<int32_t> classOfLabel(const LabelPlan& label, const CsvTable& table, size_t row,
                                    size_t column) {
  const double value = table.number(row, column);
  if (!label.isText && isIgnored(label, value)) return static_cast<int32_t>(value);
  if (label.isDirect) {
    const bool isClass = !isTextCell(value) && value >= 0 &&
                         value < static_cast<double>(label.classes) && value == std::floor(value);
    return isClass ? std::optional(static_cast<int32_t>(value)) : std::nullopt;
  }
  const auto found = label.numbers.find(labelText(label, table, row, column));
  return found == label.numbers.end() ? std::nullopt : std::optional(found->second);
}

std::string labelProblem(const LabelPlan& label, const CsvTable& table, size_t row,
                         std::span<const size_t> columns) {
  if (label.isClasses && !classOfLabel(label, table, row, columns[0]))
    return "column \"" + excerpt(label.columns[0], 60) + "\": '" +
           excerpt(labelText(label, table, row, columns[0]), 40) +
           "' is not a class of the training file (expected " +
           (label.isDirect ? "0 to " + std::to_string(label.classes - 1)
                           : "one of its " + std::to_string(label.classes)) +
           ").";
  for (size_t k = 0; k < label.pairs.size(); ++k) {
    const std::map<std::string, float>& pair = label.pairs[k];
    const std::string text = pairText(table, row, columns[k]);
    if (!pair.empty() && !pair.contains(text))
      return "column \"" + excerpt(label.columns[k], 60) + "\": '" + excerpt(text, 40) +
             "' is not a label of the training file (expected " + excerpt(pair.begin()->first, 40) +
             " or " + excerpt(pair.rbegin()->first, 40) + ").";
  }
  return {};
}

Tensor targetsOfRows(const LabelPlan& label, const CsvTable& table, const std::vector<size_t>& rows,
                     const std::vector<size_t>& columns) {
  const auto count = static_cast<int64_t>(rows.size());
  if (label.isClasses) {
    Tensor y(DType::I32, Shape{count});
    for (size_t i = 0; i < rows.size(); ++i)
      y.as<int32_t>()[i] = classOfLabel(label, table, rows[i], columns[0]).value();
    return y;
  }
  Tensor y(DType::F32,
           columns.size() == 1 ? Shape{count} : Shape{count, static_cast<int64_t>(columns.size())});
  for (size_t k = 0; k < columns.size(); ++k) {
    const bool isPair = k < label.pairs.size() && !label.pairs[k].empty();
    for (size_t i = 0; i < rows.size(); ++i)
      y.as<float>()[i * columns.size() + k] =
          isPair ? label.pairs[k].at(pairText(table, rows[i], columns[k]))
                 : static_cast<float>(table.number(rows[i], columns[k]));
  }
  return y;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv_labels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

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

}  // namespace

void planLabels(LabelPlan& label, const CsvTable& table, const std::vector<size_t>& rows,
                const std::vector<size_t>& columns) {
  size_t words = 0;
  bool isWhole = true;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  size_t firstFraction = 0;
  for (const size_t row : rows)
    for (const size_t column : columns) {
      const double value = table.number(row, column);
      if (isTextCell(value)) {
        ++words;
        continue;
      }
      if (isIgnored(label, value)) continue;
      if (value != std::floor(value) && isWhole) {
        isWhole = false;
        firstFraction = row;
      }
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
  label.isClasses = label.wanted.isSparseTarget || words > 0;
  if (!label.isClasses) return;
  if (columns.size() > 1)
    throw Error(ErrorCode::InvalidProject, "/data/source/label",
                "classes need one label column (expected 1, got " + std::to_string(columns.size()) +
                    (words > 0 ? "; some contain words" : "; the loss needs class numbers") +
                    "). Choose one.");
  label.isText = words > 0;
  if (!label.isText && !isWhole)
    throw Error(ErrorCode::InvalidFile, table.path(),
                table.rowName(firstFraction) + ", column \"" + excerpt(label.columns[0], 60) +
                    "\": the label " + Json(table.number(firstFraction, columns[0])).dump() +
                    " is not a class (expected integers or words). Choose mean_squared_error, or "
                    "another label column.");
  // Integers that start at 0 are class numbers. If the loss ignores a label by its number, all
  // labels must keep their numbers.
  label.isDirect = !label.isText &&
                   (lowest == 0 || (label.wanted.ignored && lowest >= 0 && highest >= 0)) &&
                   highest <= static_cast<double>(kMaxDirectLabel);
  if (label.isDirect) {
    label.names = numbersAsNames(static_cast<int64_t>(highest) + 1);
    label.classes = static_cast<int64_t>(highest) + 1;
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
  requireLossForWords(label, table);
  for (size_t i = 0; i < label.names.size(); ++i)
    label.numbers.emplace(label.names[i], static_cast<int32_t>(i));
}

std::string labelText(const LabelPlan& label, const CsvTable& table, size_t row, size_t column) {
  return textOfLabel(table, row, column, label.isText || isTextCell(table.number(row, column)));
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
  for (size_t i = 0; i < rows.size(); ++i)
    for (size_t k = 0; k < columns.size(); ++k)
      y.as<float>()[i * columns.size() + k] = static_cast<float>(table.number(rows[i], columns[k]));
  return y;
}

}  // namespace strata

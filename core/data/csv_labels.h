// SPDX-License-Identifier: Apache-2.0
// Converts the label columns of a table to the targets of an output: class numbers, or values for a
// regression. The labels of the training file determine the classes. Not here: finding the columns,
// and reporting damaged rows (csv_loader.cpp).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/csv.h"
#include "core/data/data_needs.h"
#include "gpu/tensor/tensor.h"

namespace strata {

/// Describes how the label columns of one output become targets.
struct LabelPlan {
  // The target that the output needs
  WantedTarget wanted;
  // Names of the label columns
  std::vector<std::string> columns;
  // Whether the targets are class numbers. Otherwise they are the values of the columns.
  bool isClasses = false;
  // Whether at least one label is a word
  bool isText = false;
  // Whether the labels in the file are used as class numbers
  bool isDirect = false;
  // Numbers below the highest label that no row has, if isDirect is true
  std::vector<int64_t> unused;
  // Number of classes; 0 if the targets are not classes
  int64_t classes = 0;
  // Names of the classes in the order of their numbers; empty if there are too many to show
  std::vector<std::string> names;
  // Class number of each label as text; empty if isDirect is true
  std::map<std::string, int32_t> numbers;
  // If there are several label columns with two values each, such as yes and no: for each column,
  // the target (0 or 1) of each value as text. A column whose numbers are the targets has none.
  std::vector<std::map<std::string, float>> pairs;
};

/// Determines whether the targets are classes and, if so, which classes. They are classes if the
/// loss needs class numbers, if a label is a word, or if the loss distinguishes two classes and the
/// labels are two other numbers than 0 and 1. Several label columns are never classes. `rows` are
/// the rows of the training file, and `columns` the indices of the label columns. Fails:
/// InvalidFile, InvalidProject.
void planLabels(LabelPlan& label, const CsvTable& table, const std::vector<size_t>& rows,
                const std::vector<size_t>& columns);

/// Returns the class number of a label, or nullopt if the label is not a class of the training
/// file. A label that the loss ignores keeps its number.
std::optional<int32_t> classOfLabel(const LabelPlan& label, const CsvTable& table, size_t row,
                                    size_t column);

/// Returns what is wrong with a label of a row, such as `column "y": 'x' is not a class of the
/// training file (expected one of its 3).`, or "" if they are right.
std::string labelProblem(const LabelPlan& label, const CsvTable& table, size_t row,
                         std::span<const size_t> columns);

/// Returns the targets of the rows: [rows] in i32 for classes, otherwise [rows] or [rows, columns]
/// in f32. Requires: planLabels() was called, and all labels are valid.
Tensor targetsOfRows(const LabelPlan& label, const CsvTable& table, const std::vector<size_t>& rows,
                     const std::vector<size_t>& columns);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Finds columns whose numbers have another notation than 1234.5, such as a decimal comma. Not here:
// the notations (number_format.h), and reports about them (csv_reports.h).
// Thread: the function is pure, so any thread may call it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/data/csv.h"

namespace strata {

/// The notation of the numbers in a column.
struct FoundFormat {
  size_t column = 0;
  NumberFormat format;
  // A cell with this notation, and its value
  std::string example;
  double value = 0;
  // A spelling of some numbers that the format does not contain, with a cell and its value
  Spelling spelling = Spelling::Usual;
  std::string spelled;
  double spelledValue = 0;
  // Whether the numbers can be read in two ways. `otherValue` is the example in the other one.
  bool isAmbiguous = false;
  double otherValue = 0;
  // Whether the column has several notations, such as numbers with and without percent sign. It is
  // then not read as numbers.
  bool isMixed = false;
};

/// Finds the columns in which most cells are numbers in another notation. `decimal` is the decimal
/// separator that the project sets, or '\0'. It decides between "1,234" as 1.234 and as 1234. If it
/// is not set, the other columns decide, then the delimiter.
std::vector<FoundFormat> findNumberFormats(const CsvTable& table, char decimal);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Tables of numbers and words as text: rows of cells, quoted cells (RFC 4180), any delimiter. Reads
// what stands there; what columns mean is in table.h.
// Thread: pure functions; a table is immutable after reading.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

struct CsvOptions {
  // '\0': what the first row has most of: comma, semicolon, tab or bar
  char delimiter = '\0';
  // Or ','
  char decimal = '.';
  enum class Header : uint8_t { Auto, Yes, No } header = Header::Auto;
  // Words that stand for a missing value, beside an empty cell
  std::vector<std::string> missing;
  // Quoted cells of several lines are meant
  bool hasLongCells = false;
};

/// Quoted cells of several lines beyond so many are an error where they are not meant.
constexpr size_t kMostLongCells = 3;

/// Rows that end with a carriage return alone, as old Macs wrote them, end with a line feed then.
void mendRowEnds(std::string& bytes);

/// A cell that is no number: one of these instead of its value.
bool isMissingCell(double value);
bool isTextCell(double value);

class CsvTable {
 public:
  /// Fails: InvalidFile (empty, UTF-16, a quote that does not end or ends behind rows that it
  /// swallowed, no rows), IoFailure.
  CsvTable(const std::string& path, const CsvOptions& options);

  const std::string& path() const { return m_path; }
  char delimiter() const { return m_delimiter; }
  bool hasHeader() const { return m_hasHeader; }
  // Names; "0", "1", ... without a header
  const std::vector<std::string>& columns() const { return m_columns; }
  size_t numRows() const { return m_rowStarts.size(); }
  double number(size_t row, size_t column) const {
    return m_numbers[row * m_columns.size() + column];
  }
  /// What stands in a cell, without its quotes.
  std::string text(size_t row, size_t column) const;
  std::vector<std::string> texts(size_t row) const;
  /// Line of the file, from 1.
  int64_t line(size_t row) const { return m_lines[row]; }
  /// "row 17"
  std::string rowName(size_t row) const;
  /// Rows with too few or too many cells; they are not among the rows above. Each with the number
  /// of the row before it.
  struct Ragged {
    size_t before = 0;
    std::string reason;
  };
  const std::vector<Ragged>& ragged() const { return m_ragged; }
  /// A quoted cell of several lines: a text with line ends, or one whose quote is lost.
  struct LongCell {
    int64_t line = 0, lastLine = 0;
    // From 0
    size_t column = 0;
    // Bytes of the file
    size_t begin = 0, end = 0;
    // Between its closing quote and the next cell
    bool hasTextBehind = false;
  };
  /// Empty where they are meant.
  const std::vector<LongCell>& longCells() const { return m_longCells; }

 private:
  struct Cell {
    // With quotes
    std::string_view raw;
    bool isQuoted = false, hasTextBehind = false;
    // Line ends in it
    int64_t breaks = 0;
  };
  /// The next row from `at`; false at the end, before `size`. Moves `at` and `lineNumber` behind
  /// it.
  bool nextRow(size_t& at, int64_t& lineNumber, std::vector<Cell>& cells,
               size_t size = SIZE_MAX) const;
  void collectLongCells(const std::vector<Cell>& cells, int64_t line);
  void requireNoLostQuote();
  /// Columns that hold numbers in most rows.
  std::vector<bool> numberColumns() const;
  /// The first line within the cell that is a row of the table, 0 where none is.
  int64_t rowWithin(const LongCell& cell, const std::vector<bool>& isNumber) const;
  double parse(const Cell& cell) const;
  static std::string plainText(const Cell& cell);
  bool looksLikeHeader(const std::vector<Cell>& first, const std::vector<Cell>& second,
                       size_t behindFirst) const;

  const std::string m_path;
  CsvOptions m_options;
  // First characters of words for a missing value
  std::array<bool, 256> m_beginsMissing{};
  std::string m_bytes;
  // Behind a byte order mark
  size_t m_begin = 0;
  char m_delimiter = ',';
  bool m_hasHeader = false;
  std::vector<std::string> m_columns;
  std::vector<size_t> m_rowStarts;
  std::vector<int64_t> m_lines;
  std::vector<double> m_numbers;
  std::vector<Ragged> m_ragged;
  std::vector<LongCell> m_longCells;
};

}  // namespace strata

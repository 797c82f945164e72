// SPDX-License-Identifier: Apache-2.0
// Text tables of numbers and words: rows of cells, quoted cells (RFC 4180), any delimiter. Only
// reads cells. Not here: the meaning of columns (table.h).
// Thread: pure functions; a table is immutable after reading.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

struct CsvOptions {
  // '\0': the most frequent of comma, semicolon, tab and bar in the first row
  char delimiter = '\0';
  // '.' or ','
  char decimal = '.';
  enum class Header : uint8_t { Auto, Yes, No } header = Header::Auto;
  // Words for a missing value, in addition to empty cells
  std::vector<std::string> missing;
  // Quoted cells may span several lines
  bool hasLongCells = false;
};

/// More quoted cells of several lines than this are an error if they are not allowed.
constexpr size_t kMaxLongCells = 3;

/// Converts row ends that are a lone carriage return (old Mac files) to line feeds.
void normalizeRowEnds(std::string& bytes);

/// Cells without a number have one of two special values: missing, or text.
bool isMissingCell(double value);
bool isTextCell(double value);

class CsvTable {
 public:
  /// Fails: InvalidFile (empty, UTF-16, a quote that is not closed or is closed only after other
  /// rows, no rows), IoFailure.
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
  /// The text of a cell without its quotes.
  std::string text(size_t row, size_t column) const;
  std::vector<std::string> texts(size_t row) const;
  /// Line of the file, from 1.
  int64_t line(size_t row) const { return m_lines[row]; }
  /// "row 17"
  std::string rowName(size_t row) const;
  /// A row with too few or too many cells, which is not counted in numRows(), and the number of
  /// good rows before it.
  struct Ragged {
    size_t before = 0;
    std::string reason;
  };
  const std::vector<Ragged>& ragged() const { return m_ragged; }
  /// A quoted cell of several lines: a text with line breaks, or a cell with a missing closing
  /// quote.
  struct LongCell {
    int64_t line = 0, lastLine = 0;
    // From 0
    size_t column = 0;
    // Position in the file, in bytes
    size_t begin = 0, end = 0;
    // There is text between its closing quote and the next cell
    bool hasTextAfter = false;
  };
  /// Empty if such cells are allowed.
  const std::vector<LongCell>& longCells() const { return m_longCells; }

 private:
  struct Cell {
    // Including quotes
    std::string_view raw;
    bool isQuoted = false, hasTextAfter = false;
    // Number of line breaks in it
    int64_t breaks = 0;
  };
  /// Reads the next row from `at` and moves `at` and `lineNumber` past it; false at the end, or at
  /// `size`.
  bool nextRow(size_t& at, int64_t& lineNumber, std::vector<Cell>& cells,
               size_t size = SIZE_MAX) const;
  void collectLongCells(const std::vector<Cell>& cells, int64_t line);
  void requireNoLostQuote();
  /// Columns with numbers in most rows.
  std::vector<bool> numberColumns() const;
  /// The first line within the cell that looks like a row of the table; 0 if there is none.
  int64_t rowWithin(const LongCell& cell, const std::vector<bool>& isNumber) const;
  double parse(const Cell& cell) const;
  static std::string plainText(const Cell& cell);
  bool looksLikeHeader(const std::vector<Cell>& first, const std::vector<Cell>& second,
                       size_t afterFirst) const;

  const std::string m_path;
  CsvOptions m_options;
  // First characters of the words for a missing value
  std::array<bool, 256> m_beginsMissing{};
  std::string m_bytes;
  // After the byte order mark
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

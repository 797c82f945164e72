// SPDX-License-Identifier: Apache-2.0
// Reads the cells of text tables with numbers and words. Cells may have quotes (RFC 4180) and any
// delimiter. Not here: the meaning of columns (table.h).
// Thread: the functions are pure, and a table is immutable after reading.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

struct CsvOptions {
  // The delimiter of cells. '\0' selects the most frequent of comma, semicolon, tab and vertical
  // bar in the first row.
  char delimiter = '\0';
  // The decimal separator: '.' or ','
  char decimal = '.';
  enum class Header : uint8_t { Auto, Yes, No } header = Header::Auto;
  // Words that stand for a missing value, in addition to empty cells
  std::vector<std::string> missing;
  // Whether quoted cells may span several lines
  bool hasLongCells = false;
};

/// Maximum number of quoted cells with several lines if CsvOptions::hasLongCells is false. A few
/// are accepted, because they may be intended.
constexpr size_t kMaxLongCells = 3;

/// If the text has no line feeds, replaces carriage returns (the line ends of old Mac files) by
/// line feeds.
void normalizeRowEnds(std::string& bytes);

/// isMissingCell() returns whether the value of a cell means that it is empty or has a word for a
/// missing value. isTextCell() returns whether it means that the cell has other text. Both values
/// are NaNs.
bool isMissingCell(double value);
bool isTextCell(double value);

class CsvTable {
 public:
  /// Reads the table. Fails: InvalidFile (empty, UTF-16, no rows, a missing closing quote);
  /// IoFailure.
  CsvTable(const std::string& path, const CsvOptions& options);

  const std::string& path() const { return m_path; }
  char delimiter() const { return m_delimiter; }
  bool hasHeader() const { return m_hasHeader; }
  // Returns the names of the columns. Without a header, they are "0", "1", ...
  const std::vector<std::string>& columns() const { return m_columns; }
  size_t numRows() const { return m_rowStarts.size(); }
  double number(size_t row, size_t column) const {
    return m_numbers[row * m_columns.size() + column];
  }
  /// Returns the text of a cell without its quotes.
  std::string text(size_t row, size_t column) const;
  std::vector<std::string> texts(size_t row) const;
  /// Returns the number of the line in the file where the row begins. The first line is 1.
  int64_t line(size_t row) const { return m_lines[row]; }
  /// Returns the name of the row in messages, such as "row 17".
  std::string rowName(size_t row) const;
  /// A row with too few or too many cells. numRows() does not count it. `before` is the number of
  /// valid rows before it.
  struct Ragged {
    size_t before = 0;
    std::string reason;
  };
  const std::vector<Ragged>& ragged() const { return m_ragged; }
  /// A quoted cell with several lines. Either its text has line breaks, or its closing quote is
  /// missing.
  struct LongCell {
    int64_t line = 0, lastLine = 0;
    // Index of the column; the first one is 0
    size_t column = 0;
    // Byte positions in the file
    size_t begin = 0, end = 0;
    // Whether there is text between the closing quote and the next cell
    bool hasTextAfter = false;
  };
  /// Returns the quoted cells with several lines, or an empty list if the options allow them.
  const std::vector<LongCell>& longCells() const { return m_longCells; }

 private:
  struct Cell {
    // Text including quotes
    std::string_view raw;
    bool isQuoted = false, hasTextAfter = false;
    // Number of line breaks in the cell
    int64_t breaks = 0;
  };
  /// Reads the next row from `at`, and moves `at` and `lineNumber` past it. Returns false if `at`
  /// is at the end of the text, or at `size`.
  bool nextRow(size_t& at, int64_t& lineNumber, std::vector<Cell>& cells,
               size_t size = SIZE_MAX) const;
  void collectLongCells(const std::vector<Cell>& cells, int64_t line);
  void requireNoLostQuote();
  /// Returns for each column whether more than half of the rows have a number in it.
  std::vector<bool> numberColumns() const;
  /// Returns the first line within the cell that looks like a row of the table, or 0 if there is
  /// none.
  int64_t rowWithin(const LongCell& cell, const std::vector<bool>& isNumber) const;
  double parse(const Cell& cell) const;
  static std::string plainText(const Cell& cell);
  bool looksLikeHeader(const std::vector<Cell>& first, const std::vector<Cell>& second,
                       size_t afterFirst) const;

  const std::string m_path;
  CsvOptions m_options;
  // For each character, whether a word for a missing value begins with it
  std::array<bool, 256> m_beginsMissing{};
  std::string m_bytes;
  // Position after the byte order mark
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

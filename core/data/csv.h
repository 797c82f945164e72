// SPDX-License-Identifier: Apache-2.0
// Reads the cells of text tables with numbers and words. Cells may have quotes (RFC 4180) and any
// delimiter. Lines before the data are recognized: "sep=;", comments, names, units. Not here: the
// meaning of columns (table.h), the notation of their numbers (csv_formats.h).
// Thread: the functions are pure. A table is immutable after reading and setFormats().
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/number_format.h"

namespace strata {

struct CsvOptions {
  // The delimiter of cells. '\0' selects the one of a line such as "sep=;", or the most frequent of
  // comma, semicolon, tab and vertical bar in the first row, or spaces. A decimal comma is not a
  // delimiter. Several spaces or tabs are one delimiter if it is a space.
  char delimiter = '\0';
  // The decimal separator: '.' or ','
  char decimal = '.';
  enum class Header : uint8_t { Auto, Yes, No } header = Header::Auto;
  // Whether the row after the names contains units, such as "[m]"
  enum class Units : uint8_t { Auto, Yes, No } units = Units::Auto;
  // Text at the beginning of lines to ignore; "" for none. kAutoComment ignores lines that begin
  // with # and have another number of cells than the table.
  std::string comment = std::string(kAutoComment);
  static constexpr std::string_view kAutoComment = "auto";
  // Number of lines to ignore at the beginning
  int64_t skipLines = 0;
  // Words that stand for a missing value, in addition to empty cells
  std::vector<std::string> missing;
  // Whether these words also stand for a missing value in quotes. Early versions did so.
  bool isQuotedMissing = false;
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
  /// What precedes the data, as far as the options did not say it.
  struct Beginning {
    // Comment lines: their number, and number and text of the first one
    int64_t comments = 0, firstComment = 0;
    std::string commentText;
    // Number of the line with units; 0 without one
    int64_t unitLine = 0;
    // The unit of each column; empty if there are none
    std::vector<std::string> units;
    // Number of the first row, which contains the names if hasHeader() is true
    int64_t firstLine = 1;
    // Whether the first row contains numbers but was read as names, or was read as data although it
    // may contain names
    bool isHeaderGuessed = false, mayBeHeader = false;
  };
  const Beginning& beginning() const { return m_beginning; }
  /// A line that probably has the names of the columns, although the options do not expect it there
  struct NamesElsewhere {
    int64_t line = 0;
    std::string names;
    // Options with which they are found; 0, "" and '\0' if the option is right
    int64_t skipLines = 0;
    std::string comment;
    char delimiter = '\0';
  };
  /// Returns this line if the table has no header, unless the options choose this.
  std::optional<NamesElsewhere> namesElsewhere() const;
  /// Properties of the cells of a column, which are found while they are read
  struct Marks {
    // Whether a cell that is text looks like a number in another notation
    bool hasOtherNumber = false;
    // Whether a number has a point that cannot, or that may, separate thousands
    bool hasPlainPoint = false, hasGroupingPoint = false;
  };
  const Marks& marks(size_t column) const { return m_marks[column]; }
  /// Calls `take` with the texts of each row's cells, without quotes and surrounding spaces.
  /// Doubled quotes stay doubled.
  void eachRow(const std::function<void(size_t, std::span<const std::string_view>)>& take) const;
  /// Reads the cells of these columns again, as numbers in these notations.
  void setFormats(const std::map<size_t, NumberFormat>& formats);
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
    // Text; of a quoted cell, the text between its quotes
    std::string_view raw;
    bool isQuoted = false, hasTextAfter = false;
    // Number of line breaks in the cell
    int64_t breaks = 0;
  };
  /// Skips the lines that the options or a line such as "sep=;" exclude, and chooses the delimiter.
  void readBeginning(size_t& at, int64_t& line);
  void skipFirstComments(size_t& at, int64_t& line);
  /// Returns the number of cells of the line at `at`, or 0 if a quoted cell does not end in it.
  size_t cellsOfLine(size_t at, std::vector<Cell>& cells) const;
  /// Whether the line is a comment in a table with this number of columns.
  bool isComment(size_t at, size_t columns, std::vector<Cell>& cells) const;
  void noteComment(size_t at, int64_t line);
  /// Reads the next row that is neither blank nor a comment. Returns false at the end.
  bool nextDataRow(size_t& at, int64_t& line, size_t columns, std::vector<Cell>& cells) const;
  /// Finds out whether the first rows contain names and units. Moves `at` and `line` past them.
  void readHeader(size_t& at, int64_t& line);
  std::vector<Cell> readFirstRow(size_t& at, int64_t& line);
  std::vector<Cell> takeUnits(std::vector<std::vector<Cell>>& rows, int64_t lineOfSecond);
  void nameColumns(const std::vector<Cell>& first);
  void requireDifferentNames() const;
  static bool looksLikeNumber(const Cell& cell, bool mayHaveUnit = true);
  /// Whether the cells are units above the numbers of `rows`.
  bool areUnits(const std::vector<Cell>& units, std::span<const std::vector<Cell>> rows) const;
  bool looksLikeHeader(std::span<const std::vector<Cell>> rows) const;
  /// Whether the first row has names that are whole numbers, such as years.
  bool hasNumbersAsNames(std::span<const std::vector<Cell>> rows);
  /// Several spaces or tabs are one delimiter if it is a space.
  bool isDelimiter(char c) const { return c == m_delimiter || (m_delimiter == ' ' && c == '\t'); }
  /// Reads a cell of column `column` (from 1) whose opening quote is at `begin`. Moves `at` and
  /// `lineNumber` to its delimiter.
  Cell quotedCell(size_t begin, size_t size, size_t column, size_t& at, int64_t& lineNumber) const;
  /// Reads the next row from `at`, and moves `at` and `lineNumber` past it. Returns false if `at`
  /// is at the end of the text, or at `size`.
  bool nextRow(size_t& at, int64_t& lineNumber, std::vector<Cell>& cells,
               size_t size = SIZE_MAX) const;
  /// Reads the rows from `at` to the end.
  void readRows(size_t at, int64_t lineNumber);
  static bool isBlank(const std::vector<Cell>& cells) {
    return cells.size() == 1 && !cells[0].isQuoted && cells[0].raw.empty();
  }
  /// Makes quoted words that stand for missing values missing in columns that have only numbers
  /// otherwise. Among other words, such as "NA" for Namibia, they are words.
  void clearQuotedWords();
  void collectLongCells(const std::vector<Cell>& cells, int64_t line);
  void requireNoLostQuote();
  /// Returns for each column whether more than half of the rows have a number in it.
  std::vector<bool> numberColumns() const;
  /// Returns the first line within the cell that looks like a row of the table, or 0 if there is
  /// none.
  int64_t rowWithin(const LongCell& cell, const std::vector<bool>& isNumber) const;
  double parse(const Cell& cell) const;
  void mark(Marks& marks, const Cell& cell, double value) const;
  static std::string plainText(const Cell& cell);

  const std::string m_path;
  CsvOptions m_options;
  // For each character, whether a word for a missing value begins with it
  std::array<bool, 256> m_beginsMissing{};
  std::string m_bytes;
  // Position after the byte order mark
  size_t m_begin = 0;
  char m_delimiter = ',';
  bool m_hasHeader = false;
  // Whether the names stand in the last comment line before the data
  bool m_isHeaderInComment = false;
  Beginning m_beginning;
  std::vector<std::string> m_columns;
  std::vector<Marks> m_marks;
  std::vector<size_t> m_rowStarts;
  std::vector<int64_t> m_lines;
  std::vector<double> m_numbers;
  std::vector<Ragged> m_ragged;
  std::vector<LongCell> m_longCells;
};

}  // namespace strata

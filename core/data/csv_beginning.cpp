// SPDX-License-Identifier: Apache-2.0
// The part of CsvTable that reads what precedes the data: skipped lines, the line "sep=;",
// comments, the delimiter, and the rows of names and units.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/data/csv.h"
#include "core/data/csv_delimiter.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr char kCommentMark = '#';
// Number of rows and cells that are looked at to recognize names and units
constexpr size_t kRowsLookedAt = 100, kCellsLookedAt = 200000;

size_t endOfLine(std::string_view text, size_t at) {
  return std::min(text.find('\n', at), text.size());
}

std::string_view withoutReturn(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Returns the delimiter that a line such as "sep=;" declares, or '\0' if it is another line.
char declaredDelimiter(std::string_view line) {
  line = withoutReturn(line);
  if (line.size() >= 2 && line.front() == '"' && line.back() == '"')
    line = line.substr(1, line.size() - 2);
  const bool isDeclaration =
      line.size() == 5 &&
      (line.starts_with("sep=") || line.starts_with("SEP=") || line.starts_with("Sep="));
  return isDeclaration ? line[4] : '\0';
}

bool isWhole(double value) { return value == std::floor(value) && std::abs(value) < 1e9; }

/// Whether the values increase or decrease by equal steps.
bool areEvenlyStepped(const std::vector<double>& values) {
  for (size_t i = 2; i < values.size(); ++i)
    if (values[i] - values[i - 1] != values[1] - values[0]) return false;
  return values.size() > 1 && values[1] != values[0];
}

bool isYear(double value) { return isWhole(value) && value >= 1000 && value < 3000; }

}  // namespace

void CsvTable::readBeginning(size_t& at, int64_t& line) {
  const auto nextLine = [&] {
    at = std::min(endOfLine(m_bytes, at) + 1, m_bytes.size());
    ++line;
  };
  m_delimiter = m_options.delimiter;
  const auto takeDeclaration = [&] {
    const size_t end = endOfLine(m_bytes, at);
    const char declared = declaredDelimiter(std::string_view(m_bytes).substr(at, end - at));
    if (declared == '\0') return;
    if (m_delimiter == '\0') m_delimiter = declared;
    nextLine();
  };
  takeDeclaration();
  for (; line <= m_options.skipLines && at < m_bytes.size();)
    nextLine();
  if (m_options.skipLines > 0) takeDeclaration();
  if (m_delimiter == '\0')
    m_delimiter = likelyDelimiter(std::string_view(m_bytes).substr(at), m_options.decimal,
                                  m_options.comment == CsvOptions::kAutoComment
                                      ? std::string_view(&kCommentMark, 1)
                                      : std::string_view(m_options.comment));
  if (m_options.comment == CsvOptions::kAutoComment) skipFirstComments(at, line);
}

size_t CsvTable::cellsOfLine(size_t at, std::vector<Cell>& cells) const {
  int64_t ignored = 0;
  try {
    return nextRow(at, ignored, cells, endOfLine(m_bytes, at)) ? cells.size() : 0;
  }
  catch (const Error&) {
    // A quoted cell does not end in this line.
    return 0;
  }
}

/// Skips lines that begin with #. If the last of them has as many cells as the next line, it
/// contains data, or the names of columns whose data follow.
void CsvTable::skipFirstComments(size_t& at, int64_t& line) {
  struct Line {
    size_t at = 0;
    int64_t number = 0;
  };
  std::vector<Line> comments;
  Line next{at, line};
  // Between spaces, the mark would be a cell
  const auto withoutMark = [&](size_t mark) {
    return m_delimiter == ' ' ? mark + 1 : next.at;
  };
  for (; next.at < m_bytes.size(); ++next.number) {
    const size_t text = m_bytes.find_first_not_of(" \t\r", next.at),
                 end = endOfLine(m_bytes, next.at);
    if (text < end && m_bytes[text] != kCommentMark) break;
    if (text < end) comments.push_back({withoutMark(text), next.number});
    next.at = std::min(end + 1, m_bytes.size());
  }
  if (comments.empty() || next.at >= m_bytes.size()) return;
  std::vector<Cell> below, cells;
  const size_t width = cellsOfLine(next.at, below);
  const auto isData = [&](const Line& each) {
    return cellsOfLine(each.at, cells) == width &&
           std::any_of(cells.begin(), cells.end(),
                       [&](const Cell& cell) { return !isTextCell(parse(cell)); });
  };
  const auto hasNames = [&](const Line& each) {
    if (width < 2 || cellsOfLine(each.at, cells) != width) return false;
    for (size_t i = 0; i < width; ++i)
      if (!isTextCell(parse(below[i]))) return true;
    return false;
  };
  const size_t all = comments.size();
  while (!comments.empty() && width > 1 && isData(comments.back())) {
    next = comments.back();
    comments.pop_back();
  }
  if (!comments.empty() && comments.size() == all && hasNames(comments.back())) {
    next = comments.back();
    comments.pop_back();
    m_isHeaderInComment = true;
  }
  for (const Line& each : comments)
    noteComment(m_delimiter == ' ' ? each.at - 1 : each.at, each.number);
  at = next.at;
  line = next.number;
}

bool CsvTable::isComment(size_t at, size_t columns, std::vector<Cell>& cells) const {
  const std::string& comment = m_options.comment;
  if (comment.empty()) return false;
  while (at < m_bytes.size() && (m_bytes[at] == ' ' || m_bytes[at] == '\t'))
    ++at;
  if (at >= m_bytes.size()) return false;
  if (comment != CsvOptions::kAutoComment) return m_bytes.compare(at, comment.size(), comment) == 0;
  if (m_bytes[at] != kCommentMark) return false;
  // Between spaces, the mark would be a cell
  if (m_delimiter == ' ') return true;
  const size_t count = cellsOfLine(at, cells);
  const bool endsEmpty = count == columns + 1 && !cells.back().isQuoted && cells.back().raw.empty();
  return count != columns && !endsEmpty;
}

void CsvTable::noteComment(size_t at, int64_t line) {
  if (m_options.comment != CsvOptions::kAutoComment || m_beginning.comments++ > 0) return;
  m_beginning.firstComment = line;
  m_beginning.commentText =
      withoutReturn(std::string_view(m_bytes).substr(at, endOfLine(m_bytes, at) - at));
}

bool CsvTable::nextDataRow(size_t& at, int64_t& line, size_t columns,
                           std::vector<Cell>& cells) const {
  for (;;) {
    if (isComment(at, columns, cells)) {
      at = std::min(endOfLine(m_bytes, at) + 1, m_bytes.size());
      ++line;
      continue;
    }
    if (!nextRow(at, line, cells)) return false;
    if (!isBlank(cells)) return true;
  }
}

bool CsvTable::looksLikeNumber(const Cell& cell, bool mayHaveUnit) {
  const std::optional<NumberParts> parts = splitNumber(cell.raw);
  if (parts && !parts->unit.empty() && !mayHaveUnit) return false;
  return parts && std::any_of(kSeparators.begin(), kSeparators.end(), [&](const Separators& each) {
           return valueOf(parts->body, each).has_value();
         });
}

bool CsvTable::areUnits(const std::vector<Cell>& units,
                        std::span<const std::vector<Cell>> rows) const {
  const auto isBracketed = [](const Cell& cell) {
    return cell.raw.size() > 1 && ((cell.raw.front() == '[' && cell.raw.back() == ']') ||
                                   (cell.raw.front() == '(' && cell.raw.back() == ')'));
  };
  size_t brackets = 0, aboveNumbers = 0, columnsOfNumbers = 0;
  for (size_t i = 0; i < units.size(); ++i) {
    const bool isText = isTextCell(parse(units[i]));
    if (!isText && !isMissingCell(parse(units[i]))) return false;
    if (isText && looksLikeNumber(units[i], false)) return false;
    if (isBracketed(units[i])) ++brackets;
    size_t numbers = 0, texts = 0;
    for (const std::vector<Cell>& row : rows) {
      if (i >= row.size()) continue;
      const bool isNumber =
          isTextCell(parse(row[i])) ? looksLikeNumber(row[i]) : !isMissingCell(parse(row[i]));
      numbers += isNumber ? 1 : 0;
      texts += !isNumber && isTextCell(parse(row[i])) ? 1 : 0;
    }
    if (numbers == 0 || texts > 0) continue;
    ++columnsOfNumbers;
    if (isText) ++aboveNumbers;
  }
  // Words above all columns of numbers may also be one damaged cell, if there is only one column.
  return aboveNumbers > 0 &&
         (brackets > 0 || (aboveNumbers == columnsOfNumbers && aboveNumbers > 1));
}

/// Whether the first row is a header. All its cells must be words. This is enough if the second row
/// has a cell that is not a word, or does not exist. Otherwise the first rows must show a table of
/// words: no column repeats the cell of the first row, and at least one column repeats another
/// word.
bool CsvTable::looksLikeHeader(std::span<const std::vector<Cell>> rows) const {
  const std::vector<Cell>& first = rows[0];
  const std::vector<Cell>* const second = rows.size() > 1 ? &rows[1] : nullptr;
  bool isWordAboveNumber = false;
  for (size_t i = 0; i < first.size(); ++i) {
    const double above = parse(first[i]);
    // The first cell may be empty, because a column of row numbers often has no name.
    if (!isTextCell(above) && !(isMissingCell(above) && i == 0)) return false;
    if (!isTextCell(above)) continue;
    const bool isBelow = second && i < second->size(),
               isTextBelow = isBelow && isTextCell(parse((*second)[i]));
    const bool isNumberBelow = isBelow && isTextBelow && looksLikeNumber((*second)[i]);
    // A name may begin with a number, such as "5min".
    if (looksLikeNumber(first[i], false) && (!isBelow || isNumberBelow)) return false;
    if (isBelow && (!isTextBelow || isNumberBelow)) isWordAboveNumber = true;
  }
  if (isWordAboveNumber || !second) return true;
  std::vector<std::set<std::string>> words(first.size());
  for (const std::vector<Cell>& row : rows.subspan(1))
    for (size_t i = 0; i < std::min(row.size(), first.size()); ++i)
      words[i].insert(plainText(row[i]));
  bool hasRepeats = false;
  for (size_t i = 0; i < first.size(); ++i) {
    if (words[i].contains(plainText(first[i]))) return false;
    hasRepeats = hasRepeats || words[i].size() < rows.size() - 1;
  }
  return hasRepeats;
}

bool CsvTable::hasNumbersAsNames(std::span<const std::vector<Cell>> rows) {
  const std::vector<Cell>& first = rows[0];
  std::vector<double> names;
  std::set<std::string> different;
  bool areQuoted = true, areYears = true, isFar = true, isCount = true;
  size_t lessYears = 0;
  for (size_t i = 0; i < first.size(); ++i) {
    const double name = parse(first[i]);
    areQuoted = areQuoted && first[i].isQuoted;
    different.insert(plainText(first[i]));
    if (isTextCell(name) || (isMissingCell(name) && i == 0)) continue;
    if (isMissingCell(name) || !isWhole(name)) return false;
    areYears = areYears && isYear(name);
    isCount = isCount && name == static_cast<double>(names.size());
    double low = INFINITY, high = -INFINITY;
    size_t years = 0;
    for (const std::vector<Cell>& row : rows.subspan(1)) {
      const double value = i < row.size() ? parse(row[i]) : NAN;
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
      years += isYear(value) ? 1 : 0;
    }
    names.push_back(name);
    lessYears += 2 * years < rows.size() - 1 ? 1 : 0;
    constexpr double kFar = 3;
    const double range = std::max({high - low, std::abs(high), 1.0});
    isFar = isFar && low <= high && (name < low - kFar * range || name > high + kFar * range);
  }
  if (names.size() < 2 || rows.size() < 2 || different.size() < first.size()) return false;
  const bool isQuotedBelow =
      std::any_of(rows[1].begin(), rows[1].end(), [](const Cell& cell) { return cell.isQuoted; });
  const bool isUnnamedIndex = isMissingCell(parse(first[0])) && isCount;
  if ((areQuoted && !isQuotedBelow) || isUnnamedIndex ||
      (areYears && areEvenlyStepped(names) && lessYears == names.size())) {
    m_beginning.isHeaderGuessed = true;
    return true;
  }
  const bool isCountOfAll = isCount && names.size() == first.size() && names.size() > 2;
  m_beginning.mayBeHeader = rows.size() > 2 && (isFar || isCountOfAll);
  return false;
}

/// Reads the first row that is not blank, after comments that the options name.
std::vector<CsvTable::Cell> CsvTable::readFirstRow(size_t& at, int64_t& line) {
  std::vector<Cell> first;
  const bool skipsComments = m_options.comment != CsvOptions::kAutoComment;
  for (;;) {
    if (skipsComments && isComment(at, 0, first)) {
      at = std::min(endOfLine(m_bytes, at) + 1, m_bytes.size());
      ++line;
      continue;
    }
    m_beginning.firstLine = line;
    if (!nextRow(at, line, first))
      throw Error(ErrorCode::InvalidFile, m_path,
                  "has no rows (expected one sample per row). Choose a file with data.");
    if (!isBlank(first)) return first;
  }
}

/// Removes the second row if it has units, and returns it. Otherwise returns an empty row.
std::vector<CsvTable::Cell> CsvTable::takeUnits(std::vector<std::vector<Cell>>& rows,
                                                int64_t lineOfSecond) {
  if (m_options.header == CsvOptions::Header::No) return {};
  const bool isAuto = m_options.units == CsvOptions::Units::Auto;
  bool hasUnits = rows.size() > 1 && m_options.units == CsvOptions::Units::Yes;
  if (rows.size() > 2 && isAuto)
    hasUnits = rows[1].size() == rows[0].size() && areUnits(rows[1], std::span(rows).subspan(2)) &&
               std::all_of(rows[0].begin(), rows[0].end(),
                           [&](const Cell& cell) { return isTextCell(parse(cell)); });
  if (!hasUnits) return {};
  std::vector<Cell> units = std::move(rows[1]);
  rows.erase(rows.begin() + 1);
  if (isAuto) m_beginning.unitLine = lineOfSecond;
  return units;
}

/// Names the columns by the first row, or by their indices.
void CsvTable::nameColumns(const std::vector<Cell>& first) {
  for (size_t i = 0; i < first.size(); ++i)
    m_columns.push_back(m_hasHeader ? plainText(first[i]) : std::to_string(i));
  if (m_isHeaderInComment && m_hasHeader && m_columns[0].starts_with("# "))
    m_columns[0].erase(0, m_columns[0].find_first_not_of("# \t"));
  // A column without a name is named by its index, unless another column has this name.
  const std::set<std::string> given(m_columns.begin(), m_columns.end());
  for (size_t i = 0; i < m_columns.size(); ++i)
    if (m_columns[i].empty())
      m_columns[i] = (given.contains(std::to_string(i)) ? "unnamed " : "") + std::to_string(i);
}

void CsvTable::requireDifferentNames() const {
  std::vector<std::string> sorted = m_columns;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    throw Error(ErrorCode::InvalidFile, m_path,
                "has two columns named \"" + excerpt(*twice, 60) + "\" in row " +
                    std::to_string(m_beginning.firstLine) +
                    " (expected different names). Rename one.");
}

void CsvTable::readHeader(size_t& at, int64_t& line) {
  const size_t start = at;
  const int64_t startLine = line;
  // The rows at the beginning, and the positions after the first two of them
  std::vector<std::vector<Cell>> rows{readFirstRow(at, line)};
  const size_t afterFirst = at;
  const int64_t lineAfterFirst = line;
  size_t afterSecond = at;
  int64_t lineAfterSecond = line, lineOfSecond = 0;
  const size_t width = rows[0].size(),
               most = std::clamp<size_t>(kCellsLookedAt / width, 3, kRowsLookedAt + 1);
  for (std::vector<Cell> cells; rows.size() < most;) {
    const int64_t before = line;
    if (!nextDataRow(at, line, width, cells)) break;
    rows.push_back(cells);
    if (rows.size() > 2) continue;
    afterSecond = at;
    lineAfterSecond = line;
    lineOfSecond = std::max(before, line - 1);
  }
  const auto endsEmpty = [](const std::vector<Cell>& row) {
    return row.size() > 1 && !row.back().isQuoted && row.back().raw.empty();
  };
  // Each row may end with a delimiter.
  const bool endsWithDelimiter = rows.size() > 1 && endsEmpty(rows[0]) &&
                                 std::all_of(rows.begin() + 1, rows.end(), [&](const auto& row) {
                                   return row.size() == width && endsEmpty(row);
                                 });
  if (endsWithDelimiter)
    for (std::vector<Cell>& row : rows)
      row.pop_back();
  const std::vector<Cell> units = takeUnits(rows, lineOfSecond);
  m_hasHeader = m_options.header == CsvOptions::Header::Yes ||
                (m_options.header != CsvOptions::Header::No &&
                 (!units.empty() || looksLikeHeader(rows) || hasNumbersAsNames(rows)));
  nameColumns(rows[0]);
  if (!endsWithDelimiter && endsEmpty(rows[0]) && rows.size() > 1 && endsEmpty(rows[1]))
    m_columns.pop_back();
  for (size_t i = 0; i < std::min(units.size(), m_columns.size()); ++i)
    m_beginning.units.push_back(plainText(units[i]));
  if (!m_hasHeader) {
    at = start;
    line = startLine;
    return;
  }
  requireDifferentNames();
  collectLongCells(rows[0], m_beginning.firstLine);
  at = units.empty() ? afterFirst : afterSecond;
  line = units.empty() ? lineAfterFirst : lineAfterSecond;
}

}  // namespace strata

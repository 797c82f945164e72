// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

#include "core/project/project.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata {

namespace {

constexpr uint64_t kMissingBits = 0x7FF8000000000001u, kTextBits = 0x7FF8000000000002u;
constexpr size_t kMaxColumns = 1u << 20, kMaxRowBytes = size_t{64} << 20;
constexpr int64_t kMaxLinesOfCell = 100;

std::string_view trimmedCell(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

bool isHtml(std::string_view text) {
  constexpr size_t kBytesLookedAt = 256;
  std::string begin(text.substr(0, kBytesLookedAt));
  std::transform(begin.begin(), begin.end(), begin.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  begin.erase(0, std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  return begin.starts_with("<!doctype html") || begin.starts_with("<html") ||
         begin.starts_with("<table") || begin.starts_with("<head");
}

}  // namespace

void normalizeRowEnds(std::string& bytes) {
  if (bytes.find('\n') == std::string::npos) std::replace(bytes.begin(), bytes.end(), '\r', '\n');
}

bool isMissingCell(double value) { return std::bit_cast<uint64_t>(value) == kMissingBits; }
bool isTextCell(double value) { return std::bit_cast<uint64_t>(value) == kTextBits; }

CsvTable::Cell CsvTable::quotedCell(size_t begin, size_t size, size_t column, size_t& at,
                                    int64_t& lineNumber) const {
  const char* const data = m_bytes.data();
  const int64_t startLine = lineNumber;
  size_t end = begin + 1;
  for (;; ++end) {
    if (end >= size)
      throw Error(ErrorCode::InvalidFile, m_path,
                  "row " + std::to_string(startLine) + ", column " + std::to_string(column) +
                      ": a quoted cell does not end (expected a \" before the end of the file). "
                      "Correct the quotes.");
    if (data[end] == '\n') ++lineNumber;
    if (data[end] != '"') continue;
    if (end + 1 >= size || data[end + 1] != '"') break;
    ++end;
  }
  Cell cell{{data + begin + 1, end - begin - 1}, true, false, lineNumber - startLine};
  // Text after the closing quote does not belong to the cell.
  for (at = end + 1; at < size && !isDelimiter(data[at]) && data[at] != '\n'; ++at)
    cell.hasTextAfter =
        cell.hasTextAfter || (data[at] != ' ' && data[at] != '\t' && data[at] != '\r');
  return cell;
}

bool CsvTable::nextRow(size_t& at, int64_t& lineNumber, std::vector<Cell>& cells,
                       size_t size) const {
  cells.clear();
  size = std::min(size, m_bytes.size());
  if (at >= size) return false;
  const char* const data = m_bytes.data();
  const size_t rowBegin = at;
  // Several spaces or tabs are one delimiter, and spaces around a row do not count
  const bool joinsSpaces = m_delimiter == ' ';
  const auto skipSpaces = [&] {
    while (joinsSpaces && at < size && (data[at] == ' ' || data[at] == '\t'))
      ++at;
  };
  skipSpaces();
  for (;;) {
    size_t begin = at;
    while (begin < size && data[begin] == ' ')
      ++begin;
    if (begin < size && data[begin] == '"') {
      cells.push_back(quotedCell(begin, size, cells.size() + 1, at, lineNumber));
    }
    else {
      while (at < size && !isDelimiter(data[at]) && data[at] != '\n')
        ++at;
      size_t end = at;
      // Some programs write several carriage returns.
      if (at == size || data[at] == '\n')
        while (end > begin && data[end - 1] == '\r')
          --end;
      cells.push_back({trimmedCell({data + std::min(begin, end), end - std::min(begin, end)})});
    }
    if (cells.size() > kMaxColumns)
      throw Error(ErrorCode::InvalidFile, m_path,
                  "row " + std::to_string(lineNumber) + " has more than " +
                      std::to_string(kMaxColumns) +
                      " cells. Check that it is a table, or choose another file.");
    if (at - rowBegin > kMaxRowBytes)
      throw Error(ErrorCode::InvalidFile, m_path,
                  "row " + std::to_string(lineNumber) + " has more than " +
                      std::to_string(kMaxRowBytes) +
                      " bytes. Check that it is a table, or choose another file.");
    skipSpaces();
    if (joinsSpaces && data[std::min(at, size - 1)] == '\r' &&
        (at + 1 >= size || data[at + 1] == '\n'))
      ++at;
    if (at >= size) return true;
    if (joinsSpaces && data[at] != '\n') continue;
    const bool isEnd = data[at] == '\n';
    ++at;
    if (isEnd) {
      ++lineNumber;
      return true;
    }
  }
}

void CsvTable::collectLongCells(const std::vector<Cell>& cells, int64_t line) {
  for (size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].breaks == 0) continue;
    const auto begin = static_cast<size_t>(cells[i].raw.data() - m_bytes.data());
    m_longCells.push_back({line, line + cells[i].breaks, i, begin, begin + cells[i].raw.size(),
                           cells[i].hasTextAfter});
    line += cells[i].breaks;
  }
}

std::vector<bool> CsvTable::numberColumns() const {
  std::vector<size_t> counts(m_columns.size(), 0);
  for (size_t i = 0; i < m_numbers.size(); ++i)
    if (!isTextCell(m_numbers[i]) && !isMissingCell(m_numbers[i])) ++counts[i % m_columns.size()];
  std::vector<bool> result;
  for (const size_t count : counts)
    result.push_back(2 * count > numRows());
  return result;
}

int64_t CsvTable::rowWithin(const LongCell& cell, const std::vector<bool>& isNumber) const {
  int64_t line = cell.line + 1;
  std::vector<Cell> cells;
  for (size_t at = m_bytes.find('\n', cell.begin) + 1; at < cell.end; ++line) {
    const size_t end = m_bytes.find('\n', at);
    // The cell ends within this line, so the line is not a row.
    if (end >= cell.end) return 0;
    bool isRow = false;
    try {
      size_t place = at;
      int64_t ignored = 0;
      isRow = nextRow(place, ignored, cells, end) && cells.size() == m_columns.size();
    }
    catch (const Error&) {
      // The line contains a quoted cell that does not end, so it is not a row.
    }
    bool hasNumber = false;
    for (size_t i = 0; isRow && i < cells.size(); ++i) {
      if (!isNumber[i]) continue;
      const double value = parse(cells[i]);
      isRow = !isTextCell(value);
      hasNumber = hasNumber || !isMissingCell(value);
    }
    if (isRow && hasNumber) return line;
    at = end + 1;
  }
  return 0;
}

/// Fails if there are signs of a missing closing quote in a cell with several lines. Text after its
/// closing quote is always such a sign. If long cells are not allowed, these are signs, too: a line
/// in the cell that looks like a row of the table, too many lines, or too many such cells.
void CsvTable::requireNoLostQuote() {
  if (m_longCells.empty()) return;
  const auto fail = [&](const LongCell& cell, const std::string& what) {
    throw Error(ErrorCode::InvalidFile, m_path,
                "row " + std::to_string(cell.line) + ", column " + std::to_string(cell.column + 1) +
                    ": a quoted cell ends in row " + std::to_string(cell.lastLine) + what);
  };
  const std::string orSet =
      ", or set long_cells of the source to true if cells may contain line breaks.";
  const std::vector<bool> isNumber = m_options.hasLongCells ? std::vector<bool>() : numberColumns();
  for (const LongCell& cell : m_longCells) {
    const std::string row = std::to_string(cell.line);
    if (cell.hasTextAfter)
      fail(cell, " with text after its closing quote (expected that quote in row " + row +
                     "). Close it in row " + row + ".");
    if (m_options.hasLongCells) continue;
    if (const int64_t within = rowWithin(cell, isNumber); within > 0)
      fail(cell, " (expected its closing quote in row " + row + "; row " + std::to_string(within) +
                     " inside it is a row of the table). Close the quote in row " + row + orSet);
    if (cell.lastLine - cell.line >= kMaxLinesOfCell)
      fail(cell, " (expected at most " + std::to_string(kMaxLinesOfCell) +
                     " lines in a cell). Close the quote in row " + row + orSet);
  }
  if (m_options.hasLongCells)
    m_longCells.clear();
  else if (m_longCells.size() > kMaxLongCells)
    fail(m_longCells[0], ", as " + std::to_string(m_longCells.size()) +
                             " cells end in a later row (expected at most " +
                             std::to_string(kMaxLongCells) + "). Close the quotes" + orSet);
}

double CsvTable::parse(const Cell& cell) const {
  std::string_view text = cell.isQuoted ? trimmedCell(cell.raw) : cell.raw;
  if (text.empty()) return std::bit_cast<double>(kMissingBits);
  if (m_beginsMissing[static_cast<unsigned char>(text.front())] &&
      (!cell.isQuoted || m_options.isQuotedMissing))
    for (const std::string& word : m_options.missing)
      if (text == word) return std::bit_cast<double>(kMissingBits);
  if (text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  std::from_chars_result parsed{};
  if (m_options.decimal == ',' && text.find(',') != std::string_view::npos) {
    std::string plain(text);
    std::replace(plain.begin(), plain.end(), ',', '.');
    const auto result = std::from_chars(plain.data(), plain.data() + plain.size(), value);
    parsed = {text.data() + (result.ptr - plain.data()), result.ec};
  }
  else {
    parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  }
  if (parsed.ptr != text.data() + text.size() || parsed.ec == std::errc::invalid_argument)
    return std::bit_cast<double>(kTextBits);
  // A number that is too small becomes 0, and one that is too large is text.
  if (parsed.ec == std::errc::result_out_of_range) {
    const size_t exponent = text.find_first_of("eE");
    const bool isSmall = exponent != std::string_view::npos
                             ? text.substr(exponent + 1).starts_with('-')
                             : text.find_first_of("123456789") > text.find('.');
    return isSmall ? 0.0 : std::bit_cast<double>(kTextBits);
  }
  if (std::isnan(value)) return std::bit_cast<double>(kMissingBits);
  return std::isfinite(static_cast<float>(value)) ? value : std::bit_cast<double>(kTextBits);
}

std::string CsvTable::plainText(const Cell& cell) {
  if (!cell.isQuoted) return std::string(cell.raw);
  std::string result;
  result.reserve(cell.raw.size());
  for (size_t i = 0; i < cell.raw.size(); ++i) {
    result += cell.raw[i];
    if (cell.raw.substr(i, 2) == "\"\"") ++i;
  }
  return result;
}

CsvTable::CsvTable(const std::string& path, const CsvOptions& options)
    : m_path(path), m_options(options) {
  for (const std::string& word : m_options.missing)
    if (!word.empty()) m_beginsMissing[static_cast<unsigned char>(word.front())] = true;
  m_bytes = readFile(path, std::max<size_t>(size_t{64} << 20, availableMemoryBytes() / 4));
  normalizeRowEnds(m_bytes);
  if (m_bytes.starts_with("\xEF\xBB\xBF")) m_begin = 3;
  if (m_bytes.starts_with("\xFF\xFE") || m_bytes.starts_with("\xFE\xFF") ||
      m_bytes.substr(0, 4096).find('\0') != std::string::npos)
    throw Error(ErrorCode::InvalidFile, path,
                "is not plain text (expected UTF-8, got UTF-16 or a binary file). Save it as CSV "
                "in UTF-8.");
  if (const size_t bad = firstNotUtf8(m_bytes); bad < m_bytes.size())
    throw Error(ErrorCode::InvalidFile, path,
                "line " +
                    std::to_string(
                        1 + std::count(m_bytes.begin(),
                                       m_bytes.begin() + static_cast<std::ptrdiff_t>(bad), '\n')) +
                    " is not UTF-8 (expected text in UTF-8, got another encoding, such as GBK or "
                    "Latin-1). Save it as CSV in UTF-8.");
  if (isHtml(std::string_view(m_bytes).substr(m_begin)))
    throw Error(ErrorCode::InvalidFile, path,
                "is an HTML page, not a table (expected CSV). Download the file that the page "
                "shows, or export the table as CSV.");
  size_t at = m_begin;
  int64_t lineNumber = 1;
  readBeginning(at, lineNumber);
  if (m_delimiter == m_options.decimal)
    throw Error(ErrorCode::InvalidFile, path,
                std::string("cells and decimals use the same separator ('") + m_delimiter +
                    "'). Set delimiter or decimal of the source.");
  readHeader(at, lineNumber);
  readRows(at, lineNumber);
}

void CsvTable::readRows(size_t at, int64_t lineNumber) {
  std::vector<Cell> cells;
  const size_t columns = m_columns.size();
  const size_t guess = std::count(m_bytes.begin(), m_bytes.end(), '\n') + 1;
  m_numbers.reserve(std::min(guess * columns, m_bytes.size()));
  m_rowStarts.reserve(guess);
  m_lines.reserve(guess);
  m_marks.resize(columns);
  for (;;) {
    const int64_t rowLine = lineNumber;
    if (isComment(at, columns, cells)) {
      noteComment(at, lineNumber);
      at = std::min(m_bytes.find('\n', at), m_bytes.size() - 1) + 1;
      ++lineNumber;
      continue;
    }
    const size_t start = at;
    if (!nextRow(at, lineNumber, cells)) break;
    if (isBlank(cells)) continue;
    if (lineNumber > rowLine + 1 || at >= m_bytes.size()) collectLongCells(cells, rowLine);
    if (cells.size() == columns + 1 && cells.back().raw.empty() && !cells.back().isQuoted)
      // Each row may end with a delimiter.
      cells.pop_back();
    if (cells.size() != columns) {
      m_ragged.push_back(
          {m_rowStarts.size(), "row " + std::to_string(rowLine) + " has " +
                                   counted(static_cast<int64_t>(cells.size()), "cell") +
                                   " (expected " + std::to_string(columns) + ")."});
      continue;
    }
    m_rowStarts.push_back(start);
    m_lines.push_back(rowLine);
    for (size_t i = 0; i < columns; ++i) {
      m_numbers.push_back(parse(cells[i]));
      mark(m_marks[i], cells[i], m_numbers.back());
    }
  }
  requireNoLostQuote();
  clearQuotedWords();
  if (m_rowStarts.empty() && m_ragged.empty())
    throw Error(ErrorCode::InvalidFile, m_path,
                "has a row of names but no samples (expected one sample per row). Choose a file "
                "with data.");
}

void CsvTable::clearQuotedWords() {
  const size_t columns = m_columns.size();
  for (size_t column = 0; column < columns; ++column) {
    std::vector<size_t> words;
    bool hasNumber = false, hasOtherText = false;
    for (size_t row = 0; row < numRows() && !hasOtherText; ++row) {
      const double value = number(row, column);
      hasNumber = hasNumber || !(isMissingCell(value) || isTextCell(value));
      if (!isTextCell(value)) continue;
      words.push_back(row);
      hasOtherText =
          std::ranges::find(m_options.missing, text(row, column)) == m_options.missing.end();
    }
    if (!hasNumber || hasOtherText) continue;
    for (const size_t row : words)
      m_numbers[row * columns + column] = std::bit_cast<double>(kMissingBits);
  }
}

void CsvTable::mark(Marks& marks, const Cell& cell, double value) const {
  if (isMissingCell(value)) return;
  if (isTextCell(value)) {
    marks.hasOtherNumber = marks.hasOtherNumber || looksLikeNumber(cell);
    return;
  }
  if (marks.hasPlainPoint || cell.raw.find('.') == std::string_view::npos) return;
  const std::optional<NumberParts> parts = splitNumber(trimmedCell(cell.raw));
  if (parts && ambiguousMark(parts->body) == '.')
    marks.hasGroupingPoint = true;
  else
    marks.hasPlainPoint = true;
}

void CsvTable::eachRow(
    const std::function<void(size_t, std::span<const std::string_view>)>& take) const {
  std::vector<Cell> cells;
  std::vector<std::string_view> texts(m_columns.size());
  for (size_t row = 0; row < numRows(); ++row) {
    size_t at = m_rowStarts[row];
    int64_t ignored = 0;
    nextRow(at, ignored, cells);
    for (size_t i = 0; i < texts.size(); ++i)
      texts[i] = trimmedCell(cells[i].raw);
    take(row, texts);
  }
}

void CsvTable::setFormats(const std::map<size_t, NumberFormat>& formats) {
  if (formats.empty()) return;
  eachRow([&](size_t row, std::span<const std::string_view> texts) {
    for (const auto& [column, format] : formats) {
      double& number = m_numbers[row * m_columns.size() + column];
      if (isMissingCell(number)) continue;
      number = parseNumber(texts[column], format).value_or(std::bit_cast<double>(kTextBits));
    }
  });
}

std::vector<std::string> CsvTable::texts(size_t row) const {
  size_t at = m_rowStarts[row];
  int64_t lineNumber = 0;
  std::vector<Cell> cells;
  nextRow(at, lineNumber, cells);
  std::vector<std::string> result;
  for (const Cell& cell : cells)
    result.push_back(plainText(cell));
  return result;
}

std::string CsvTable::text(size_t row, size_t column) const { return texts(row).at(column); }

std::string CsvTable::rowName(size_t row) const { return "row " + std::to_string(m_lines[row]); }

}  // namespace strata

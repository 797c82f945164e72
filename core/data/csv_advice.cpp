// SPDX-License-Identifier: Apache-2.0
// The part of CsvTable that finds the names of columns where the fields of the source do not expect
// them: after other lines, after comments with another mark, or with another delimiter.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/csv.h"
#include "core/data/number_format.h"

namespace strata {

namespace {

struct TextLine {
  std::string_view text;
  int64_t number = 0;
};

/// Returns the first lines that are not blank, from line `first`.
std::vector<TextLine> linesFrom(std::string_view text, int64_t first) {
  constexpr size_t kLinesLookedAt = 30;
  std::vector<TextLine> lines;
  int64_t number = 1;
  for (size_t at = 0; at < text.size() && lines.size() < kLinesLookedAt; ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    while (line.ends_with('\r'))
      line.remove_suffix(1);
    if (number >= first && line.find_first_not_of(" \t") != std::string_view::npos)
      lines.push_back({line, number});
    at = end + 1;
  }
  return lines;
}

std::vector<std::string_view> cellsOfText(std::string_view line, char delimiter) {
  std::vector<std::string_view> cells;
  bool isQuoted = false;
  size_t begin = 0;
  for (size_t at = 0; at <= line.size(); ++at) {
    if (at < line.size() && line[at] == '"') isQuoted = !isQuoted;
    if (at < line.size() && (isQuoted || line[at] != delimiter)) continue;
    std::string_view cell = withoutInvisible(line.substr(begin, at - begin));
    if (cell.size() > 1 && cell.front() == '"' && cell.back() == '"')
      cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    begin = at + 1;
  }
  return cells;
}

bool isNumberText(std::string_view cell) {
  const std::optional<NumberParts> parts = splitNumber(cell);
  return parts && std::any_of(kSeparators.begin(), kSeparators.end(), [&](const Separators& each) {
           return valueOf(parts->body, each).has_value();
         });
}

/// Whether the line has names, and the next one has a number and as many cells, as have all others.
bool areNames(const std::vector<TextLine>& lines, size_t place, char delimiter, size_t& width) {
  if (place + 1 >= lines.size()) return false;
  const std::vector<std::string_view> names = cellsOfText(lines[place].text, delimiter),
                                      first = cellsOfText(lines[place + 1].text, delimiter);
  width = names.size();
  if (width < 2 || std::none_of(first.begin(), first.end(), isNumberText)) return false;
  // The last name is missing if each row ends with a delimiter.
  for (size_t i = 0; i < width; ++i)
    if (isNumberText(names[i]) || (names[i].empty() && i + 1 < width)) return false;
  return std::all_of(
      lines.begin() + static_cast<std::ptrdiff_t>(place) + 1, lines.end(),
      [&](const TextLine& line) { return cellsOfText(line.text, delimiter).size() == width; });
}

/// Returns the mark with which all these lines begin, or "" without one.
std::string commonMark(std::span<const TextLine> lines) {
  for (const std::string_view mark : {"#", "%", "//", "--", "!", "*", ";", "@", ">"})
    if (std::all_of(lines.begin(), lines.end(),
                    [&](const TextLine& line) { return line.text.starts_with(mark); }))
      return std::string(mark);
  return {};
}

}  // namespace

std::optional<CsvTable::NamesElsewhere> CsvTable::namesElsewhere() const {
  if (m_hasHeader || m_options.header != CsvOptions::Header::Auto) return std::nullopt;
  std::vector<TextLine> lines =
      linesFrom(std::string_view(m_bytes).substr(m_begin), m_options.skipLines + 1);
  // A line such as "sep=;" belongs to the table.
  const bool isDeclared = !lines.empty() && lines[0].text.find("sep=") < 2;
  if (isDeclared) lines.erase(lines.begin());
  NamesElsewhere found;
  size_t best = lines.size(), bestWidth = 0;
  for (const char delimiter : {',', ';', '\t', '|', ' '})
    for (size_t place = 0; place < std::min(best + 1, lines.size()); ++place) {
      size_t width = 0;
      if (!areNames(lines, place, delimiter, width)) continue;
      if (place < best || width > bestWidth) {
        best = place;
        bestWidth = width;
        found.delimiter = delimiter;
      }
      break;
    }
  if (best == lines.size()) return std::nullopt;
  found.line = lines[best].number;
  found.names = std::string(lines[best].text);
  const bool isOther = found.delimiter != m_delimiter && bestWidth > m_columns.size();
  if (best > 0) found.comment = commonMark(std::span(lines).first(best));
  if (best > 0 && found.comment.empty()) found.skipLines = found.line - 1;
  // Without other lines before it, the delimiter of the first row is recognized.
  const bool isRecognized =
      found.skipLines > 0 && m_options.delimiter == '\0' && !isDeclared && found.delimiter != ' ';
  if (!isOther || isRecognized) found.delimiter = '\0';
  const bool isNothing = found.delimiter == '\0' && found.comment.empty() && found.skipLines == 0;
  return isNothing ? std::nullopt : std::optional(found);
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv_delimiter.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <string>
#include <vector>

namespace strata {

namespace {

constexpr std::array<char, 4> kDelimiters{',', ';', '\t', '|'};
// Number of rows that are looked at
constexpr size_t kRowsCounted = 100;

/// What the rows at the beginning of a text contain outside quotes.
struct DelimiterCounts {
  // Number of each of kDelimiters
  std::array<size_t, kDelimiters.size()> counts{};
  // Whether each comma stands between two digits
  bool areCommasInNumbers = true;
  // Number of words between spaces and tabs, and whether all are quoted or numbers
  size_t words = 0;
  bool areWordsNumbers = true;
  // Whether several spaces or tabs separate two words
  bool hasWideGap = false;
  std::string_view text;
};

bool isNumeral(char c) { return c >= '0' && c <= '9'; }
bool isGap(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// Whether a word looks like a number with a decimal point or comma, or like a missing value.
bool isNumberWord(std::string_view word) {
  if (word == "?" || word == "NA" || word == "nan" || word == "NaN") return true;
  std::string plain(word);
  const auto comma = plain.find(',');
  if (comma != std::string::npos) plain[comma] = '.';
  if (plain.starts_with('+')) plain.erase(0, 1);
  double value = 0;
  const char* const end = plain.data() + plain.size();
  const auto [parsed, error] = std::from_chars(plain.data(), end, value);
  return error == std::errc() && parsed == end;
}

/// Whether spaces only separate groups of three digits in the cells of a row, as in "1 200".
bool areSpacesInNumbers(std::string_view row, char delimiter) {
  size_t digits = 0;
  bool hasSpace = false;
  for (size_t at = 0; at <= row.size(); ++at) {
    const char c = at < row.size() ? row[at] : delimiter;
    if (isNumeral(c)) {
      ++digits;
      continue;
    }
    if (hasSpace && digits != 3) return false;
    if (c == ' ' && digits > 3) return false;
    if (c == delimiter) hasSpace = false;
    if (c == ' ' && digits > 0) hasSpace = true;
    digits = 0;
  }
  return true;
}

/// Counts the delimiters of the first rows. Leaves out blank lines and comments, which begin with
/// `comment`.
class RowCounter {
 public:
  RowCounter(std::string_view text, std::string_view comment)
      : m_text(text.substr(0, kBytesLookedAt)),
        m_comment(comment),
        m_isCut(text.size() > m_text.size()) {}

  std::vector<DelimiterCounts> count() {
    for (size_t at = 0; at < m_text.size() && m_rows.size() < kRowsCounted;) {
      size_t begin = m_text.find_first_not_of(" \t\r", at);
      begin = std::min(begin, m_text.size());
      if (begin == m_text.size()) break;
      if (m_text[begin] == '\n')
        at = begin + 1;
      else if (!m_comment.empty() && m_text.substr(begin).starts_with(m_comment))
        at = std::min(m_text.find('\n', begin), m_text.size()) + 1;
      else
        at = countRow(at) + 1;
    }
    return std::move(m_rows);
  }

 private:
  static constexpr size_t kBytesLookedAt = size_t{1} << 20;

  bool isDigitAt(size_t at) const { return at < m_text.size() && isNumeral(m_text[at]); }

  /// Counts a row, and returns the place of its end. The last row may be cut off, so it only counts
  /// if it is the only one.
  size_t countRow(size_t at) {
    DelimiterCounts row;
    const size_t begin = at;
    size_t word = std::string_view::npos, gap = 0;
    bool isQuoted = false, isWordQuoted = false;
    for (; at < m_text.size() && (isQuoted || m_text[at] != '\n'); ++at) {
      const char c = m_text[at];
      // A quote opens only at the beginning of a cell, or again after it was closed
      const bool mayOpen = at == begin || isGap(m_text[at - 1]) || m_text[at - 1] == '"' ||
                           std::ranges::find(kDelimiters, m_text[at - 1]) != kDelimiters.end();
      if (c == '"' && (isQuoted || mayOpen)) {
        isQuoted = !isQuoted;
        isWordQuoted = true;
      }
      if (isQuoted) {
        word = std::min(word, at);
        continue;
      }
      if (isGap(c)) {
        endWord(row, word, at, isWordQuoted);
        ++gap;
      }
      else if (word == std::string_view::npos) {
        row.hasWideGap = row.hasWideGap || (row.words > 0 && gap > 1);
        word = at;
        gap = 0;
      }
      for (size_t i = 0; i < kDelimiters.size(); ++i)
        if (c == kDelimiters[i]) ++row.counts[i];
      if (c == ',' && !(at > 0 && isDigitAt(at - 1) && isDigitAt(at + 1)))
        row.areCommasInNumbers = false;
    }
    endWord(row, word, at, isWordQuoted);
    row.text = m_text.substr(begin, at - begin);
    const bool isPart = m_isCut && at == m_text.size() && !m_rows.empty();
    if (!isPart) m_rows.push_back(row);
    return at;
  }

  void endWord(DelimiterCounts& row, size_t& word, size_t end, bool& isQuoted) const {
    if (word == std::string_view::npos) return;
    ++row.words;
    row.areWordsNumbers =
        row.areWordsNumbers && (isQuoted || isNumberWord(m_text.substr(word, end - word)));
    word = std::string_view::npos;
    isQuoted = false;
  }

  const std::string_view m_text, m_comment;
  // Whether there is more text
  const bool m_isCut;
  std::vector<DelimiterCounts> m_rows;
};

/// Whether spaces and tabs separate the cells of these rows: each row has the same number of words,
/// and either no other delimiter occurs, or tabs and decimal commas stand between numbers alone.
/// `usual` is the number of the most frequent delimiter in the first row.
bool areSpacesDelimiters(const std::vector<DelimiterCounts>& rows, char delimiter, size_t usual) {
  const auto isEach = [&](const auto& condition) {
    return std::ranges::all_of(rows, condition);
  };
  const size_t words = rows[0].words;
  if (words < 2 || !isEach([&](const DelimiterCounts& row) { return row.words == words; }))
    return false;
  if (usual == 0) return true;
  const bool areNumbers =
      std::all_of(rows.begin() + (rows.size() > 1 ? 1 : 0), rows.end(),
                  [](const DelimiterCounts& row) { return row.areWordsNumbers; });
  if (!areNumbers) return false;
  if (delimiter == '\t')
    return words > usual + 1 &&
           std::ranges::any_of(rows, [](const DelimiterCounts& row) { return row.hasWideGap; });
  return delimiter == ',' && isEach([](const DelimiterCounts& row) {
           return row.areCommasInNumbers && !areSpacesInNumbers(row.text, ',');
         });
}

}  // namespace

char likelyDelimiter(std::string_view text, char decimal, std::string_view comment) {
  const std::vector<DelimiterCounts> rows = RowCounter(text, comment).count();
  if (rows.empty()) return ',';
  const bool isDecimalComma = decimal == ',';
  auto first = rows[0].counts;
  if (isDecimalComma) first[0] = 0;
  const auto most =
      static_cast<size_t>(std::max_element(first.begin(), first.end()) - first.begin());
  if (areSpacesDelimiters(rows, kDelimiters[most], first[most])) return ' ';
  const auto isEach = [&](const auto& condition) {
    return std::ranges::all_of(rows, condition);
  };
  if (most == 0 && isEach([](const DelimiterCounts& row) { return row.areCommasInNumbers; }))
    for (size_t i = 1; i < kDelimiters.size(); ++i)
      if (first[i] > 0 &&
          isEach([&](const DelimiterCounts& row) { return row.counts[i] == first[i]; }))
        return kDelimiters[i];
  return isDecimalComma && first[most] == 0 ? ';' : kDelimiters[most];
}

}  // namespace strata

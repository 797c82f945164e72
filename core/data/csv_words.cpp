// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv_words.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/data/csv_fields.h"
#include "core/data/number_format.h"
#include "core/data/source.h"
#include "core/project/text.h"

namespace strata {

namespace {

/// What most texts of a column are.
enum class TextKind : uint8_t { Dates, Ranges, Fractions, Hexadecimal, Numbers, Other };
constexpr size_t kTextKinds = static_cast<size_t>(TextKind::Other);

constexpr const char* kCategorical = "/data/source/categorical";

bool isAsciiDigit(char c) { return c >= '0' && c <= '9'; }
bool isAsciiLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Returns the text with 9 for each number, a for each word, and - for each dash.
std::string outlineOf(const std::string& text) {
  std::string outline;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (text.compare(i, 2, "\xE2\x80") == 0 && i + 2 < text.size()) {
      c = '-';
      i += 2;
    }
    if (isAsciiDigit(c)) c = '9';
    if (isAsciiLetter(c)) c = 'a';
    if ((c == '9' || c == 'a' || c == ' ') && !outline.empty() && outline.back() == c) continue;
    outline += c;
  }
  return outline;
}

bool isHexadecimal(const std::string& text) {
  return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') &&
         std::all_of(text.begin() + 2, text.end(), [](char c) {
           return isAsciiDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
         });
}

TextKind kindOf(const std::string& text) {
  static constexpr std::array<std::string_view, 6> kDates{"9-9-9", "9/9/9", "9.9.9",
                                                          "9 a 9", "9-a-9", "a 9, 9"};
  static constexpr std::array<std::string_view, 11> kRanges{
      "9-9", "9 - 9", "9.9-9.9", "9.9 - 9.9", "9.9-9", "9-9.9", "<9", ">9", "<9.9", ">9.9", "9+"};
  if (isHexadecimal(text)) return TextKind::Hexadecimal;
  const std::string outline = outlineOf(text);
  const auto isIn = [&](const auto& list) {
    return std::find(list.begin(), list.end(), outline) != list.end();
  };
  if (isIn(kRanges) || (outline == "9 a 9" && text.find(" to ") != std::string::npos))
    return TextKind::Ranges;
  if (outline == "9/9") return TextKind::Fractions;
  // A date may be followed by a time.
  const bool isTime = outline.starts_with("9:9") || outline.find(" 9:9") != std::string::npos ||
                      outline.find("a9:9") != std::string::npos;
  if (isIn(kDates) || isTime) return TextKind::Dates;
  const bool isNumber =
      outline.find('9') != std::string::npos && outline.find('a') == std::string::npos;
  return isNumber ? TextKind::Numbers : TextKind::Other;
}

/// Returns what most of the words are.
TextKind kindOfMost(const std::vector<std::string>& words) {
  std::array<size_t, kTextKinds> counts{};
  for (const std::string& word : words)
    if (const TextKind kind = kindOf(word); kind != TextKind::Other)
      ++counts[static_cast<size_t>(kind)];
  const auto most = std::max_element(counts.begin(), counts.end());
  // A few other words may be damaged cells.
  if (words.size() < 2 || *most * 10 < words.size() * 8) return TextKind::Other;
  return static_cast<TextKind>(most - counts.begin());
}

Text messageOf(TextKind kind) {
  switch (kind) {
    case TextKind::Dates:
      return STRATA_TEXT("data",
                         "Columns with dates or times: %1. Each different text, such as '%2', is a "
                         "category. Write them as numbers, such as days since the first date, or "
                         "add them to ignore. Add them to categorical to confirm this.");
    case TextKind::Ranges:
      return STRATA_TEXT("data",
                         "Columns with ranges or limits of numbers: %1. Each different text, such "
                         "as '%2', is a category. Write a number, such as the middle of the range. "
                         "Add them to categorical to confirm this.");
    case TextKind::Fractions:
      return STRATA_TEXT("data",
                         "Columns with fractions: %1. Each different text, such as '%2', is a "
                         "category. Write decimal numbers. Add them to categorical to confirm "
                         "this.");
    case TextKind::Numbers:
      return STRATA_TEXT("data",
                         "Columns with numbers in a notation that is not recognized: %1. Each "
                         "different text, such as '%2', is a category. Write numbers such as "
                         "1234.5. Add them to categorical to confirm this.");
    default:
      return STRATA_TEXT("data",
                         "Columns with hexadecimal numbers: %1. Each different text, such as "
                         "'%2', is a category. Write decimal numbers. Add them to categorical to "
                         "confirm this.");
  }
}

Fix listFix(const Json& fields, const char* field, const std::vector<std::string>& names) {
  std::vector<std::string> all = namesOf(fields.at(field));
  all.insert(all.end(), names.begin(), names.end());
  return setFix(std::string("/data/source/") + field, all);
}

/// Returns the word with the numbers of its invisible characters, such as "yes<U+00A0>".
std::string visibleWord(const std::string& word) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kHidden{
      {{"\xC2\xA0", "<U+00A0>"},
       {"\xE2\x80\x8B", "<U+200B>"},
       {"\xE2\x80\xAF", "<U+202F>"},
       {"\xEF\xBB\xBF", "<U+FEFF>"}}};
  std::string shown = word;
  for (const auto& [character, name] : kHidden)
    for (size_t at = shown.find(character); at != std::string::npos;
         at = shown.find(character, at + name.size()))
      shown.replace(at, character.size(), name);
  return "\"" + excerpt(shown, 40) + "\"";
}

void warnOfWords(Diagnostics& notes, const char* code, const char* field, Text message,
                 Arguments arguments, std::vector<Fix> fixes) {
  addProblem(notes, code, field, message, std::move(arguments));
  notes.back().severity = Severity::Warning;
  notes.back().fixes = std::move(fixes);
}

void reportSimilarWordsOf(const std::string& column, const std::vector<std::string>& words,
                          const std::map<std::string, size_t>& counts, bool isLabel,
                          const Json& fields, Diagnostics& notes) {
  constexpr size_t kMaxShown = 6;
  std::vector<std::string> shown;
  const std::vector<std::string> similar = similarWords(words);
  for (size_t i = 0; i < std::min(similar.size(), kMaxShown); ++i) {
    const auto count = counts.find(similar[i]);
    shown.push_back(visibleWord(similar[i]) + " (" +
                    std::to_string(count == counts.end() ? 0 : count->second) + ")");
  }
  if (similar.size() > kMaxShown) shown.emplace_back("...");
  const Arguments arguments{excerpt(column, 60), joinedNames(shown)};
  warnOfWords(
      notes, "similar_words", isLabel ? "/data/source/label" : kCategorical,
      isLabel
          ? STRATA_TEXT("data",
                        "Column \"%1\": labels that differ only by case or spaces are different "
                        "classes (with their rows: %2). Write them the same way in the file, or "
                        "add the column to categorical to confirm this.")
          : STRATA_TEXT("data",
                        "Column \"%1\": words that differ only by case or spaces are different "
                        "categories (with their rows: %2). Write them the same way in the file, "
                        "or add the column to categorical to confirm this."),
      arguments, {listFix(fields, "categorical", {column})});
}

}  // namespace

std::string foldedWord(const std::string& word) {
  std::string folded(withoutInvisible(word));
  std::transform(folded.begin(), folded.end(), folded.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return folded;
}

std::vector<std::string> similarWords(const std::vector<std::string>& words) {
  std::map<std::string, std::vector<std::string>> groups;
  for (const std::string& word : words)
    groups[foldedWord(word)].push_back(word);
  std::vector<std::string> similar;
  for (const auto& [folded, members] : groups)
    if (members.size() > 1) similar.insert(similar.end(), members.begin(), members.end());
  return similar;
}

std::set<std::string> likelyMissingWords(const CsvTable& table, size_t column, bool areUsual) {
  static constexpr std::array<std::string_view, 15> kUsual{
      "n/a", "na",   "n.a.",    "<na>",    "#n/a", "#na",     "nan",    "null",
      "nil", "none", "missing", "unknown", "\\n",  "#value!", "#div/0!"};
  std::map<std::string, size_t> counts;
  constexpr size_t kMaxWords = 5;
  for (size_t row = 0; row < table.numRows() && counts.size() <= kMaxWords; ++row)
    if (isTextCell(table.number(row, column))) ++counts[table.text(row, column)];
  if (counts.empty() || counts.size() > kMaxWords) return {};
  const auto isUsual = [](const std::string& word) {
    const std::string folded = foldedWord(word);
    return folded.find_first_not_of("-.*?_") == std::string::npos ||
           std::find(kUsual.begin(), kUsual.end(), folded) != kUsual.end();
  };
  std::set<std::string> words;
  for (const auto& [word, count] : counts) {
    const bool isOnly = !areUsual && counts.size() == 1 && count > 1 &&
                        std::none_of(word.begin(), word.end(), isAsciiDigit);
    if (!isUsual(word) && !isOnly) return {};
    words.insert(word);
  }
  return words;
}

Fix missingWordsFix(const Json& fields, const std::set<std::string>& words) {
  std::vector<std::string> all = namesOf(fields.at("missing_words")), shown;
  for (const std::string& word : words) {
    all.push_back(word);
    shown.push_back("\"" + excerpt(word, 40) + "\"");
  }
  Fix fix = setFix("/data/source/missing_words", all);
  fix.label = STRATA_TEXT("data", "Add %1 to missing_words");
  fix.arguments = {joinedNames(shown)};
  return fix;
}

void reportColumnsWithoutValues(const std::vector<TableEncoding>& encodings, const CsvTable& table,
                                const std::vector<size_t>& rows, const Json& fields,
                                Diagnostics& notes) {
  std::vector<std::string> names, shown;
  for (const TableEncoding& encoding : encodings) {
    if (encoding.missing != MissingPolicy::Mean && encoding.missing != MissingPolicy::Median)
      continue;
    const std::vector<size_t> places = findColumns(table, inputNames(encoding), "an input");
    for (size_t i = 0; i < places.size(); ++i) {
      const TableColumn& column = encoding.inputs[i];
      const size_t place = places[i];
      const bool isEmpty = std::all_of(rows.begin(), rows.end(), [&](size_t row) {
        return isMissingCell(table.number(row, place));
      });
      if (!isEmpty) continue;
      names.push_back(column.name);
      shown.push_back("\"" + excerpt(column.name, 60) + "\"");
    }
  }
  if (names.empty()) return;
  warnOfWords(notes, "empty_column", "/data/source/ignore",
              STRATA_TEXT("data",
                          "Columns without a value in the training set: %1. They have no %2, so 0 "
                          "replaces their missing values. Add them to ignore."),
              {joinedNames(shown), fields.at("missing").get<std::string>()},
              {listFix(fields, "ignore", names)});
}

std::set<std::string> reportTextsOfNumbers(const std::vector<TableEncoding>& encodings,
                                           const std::set<std::string>& known, const Json& fields,
                                           Diagnostics& notes) {
  const std::vector<std::string> confirmed = namesOf(fields.at("categorical"));
  std::array<std::vector<std::string>, kTextKinds> found;
  std::array<std::string, kTextKinds> examples;
  std::set<std::string> reported = known;
  for (const TableEncoding& encoding : encodings)
    for (const TableColumn& column : encoding.inputs) {
      const TextKind kind = column.isCategorical ? kindOfMost(column.categories) : TextKind::Other;
      if (kind == TextKind::Other || reported.contains(column.name) ||
          std::find(confirmed.begin(), confirmed.end(), column.name) != confirmed.end())
        continue;
      const auto place = static_cast<size_t>(kind);
      found[place].push_back(column.name);
      reported.insert(column.name);
      const auto example = std::find_if(column.categories.begin(), column.categories.end(),
                                        [&](const auto& word) { return kindOf(word) == kind; });
      if (examples[place].empty()) examples[place] = *example;
    }
  for (size_t i = 0; i < kTextKinds; ++i) {
    if (found[i].empty()) continue;
    std::vector<std::string> shown;
    for (const std::string& name : found[i])
      shown.push_back("\"" + excerpt(name, 60) + "\"");
    std::vector<Fix> fixes{listFix(fields, "categorical", found[i])};
    if (static_cast<TextKind>(i) == TextKind::Dates)
      fixes.push_back(listFix(fields, "ignore", found[i]));
    warnOfWords(notes, "text_of_numbers", kCategorical, messageOf(static_cast<TextKind>(i)),
                {joinedNames(shown), excerpt(examples[i], 40)}, std::move(fixes));
  }
  return reported;
}

void reportSimilarWords(const std::vector<TableEncoding>& encodings,
                        const std::vector<LabelPlan>& labels, const CsvTable& table,
                        const std::vector<size_t>& rows, const Json& fields, Diagnostics& notes) {
  const std::vector<std::string> confirmed = namesOf(fields.at("categorical"));
  std::set<std::string> done(confirmed.begin(), confirmed.end());
  const auto report = [&](const std::string& column, const std::vector<std::string>& words,
                          bool isLabel) {
    if (similarWords(words).empty() || !done.insert(column).second) return;
    const size_t place = findColumns(table, {column}, "label")[0];
    std::map<std::string, size_t> counts;
    for (const size_t row : rows)
      ++counts[table.text(row, place)];
    reportSimilarWordsOf(column, words, counts, isLabel, fields, notes);
  };
  for (const LabelPlan& label : labels)
    if (label.isText) report(label.columns[0], label.names, true);
  for (const TableEncoding& encoding : encodings)
    for (const TableColumn& column : encoding.inputs)
      if (column.isCategorical) report(column.name, column.categories, false);
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv_reports.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/data/csv_fields.h"
#include "core/data/csv_words.h"
#include "core/data/data_problems.h"
#include "core/data/float_loss.h"
#include "core/data/likely_label.h"
#include "core/data/source.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

// The maximum number of categories of a column that is one-hot encoded
constexpr size_t kMaxOneHot = 1000;

void warn(Diagnostics& notes, const char* code, const char* field, Text message,
          Arguments arguments, std::vector<Fix> fixes = {}) {
  addProblem(notes, code, field, message, std::move(arguments));
  notes.back().severity = Severity::Warning;
  notes.back().fixes = std::move(fixes);
}

std::string textOf(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<int64_t>(value));
  // A number such as 28.4 / 1000 has more digits than anybody wrote.
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", value);
  return text;
}

/// Returns the names in quotes, at most the first few of them.
std::string shownNames(const std::vector<std::string>& names) {
  constexpr size_t kMaxShown = 10;
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(names.size(), kMaxShown); ++i)
    shown.push_back("\"" + excerpt(names[i], 60) + "\"");
  if (names.size() > kMaxShown) shown.emplace_back("...");
  return joinedNames(shown);
}

/// What is reported about the notation of a column, from what is least certain to what is certain.
/// Then follow the spellings of some of its numbers, in the order of Spelling.
enum class Notation : uint8_t {
  Ambiguous,
  Percent,
  Currency,
  Unit,
  Thousands,
  DecimalComma,
  Usual,
  Parentheses,
  UnicodeMinus,
  OtherMinus,
  Quotes,
  Exponent,
  Invisible,
  Count
};

Notation notationOf(const FoundFormat& found) {
  if (found.isAmbiguous) return Notation::Ambiguous;
  if (found.format.isPercent) return Notation::Percent;
  if (!found.format.currency.empty()) return Notation::Currency;
  if (!found.format.unit.empty()) return Notation::Unit;
  if (found.format.thousands != '\0') return Notation::Thousands;
  return found.format.decimal == ',' ? Notation::DecimalComma : Notation::Usual;
}

Notation spellingOf(const FoundFormat& found) {
  return static_cast<Notation>(static_cast<size_t>(Notation::Usual) +
                               static_cast<size_t>(found.spelling));
}

Text messageOf(Notation notation) {
  switch (notation) {
    case Notation::Percent:
      return STRATA_TEXT("data",
                         "Columns with percentages: %1. '%2' is read as %3. Add them to numeric to "
                         "confirm this, or to categorical to keep the text.");
    case Notation::Currency:
      return STRATA_TEXT("data",
                         "Columns with amounts of money: %1. '%2' is read as %3. Add them to "
                         "numeric to confirm this, or to categorical to keep the text.");
    case Notation::Unit:
      return STRATA_TEXT("data",
                         "Columns with units after the numbers: %1. '%2' is read as %3. Add them "
                         "to numeric to confirm this, or to categorical to keep the text.");
    case Notation::Thousands:
      return STRATA_TEXT("data",
                         "Columns with thousands separators: %1. '%2' is read as %3. Add them to "
                         "numeric to confirm this, or to categorical to keep the text.");
    case Notation::DecimalComma:
      return STRATA_TEXT("data",
                         "Columns with a decimal comma: %1. '%2' is read as %3. Set decimal to "
                         "\",\" to confirm this, or add them to categorical to keep the text.");
    case Notation::Ambiguous:
      return STRATA_TEXT("data",
                         "Columns with numbers that can be read in two ways: %1. '%2' is read as "
                         "%3, but could be %4. Set decimal to \"%5\" to confirm this, or to "
                         "\"%6\" for the other value.");
    case Notation::Parentheses:
      return STRATA_TEXT("data",
                         "Columns with numbers in parentheses: %1. '%2' is read as the negative "
                         "number %3. Add them to numeric to confirm this, or to categorical to "
                         "keep the text.");
    case Notation::UnicodeMinus:
      return STRATA_TEXT("data",
                         "Columns with the minus sign U+2212: %1. '%2' is read as %3. Add them to "
                         "numeric to confirm this, or to categorical to keep the text.");
    case Notation::OtherMinus:
      return STRATA_TEXT("data",
                         "Columns with an unusual minus sign: %1. '%2' is read as %3. Add them to "
                         "numeric to confirm this, or to categorical to keep the text.");
    case Notation::Quotes:
      return STRATA_TEXT("data",
                         "Columns with quotes that a spreadsheet wrote: %1. '%2' is read as %3. "
                         "Add them to numeric to confirm this, or to categorical to keep the "
                         "text.");
    case Notation::Exponent:
      return STRATA_TEXT("data",
                         "Columns with exponents after the letter D: %1. '%2' is read as %3. Add "
                         "them to numeric to confirm this, or to categorical to keep the text.");
    default:
      return STRATA_TEXT("data",
                         "Columns with no-break spaces or invisible characters around numbers: "
                         "%1. '%2' is read as %3. Add them to numeric to confirm this, or to "
                         "categorical to keep the text.");
  }
}

Fix numericFix(const Json& fields, const std::vector<std::string>& names) {
  std::vector<std::string> all = namesOf(fields.at("numeric"));
  all.insert(all.end(), names.begin(), names.end());
  return setFix("/data/source/numeric", all);
}

}  // namespace

void reportLongCells(const CsvTable& table, const char* field, Diagnostics& notes) {
  if (table.longCells().empty()) return;
  const CsvTable::LongCell& first = table.longCells().front();
  warn(notes, "long_cell", field,
       STRATA_TEXT("data",
                   "%1, row %2, column %3: a quoted cell ends in row %4 (expected its "
                   "closing quote in the same row; number of such cells: %5). Close the "
                   "quote, or set long_cells to true if cells may contain line breaks."),
       {table.path(), std::to_string(first.line), std::to_string(first.column + 1),
        std::to_string(first.lastLine), std::to_string(table.longCells().size())});
}

void reportBeginning(const CsvTable& table, const Json& fields, Diagnostics& notes) {
  const CsvTable::Beginning& found = table.beginning();
  const char* const header = "/data/source/header";
  const auto setHeader = [&](const char* first, const char* second) {
    return std::vector<Fix>{setFix(header, first), setFix(header, second)};
  };
  const std::string names = shownNames(table.columns());
  if (found.comments > 0)
    warn(notes, "comment_lines", "/data/source/comment",
         STRATA_TEXT("data",
                     "%1, line %2: '%3' begins with # and is ignored as a comment (number of such "
                     "lines: %4). Set comment to \"#\" to confirm this."),
         {table.path(), std::to_string(found.firstComment), excerpt(found.commentText, 40),
          std::to_string(found.comments)},
         {setFix("/data/source/comment", "#")});
  if (found.unitLine > 0)
    warn(notes, "unit_line", "/data/source/units",
         STRATA_TEXT("data",
                     "%1, row %2: the cells after the names (%3) are read as units, not as data. "
                     "Set units to \"yes\" to confirm this, or to \"no\" if they are data."),
         {table.path(), std::to_string(found.unitLine), shownNames(found.units)},
         {setFix("/data/source/units", "yes"), setFix("/data/source/units", "no")});
  if (fields.at("header").get<std::string>() != "auto") return;
  if (found.isHeaderGuessed)
    warn(notes, "numbers_as_names", header,
         STRATA_TEXT("data",
                     "%1, row %2: the numbers are read as names of columns (%3). Set header to "
                     "\"yes\" to confirm this, or to \"no\" if they are data."),
         {table.path(), std::to_string(found.firstLine), names}, setHeader("yes", "no"));
  if (found.mayBeHeader)
    warn(notes, "numbers_as_names", header,
         STRATA_TEXT("data",
                     "%1, row %2: the whole numbers (%3) differ from the other rows, and are read "
                     "as data. Set header to \"yes\" if they are names of columns, or to \"no\" "
                     "to confirm this."),
         {table.path(), std::to_string(found.firstLine), shownNames(table.texts(0))},
         setHeader("yes", "no"));
}

void requireNamesInPlace(const CsvTable& table) {
  const std::optional<CsvTable::NamesElsewhere> found = table.namesElsewhere();
  if (!found) return;
  std::vector<std::string> advice;
  std::vector<Fix> fixes;
  const auto set = [&](const char* field, const Json& value) {
    advice.push_back(std::string(field) + " to " + value.dump());
    Fix fix = setFix(std::string("/data/source/") + field, value);
    if (fixes.empty())
      fixes.push_back(std::move(fix));
    else
      fixes[0].edit.operations.push_back(fix.edit.operations[0]);
  };
  if (found->skipLines > 0) set("skip_lines", found->skipLines);
  if (!found->comment.empty()) set("comment", found->comment);
  if (found->delimiter != '\0')
    set("delimiter", found->delimiter == '\t' ? "tab" : std::string(1, found->delimiter));
  throw FixableError(ErrorCode::InvalidFile, table.path(),
                     "line " + std::to_string(found->line) +
                         " looks like the names of columns, but is not read as such (expected them "
                         "in the first line of the table, got '" +
                         excerpt(found->names, 40) + "'). Set " + joinedNames(advice) + ".",
                     std::move(fixes));
}

void reportFormats(const CsvTable& table, const std::vector<FoundFormat>& formats,
                   const Json& fields, const std::vector<std::string>& confirmed,
                   Diagnostics& notes) {
  for (size_t kind = 0; kind < static_cast<size_t>(Notation::Count); ++kind) {
    const auto notation = static_cast<Notation>(kind);
    if (notation == Notation::Usual) continue;
    const bool isSpelling = notation > Notation::Usual;
    std::vector<std::string> names;
    const FoundFormat* first = nullptr;
    for (const FoundFormat& found : formats) {
      const std::string& name = table.columns()[found.column];
      if (found.isMixed || (isSpelling ? spellingOf(found) : notationOf(found)) != notation ||
          std::find(confirmed.begin(), confirmed.end(), name) != confirmed.end())
        continue;
      if (!first) first = &found;
      names.push_back(name);
    }
    if (!first) continue;
    const char* const decimal = "/data/source/decimal";
    const std::string own(1, first->format.decimal), other = own == "," ? "." : ",";
    std::vector<Fix> fixes{numericFix(fields, names)};
    if (notation == Notation::DecimalComma) fixes = {setFix(decimal, ",")};
    if (notation == Notation::Ambiguous) fixes = {setFix(decimal, own), setFix(decimal, other)};
    warn(notes, "number_notation",
         notation == Notation::DecimalComma || notation == Notation::Ambiguous
             ? decimal
             : "/data/source/numeric",
         messageOf(notation),
         {shownNames(names), excerpt(isSpelling ? first->spelled : first->example, 40),
          textOf(isSpelling ? first->spelledValue : first->value), textOf(first->otherValue), own,
          other},
         std::move(fixes));
  }
}

std::set<std::string> reportMixedNotations(const CsvTable& table,
                                           const std::vector<FoundFormat>& formats,
                                           const std::vector<TableEncoding>& encodings,
                                           const Json& fields, Diagnostics& notes) {
  std::set<std::string> categories;
  for (const TableEncoding& encoding : encodings)
    for (const TableColumn& column : encoding.inputs)
      if (column.isCategorical) categories.insert(column.name);
  std::vector<std::string> names;
  std::string example;
  for (const FoundFormat& found : formats) {
    if (!found.isMixed || !categories.contains(table.columns()[found.column])) continue;
    names.push_back(table.columns()[found.column]);
    if (example.empty()) example = found.example;
  }
  if (names.empty()) return {};
  std::vector<std::string> all = namesOf(fields.at("categorical"));
  all.insert(all.end(), names.begin(), names.end());
  warn(notes, "number_notation", "/data/source/categorical",
       STRATA_TEXT("data",
                   "Columns with numbers in several notations, such as '%2': %1. They are treated "
                   "as categories. Write the numbers in one notation, or add the columns to "
                   "categorical to confirm this."),
       {shownNames(names), excerpt(example, 40)}, {setFix("/data/source/categorical", all)});
  return {names.begin(), names.end()};
}

void reportUnusedLabels(const LabelPlan& label, Diagnostics& notes) {
  if (label.unused.empty()) return;
  constexpr size_t kMaxShown = 10;
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(label.unused.size(), kMaxShown); ++i)
    shown.push_back(std::to_string(label.unused[i]));
  if (label.unused.size() > kMaxShown) shown.emplace_back("...");
  warn(notes, "unused_label", "/data/source/label",
       STRATA_TEXT("data",
                   "Column \"%1\": the labels are class numbers from 0 to %2, but no row has %3 "
                   "(unused classes: %4). The network needs an output for each number. Write the "
                   "labels as words, or number them without gaps, for fewer classes."),
       {excerpt(label.columns[0], 60), std::to_string(label.classes - 1), joinedNames(shown),
        std::to_string(label.unused.size())});
}

void reportDefaultLabel(const std::vector<std::string>& columns, const Json& fields,
                        Diagnostics& notes) {
  const std::string likely = likelyLabel(columns);
  const auto isIn = [&](const char* field) {
    const std::vector<std::string> names = namesOf(fields.at(field));
    return std::find(names.begin(), names.end(), likely) != names.end();
  };
  if (likely.empty() || isIn("ignore") || isIn(kSampleWeights) ||
      (!fields.at("columns").empty() && !isIn("columns")))
    return;
  warn(notes, "default_label", "/data/source/label",
       STRATA_TEXT("data",
                   "The label is the last column, \"%1\", because label is not set. By its name, "
                   "\"%2\" may be the label. Set label."),
       {excerpt(columns.back(), 60), excerpt(likely, 60)},
       {setFix("/data/source/label", likely), setFix("/data/source/label", columns.back())});
}

void reportLabelDigits(const LabelPlan& label, const CsvTable& table,
                       const std::vector<size_t>& rows, const std::vector<size_t>& columns,
                       Diagnostics& notes) {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i < label.pairs.size() && !label.pairs[i].empty()) continue;
    FloatLoss loss;
    for (const size_t row : rows)
      loss.add(table.number(row, columns[i]));
    if (!loss.losesDigits()) continue;
    warn(notes, "lost_digits", "/data/source/label",
         STRATA_TEXT("data",
                     "Column \"%1\": float32 rounds the labels (%2 to %3), so small differences "
                     "between them are lost. Subtract a number from them, or choose another "
                     "label."),
         {excerpt(label.columns[i], 60), textOf(loss.lowest()), textOf(loss.highest())});
  }
}

void reportRowNumbers(const TableEncoding& encoding, const CsvTable& table, const Json& fields,
                      Diagnostics& notes) {
  // "0" is the name of a first column without a name, as pandas writes it.
  static const std::set<std::string> kNames{"id",      "index", "idx", "rowid", "row_id",
                                            "row",     "no",    "nr",  "#",     "unnamed: 0",
                                            "level_0", "序号",  "编号"};
  constexpr size_t kMinRows = 5;
  if (table.numRows() < kMinRows || encoding.inputs.size() < 2) return;
  const std::vector<size_t> places = findColumns(table, inputNames(encoding), "columns");
  for (size_t i = 0; i < places.size(); ++i) {
    const TableColumn& column = encoding.inputs[i];
    const size_t place = places[i];
    const bool isUnnamed = place == 0 && column.name == "0" && table.hasHeader();
    const auto isIn = [&](const char* field) {
      const std::vector<std::string> names = namesOf(fields.at(field));
      return std::find(names.begin(), names.end(), column.name) != names.end();
    };
    if (column.isCategorical || isIn("columns") || isIn("numeric") ||
        (!isUnnamed && !kNames.contains(foldedWord(column.name))))
      continue;
    std::vector<double> numbers;
    for (size_t row = 0; row < table.numRows(); ++row)
      numbers.push_back(table.number(row, place));
    // Missing values and texts have no order
    if (!std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); }))
      continue;
    std::ranges::sort(numbers);
    size_t row = 1;
    while (row < numbers.size() && numbers[row] == numbers[row - 1] + 1)
      ++row;
    if (row < table.numRows()) continue;
    std::vector<std::string> ignored = namesOf(fields.at("ignore"));
    ignored.push_back(column.name);
    warn(notes, "row_numbers", "/data/source/ignore",
         STRATA_TEXT("data",
                     "Column \"%1\" only numbers the rows, but is an input. Add it to the list "
                     "\"ignore\", or to numeric to confirm it."),
         {excerpt(column.name, 60)}, {setFix("/data/source/ignore", ignored)});
  }
}

void reportLongNumbers(const TableEncoding& encoding, const CsvTable& table, const Json& fields,
                       Diagnostics& notes) {
  // Beyond it, whole numbers lose digits in double precision
  constexpr double kMaxExact = 0x1p53;
  constexpr size_t kRowsCompared = 1000;
  const std::vector<size_t> places = findColumns(table, inputNames(encoding), "columns");
  for (size_t i = 0; i < places.size(); ++i) {
    if (encoding.inputs[i].isCategorical) continue;
    const auto isLost = [&](size_t row) {
      const double number = table.number(row, places[i]);
      return std::abs(number) >= kMaxExact && number == table.number(row - 1, places[i]) &&
             table.text(row, places[i]) != table.text(row - 1, places[i]);
    };
    size_t row = 1;
    const size_t rows = std::min(table.numRows(), kRowsCompared);
    while (row < rows && !isLost(row))
      ++row;
    if (row >= rows) continue;
    std::vector<std::string> ignored = namesOf(fields.at("ignore"));
    ignored.push_back(encoding.inputs[i].name);
    warn(notes, "lost_digits", "/data/source/path",
         STRATA_TEXT("data",
                     "Column \"%1\": %2 and %3 have too many digits for double precision, so they "
                     "become equal. Subtract a constant from the column in the file, or add it to "
                     "the list \"ignore\"."),
         {excerpt(encoding.inputs[i].name, 60), excerpt(table.text(row - 1, places[i]), 40),
          excerpt(table.text(row, places[i]), 40)},
         {setFix("/data/source/ignore", ignored)});
  }
}

void reportOtherUnits(const CsvTable& table, const CsvTable& test, Diagnostics& notes) {
  const std::vector<std::string>&units = table.beginning().units, &others = test.beginning().units;
  for (size_t i = 0; i < std::min(units.size(), table.columns().size()); ++i) {
    const auto found = std::ranges::find(test.columns(), table.columns()[i]);
    const auto place = static_cast<size_t>(found - test.columns().begin());
    if (place >= others.size() || others[place] == units[i]) continue;
    warn(notes, "other_unit", "/data/source/test_path",
         STRATA_TEXT("data",
                     "%1, column \"%2\": the unit '%3' differs from that of the training file, "
                     "'%4'. The values are not converted. Convert them in the file."),
         {test.path(), excerpt(table.columns()[i], 60), excerpt(others[place], 40),
          excerpt(units[i], 40)},
         {});
  }
}

void reportManyCategories(const TableEncoding& encoding, const CsvTable& table, size_t rows,
                          const std::set<std::string>& known, Diagnostics& notes) {
  for (const TableColumn& column : encoding.inputs) {
    const size_t count = column.categories.size();
    const bool isKnown = known.contains(column.name);
    if (encoding.isOneHot && count > kMaxOneHot)
      throw Error(
          ErrorCode::InvalidFile, table.path(),
          "column \"" + excerpt(column.name, 60) + "\" has " + std::to_string(count) +
              " categories (expected at most " + std::to_string(kMaxOneHot) + " for one_hot). " +
              (isKnown ? "Its texts, such as \"" + excerpt(column.categories[0], 40) +
                             "\", look like numbers or dates. Write them as numbers, or add it to "
                             "the list \"ignore\"."
                       : std::string("Add it to the list \"ignore\", or set categories to "
                                     "integer.")));
    if (column.isCategorical && !isKnown && count > 20 && count * 2 > rows)
      warn(notes, "many_categories", "/data/source/ignore",
           STRATA_TEXT("data",
                       "Column \"%1\" has %2 different text values in %3 rows, so it may "
                       "only identify rows. Add it to the list \"ignore\"."),
           {column.name, std::to_string(count), std::to_string(rows)});
  }
}

void reportUnknownCategories(const std::vector<RowEncoder>& encoders, const CsvTable& table,
                             const std::vector<size_t>& rows, const char* field,
                             Diagnostics& notes) {
  struct Unknown {
    size_t firstRow;
    std::string first;
    int64_t cells = 0;
  };
  std::map<std::string, Unknown> columns;
  for (const RowEncoder& encoder : encoders)
    for (const size_t row : rows)
      for (const UnknownCategory& each : encoder.unknownCategories(row))
        ++columns.try_emplace(each.column, Unknown{row, each.word}).first->second.cells;
  for (const auto& [column, unknown] : columns)
    warn(notes, "unknown_category", field,
         STRATA_TEXT("data",
                     "%1, row %2, column \"%3\": '%4' does not occur in the training set (expected "
                     "one of its categories), so it is treated as unknown; number of such cells: "
                     "%5. Correct it, or put rows with this value into the training set."),
         {table.path(), std::to_string(table.line(unknown.firstRow)), excerpt(column, 60),
          excerpt(unknown.first, 40), std::to_string(unknown.cells)});
}

void addFilled(std::vector<FilledColumn>& filled, const TableColumn& column, const CsvTable& table,
               size_t place, const std::vector<size_t>& rows) {
  FilledColumn found;
  for (const size_t row : rows) {
    if (!isMissingCell(table.number(row, place))) continue;
    ++found.cells;
    if (column.isCategorical && found.word.empty()) found.word = table.text(row, place);
  }
  auto entry = std::find_if(filled.begin(), filled.end(),
                            [&](const FilledColumn& each) { return each.column == column.name; });
  if (entry == filled.end()) {
    if (found.cells == 0) return;
    entry = filled.insert(filled.end(), {column.name});
    entry->replacement = column.isCategorical ? column.fillCategory : textOf(column.fill);
  }
  entry->cells += found.cells;
  entry->rows += static_cast<int64_t>(rows.size());
  if (entry->word.empty()) entry->word = found.word;
}

void reportFilledWords(const std::vector<FilledColumn>& filled, const Json& fields,
                       Diagnostics& notes) {
  // Words that the project chooses are meant.
  const SourceDef source = csvSource();
  if (fields.at("missing_words") != Json::parse(source.schema.field("missing_words")->defaultJson))
    return;
  for (const FilledColumn& each : filled) {
    // Other words, such as "NA", are rarely categories, unless most cells have them.
    const bool mayBeCategory =
        each.word == "None" || each.word == "none" || 2 * each.cells >= each.rows;
    if (each.word.empty() || !mayBeCategory) continue;
    std::vector<std::string> words = namesOf(fields.at("missing_words"));
    std::erase(words, each.word);
    Fix keep = setFix("/data/source/missing_words", words);
    keep.label = STRATA_TEXT("data", "Treat '%1' as a category");
    keep.arguments = {excerpt(each.word, 40)};
    const Arguments arguments{excerpt(each.column, 60), std::to_string(each.cells),
                              std::to_string(each.rows), excerpt(each.word, 40),
                              excerpt(each.replacement, 60)};
    warn(notes, "missing_word", "/data/source/missing_words",
         each.replacement.empty()
             ? STRATA_TEXT("data",
                           "Column \"%1\": %2 of %3 cells are missing values, because '%4' is in "
                           "missing_words, and count as unknown. If '%4' is a category, remove it "
                           "from missing_words.")
             : STRATA_TEXT("data",
                           "Column \"%1\": %2 of %3 cells are missing values, because '%4' is in "
                           "missing_words, and are replaced by '%5'. If '%4' is a category, remove "
                           "it from missing_words."),
         arguments, {keep});
  }
}

}  // namespace strata

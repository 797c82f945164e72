// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv_formats.h"

#include <algorithm>
#include <array>
#include <utility>

namespace strata {

namespace {

/// What the cells of a column have in common.
struct ColumnCounts {
  size_t cells = 0, percents = 0;
  // Number of cells that are numbers with each of kSeparators
  std::array<size_t, kSeparators.size()> numbers{};
  std::string currency, unit;
  bool hasCurrencies = false, hasUnits = false;
  // The most notable spelling that the format does not contain, and a cell with it
  Spelling spelling = Spelling::Usual;
  std::string spelled;
  // Whether a cell can be read with this mark as decimal or thousands separator
  bool hasAmbiguousComma = false, hasAmbiguousPoint = false;
  std::string example, ambiguousExample;

  void add(std::string_view text, const NumberParts* parts, bool isPlain) {
    ++cells;
    if (!parts) return;
    bool isNumber = false;
    for (size_t i = 0; i < kSeparators.size(); ++i)
      if (valueOf(parts->body, kSeparators[i])) {
        ++numbers[i];
        isNumber = true;
      }
    if (!isNumber) return;
    percents += parts->isPercent ? 1 : 0;
    if (!parts->currency.empty()) {
      hasCurrencies = hasCurrencies || (!currency.empty() && currency != parts->currency);
      currency = parts->currency;
    }
    if (parts->spelling != Spelling::Usual &&
        (spelling == Spelling::Usual || parts->spelling < spelling)) {
      spelling = parts->spelling;
      spelled = text;
    }
    if (!parts->unit.empty()) {
      hasUnits = hasUnits || (!unit.empty() && unit != parts->unit);
      unit = parts->unit;
    }
    const char mark = ambiguousMark(parts->body);
    hasAmbiguousComma = hasAmbiguousComma || mark == ',';
    hasAmbiguousPoint = hasAmbiguousPoint || mark == '.';
    if (mark != '\0' && ambiguousExample.empty()) ambiguousExample = text;
    if (!isPlain && example.empty()) example = text;
  }

  size_t most() const { return *std::max_element(numbers.begin(), numbers.end()); }
  bool isNumeric() const { return 2 * most() > cells; }
  bool isMixed() const { return hasCurrencies || hasUnits || (percents > 0 && percents != most()); }
  /// Whether most cells are numbers with these separators.
  bool allows(size_t separators) const { return numbers[separators] == most(); }
  bool allowsDecimal(char decimal) const {
    for (size_t i = 0; i < kSeparators.size(); ++i)
      if (kSeparators[i].decimal == decimal && allows(i)) return true;
    return false;
  }
  /// Whether the column can be read with `mark` as decimal and as thousands separator.
  bool isAmbiguous(char mark) const {
    bool asDecimal = false, asThousands = false;
    for (size_t i = 0; i < kSeparators.size(); ++i) {
      asDecimal = asDecimal || (allows(i) && kSeparators[i].decimal == mark);
      asThousands = asThousands || (allows(i) && kSeparators[i].thousands == mark);
    }
    return (mark == ',' ? hasAmbiguousComma : hasAmbiguousPoint) && asDecimal && asThousands;
  }
  /// Returns the first pair of separators with this decimal separator, or else the first one.
  Separators separatorsWith(char decimal) const {
    std::optional<Separators> other;
    for (size_t i = 0; i < kSeparators.size(); ++i) {
      if (!allows(i)) continue;
      if (kSeparators[i].decimal == decimal) return kSeparators[i];
      if (!other) other = kSeparators[i];
    }
    return other.value_or(kSeparators[0]);
  }
};

/// The cells of a column without units, and those with units. A column has units only if all its
/// cells have one.
struct UnitCounts {
  ColumnCounts plain, withUnit;

  void add(std::string_view text, bool isPlain) {
    const std::optional<NumberParts> parts = splitNumber(text);
    const bool hasUnit = parts && !parts->unit.empty();
    plain.add(text, parts && !hasUnit ? &*parts : nullptr, isPlain);
    withUnit.add(text, hasUnit ? &*parts : nullptr, false);
  }
  /// Returns the counts that describe the column.
  ColumnCounts chosen() const {
    if (!withUnit.isNumeric()) return plain;
    ColumnCounts counts = withUnit;
    counts.hasUnits = counts.hasUnits || withUnit.most() < withUnit.cells;
    return counts;
  }
};

/// Returns the decimal separator of the columns that can be read in only one way, or '\0'.
char decimalOfOthers(const CsvTable& table, const std::vector<ColumnCounts>& counts) {
  size_t points = 0, commas = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].cells == 0) {
      points += table.marks(i).hasPlainPoint ? 1 : 0;
      continue;
    }
    if (!counts[i].isNumeric()) continue;
    const bool isPoint = counts[i].allowsDecimal('.'), isComma = counts[i].allowsDecimal(',');
    points += isPoint && !isComma ? 1 : 0;
    commas += isComma && !isPoint ? 1 : 0;
  }
  if (points == 0 && commas == 0) return '\0';
  return commas > points ? ',' : '.';
}

FoundFormat formatOf(const ColumnCounts& counts, size_t column, char decimal, bool isDecided) {
  FoundFormat found;
  found.column = column;
  found.isMixed = counts.isMixed();
  found.spelling = counts.spelling;
  found.spelled = counts.spelled;
  const bool isCommaAmbiguous = counts.isAmbiguous(','), isPointAmbiguous = counts.isAmbiguous('.');
  const Separators chosen = counts.separatorsWith(decimal);
  found.format = {chosen.decimal, chosen.thousands, counts.percents > 0, counts.currency,
                  counts.unit};
  found.isAmbiguous = !isDecided && (isCommaAmbiguous || isPointAmbiguous);
  found.example =
      found.isAmbiguous || counts.example.empty() ? counts.ambiguousExample : counts.example;
  found.value = parseNumber(found.example, found.format).value_or(0);
  found.spelledValue = parseNumber(found.spelled, found.format).value_or(0);
  if (!found.isAmbiguous) return found;
  const Separators other = counts.separatorsWith(chosen.decimal == '.' ? ',' : '.');
  NumberFormat otherFormat = found.format;
  otherFormat.decimal = other.decimal;
  otherFormat.thousands = other.thousands;
  found.otherValue = parseNumber(found.example, otherFormat).value_or(0);
  return found;
}

}  // namespace

std::vector<FoundFormat> findNumberFormats(const CsvTable& table, char decimal) {
  std::vector<size_t> places;
  for (size_t i = 0; i < table.columns().size(); ++i) {
    const CsvTable::Marks& marks = table.marks(i);
    if (marks.hasOtherNumber || (marks.hasGroupingPoint && !marks.hasPlainPoint))
      places.push_back(i);
  }
  if (places.empty()) return {};
  std::vector<UnitCounts> cells(table.columns().size());
  table.eachRow([&](size_t row, std::span<const std::string_view> texts) {
    for (const size_t place : places) {
      const double value = table.number(row, place);
      if (!isMissingCell(value)) cells[place].add(texts[place], !isTextCell(value));
    }
  });
  std::vector<ColumnCounts> counts;
  for (const UnitCounts& each : cells)
    counts.push_back(each.chosen());
  const char others = decimal != '\0' ? decimal : decimalOfOthers(table, counts);
  std::vector<FoundFormat> result;
  for (const size_t place : places) {
    const ColumnCounts& column = counts[place];
    if (!column.isNumeric()) continue;
    char chosen = others;
    if (chosen == '\0') chosen = column.isAmbiguous(',') && table.delimiter() == ';' ? ',' : '.';
    FoundFormat found = formatOf(column, place, chosen, decimal != '\0');
    const bool isUsual = found.format == NumberFormat{decimal == ',' ? ',' : '.'} &&
                         found.spelling == Spelling::Usual && !found.isMixed;
    if (!isUsual) result.push_back(std::move(found));
  }
  return result;
}

}  // namespace strata

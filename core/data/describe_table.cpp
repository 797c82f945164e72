// SPDX-License-Identifier: Apache-2.0
#include "core/data/describe_table.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/data/csv_fields.h"
#include "core/data/csv_formats.h"
#include "core/data/csv_reports.h"
#include "core/data/source.h"
#include "core/data/table.h"

namespace strata {

namespace {

/// Returns the names in a field that may have an entry for each Input layer or output.
std::vector<std::string> allNamesOf(const Json& source, const char* field) {
  const Json& value = memberOf(source, field);
  if (!value.is_object()) return namesOf(value);
  std::vector<std::string> names;
  for (const Json& each : value)
    for (std::string& name : namesOf(each))
      names.push_back(std::move(name));
  return names;
}

/// Returns the fields of the source with defaults. Fields by name are left out.
Json checkedFields(const Json& source) {
  const SourceDef definition = csvSource();
  Json plain = source;
  for (const auto* names : {&definition.ofInputs, &definition.ofOutputs})
    for (const std::string& field : *names)
      plain.erase(field);
  Diagnostics problems;
  Json fields = checkFields(definition.schema, plain, "/data/source", "", problems, {"type"});
  std::erase_if(problems, [](const Diagnostic& each) { return each.severity != Severity::Error; });
  requireNoProblem(problems);
  return fields;
}

/// Fills in what the cells of a column show.
void describeCells(const CsvTable& table, size_t place, bool isListedCategory, bool isListedNumber,
                   ColumnDescription& column) {
  constexpr size_t kSamples = 5;
  const CellCounts counts = countCells(table, place);
  column.missing = static_cast<int64_t>(counts.missing);
  const bool hasMostWords = counts.words > 0 && counts.words >= counts.numbers;
  if (isListedCategory || (hasMostWords && !isListedNumber))
    column.kind = ColumnDescription::Kind::Category;
  if (counts.words + counts.numbers == 0) column.kind = ColumnDescription::Kind::Empty;
  for (size_t row = 0; row < std::min(kSamples, table.numRows()); ++row)
    column.samples.push_back(table.text(row, place));
}

/// Describes the numbers of a label.
std::optional<ColumnDescription::Numbers> numbersOf(const CsvTable& table, size_t place) {
  ColumnDescription::Numbers result;
  std::set<double> values;
  double count = 0, squares = 0;
  for (size_t row = 0; row < table.numRows(); ++row) {
    const double value = table.number(row, place);
    if (isMissingCell(value) || isTextCell(value)) continue;
    result.minimum = count == 0 ? value : std::min(result.minimum, value);
    result.maximum = count == 0 ? value : std::max(result.maximum, value);
    ++count;
    const double before = value - result.mean;
    result.mean += before / count;
    squares += before * (value - result.mean);
    result.isWhole = result.isWhole && value == std::floor(value);
    if (std::ssize(values) < ColumnDescription::Numbers::kMaxCountedValues) values.insert(value);
  }
  if (count == 0) return {};
  result.deviation = std::sqrt(squares / count);
  result.distinct = std::ssize(values);
  return result;
}

/// Counts the rows in which a column that is used has no value.
void countIncomplete(const CsvTable& table, TableDescription& result) {
  using Role = ColumnDescription::Role;
  std::vector<size_t> inputs, targets;
  for (size_t i = 0; i < result.columns.size(); ++i) {
    const ColumnDescription& column = result.columns[i];
    if (column.missing == 0 || column.role == Role::Ignored) continue;
    (column.role == Role::Input ? inputs : targets).push_back(i);
  }
  const auto isMissing = [&](size_t row, const std::vector<size_t>& columns) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](size_t i) { return isMissingCell(table.number(row, i)); });
  };
  for (size_t row = 0; row < table.numRows() && !(inputs.empty() && targets.empty()); ++row) {
    const bool isUnlabeled = isMissing(row, targets);
    result.unlabeled += isUnlabeled ? 1 : 0;
    result.incomplete += isUnlabeled || isMissing(row, inputs) ? 1 : 0;
  }
}

/// Counts the different words of the columns of categories.
void countCategories(const CsvTable& table, std::vector<ColumnDescription>& columns) {
  std::vector<std::set<std::string, std::less<>>> words(columns.size());
  table.eachRow([&](size_t row, std::span<const std::string_view> texts) {
    for (size_t i = 0; i < columns.size(); ++i)
      if (columns[i].kind == ColumnDescription::Kind::Category &&
          !isMissingCell(table.number(row, i)) &&
          std::ssize(words[i]) < ColumnDescription::kMaxCountedCategories &&
          !words[i].contains(texts[i]))
        words[i].emplace(texts[i]);
  });
  for (size_t i = 0; i < columns.size(); ++i)
    columns[i].categories = std::ssize(words[i]);
}

}  // namespace

TableDescription describeTable(const Json& source, const std::string& folder) {
  const Json fields = checkedFields(source);
  const std::filesystem::path path = fields.at("path").get<std::string>();
  CsvTable table((path.is_absolute() ? path : std::filesystem::path(folder) / path).string(),
                 csvOptionsOf(fields));
  TableDescription result;
  result.path = table.path();
  result.delimiter = table.delimiter();
  result.hasHeader = table.hasHeader();
  result.rows = static_cast<int64_t>(table.numRows());
  result.damaged = std::ssize(table.ragged());
  reportLongCells(table, "/data/source/path", result.notes);
  reportBeginning(table, fields, result.notes);

  const auto columnsIn = [&](const char* field) {
    const std::vector<std::string> names = columnsOf(table, allNamesOf(source, field), field);
    return std::set<std::string>(names.begin(), names.end());
  };
  std::set<std::string> labels = columnsIn("label");
  const bool isLabelGuessed = labels.empty();
  if (isLabelGuessed) labels.insert(table.columns().back());
  const std::set<std::string> weights = columnsIn(kSampleWeights), ignored = columnsIn("ignore"),
                              inputs = columnsIn("columns"), categorical = columnsIn("categorical"),
                              numeric = columnsIn("numeric");
  std::vector<FoundFormat> formats = findNumberFormats(table, decimalOf(fields));
  std::erase_if(formats, [&](const FoundFormat& found) {
    const std::string& name = table.columns()[found.column];
    return found.isMixed || categorical.contains(name) || ignored.contains(name);
  });
  std::map<size_t, NumberFormat> formatOf;
  for (const FoundFormat& found : formats)
    formatOf.emplace(found.column, found.format);
  table.setFormats(formatOf);
  reportFormats(table, formats, fields, {numeric.begin(), numeric.end()}, result.notes);

  const MissingPolicy missing = missingPolicyOf(fields);
  const bool replaces = missing != MissingPolicy::Error && missing != MissingPolicy::Drop;
  for (size_t i = 0; i < table.columns().size(); ++i) {
    ColumnDescription column;
    column.name = table.columns()[i];
    if (i < table.beginning().units.size()) column.unit = table.beginning().units[i];
    if (ignored.contains(column.name) || (!inputs.empty() && !inputs.contains(column.name)))
      column.role = ColumnDescription::Role::Ignored;
    if (weights.contains(column.name)) column.role = ColumnDescription::Role::Weight;
    if (labels.contains(column.name)) column.role = ColumnDescription::Role::Label;
    column.isLabelGuessed = isLabelGuessed && column.role == ColumnDescription::Role::Label;
    if (const auto found = formatOf.find(i); found != formatOf.end()) column.format = found->second;
    describeCells(table, i, categorical.contains(column.name), numeric.contains(column.name),
                  column);
    if (replaces && column.role == ColumnDescription::Role::Input) column.filled = column.missing;
    if (column.role == ColumnDescription::Role::Label &&
        column.kind == ColumnDescription::Kind::Number)
      column.numbers = numbersOf(table, i);
    result.columns.push_back(std::move(column));
  }
  countCategories(table, result.columns);
  countIncomplete(table, result);
  return result;
}

}  // namespace strata

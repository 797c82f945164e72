// SPDX-License-Identifier: Apache-2.0
#include "core/data/table.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "core/data/csv_words.h"
#include "core/layers/schema.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/nearest_name.h"

namespace strata {

int64_t TableEncoding::width() const {
  int64_t count = 0;
  for (const TableColumn& column : inputs)
    count += column.isCategorical && isOneHot ? static_cast<int64_t>(column.categories.size()) : 1;
  return count;
}

std::vector<std::string> TableEncoding::names() const {
  std::vector<std::string> result;
  for (const TableColumn& column : inputs)
    if (column.isCategorical && isOneHot)
      for (const std::string& category : column.categories)
        result.push_back(column.name + "=" + category);
    else
      result.push_back(column.name);
  return result;
}

namespace {

/// Returns the name without what often surrounds it: a unit in brackets, asterisks and spaces.
std::string plainName(std::string_view name) {
  name = name.substr(0, name.find_first_of("[("));
  while (name.starts_with('*'))
    name.remove_prefix(1);
  name = withoutInvisible(name);
  while (name.ends_with('*') || name.ends_with(':'))
    name.remove_suffix(1);
  return foldedWord(std::string(name));
}

/// Returns the column that `name` probably means, or "".
std::string nearestColumn(const std::string& name, const std::vector<std::string>& columns) {
  const std::string plain = plainName(name);
  for (const std::string& column : columns)
    if (!plain.empty() && plainName(column) == plain) return column;
  std::string nearest = nearestName(name, columns);
  // With one wrong letter, each other letter would be near to a name of one letter.
  constexpr size_t kMinLength = 3;
  if (name.size() < kMinLength && foldedWord(nearest).find(foldedWord(name)) == std::string::npos)
    return {};
  return nearest;
}

[[noreturn]] void failMissing(const CsvTable& table, const std::string& name,
                              const std::string& what) {
  const std::string nearest = nearestColumn(name, table.columns());
  std::string advice = "Did you mean \"" + nearest + "\"?";
  if (nearest.empty())
    advice = table.hasHeader()
                 ? "Choose one of them."
                 : "Choose one of them, or set header to yes if the first row contains names.";
  throw Error(ErrorCode::InvalidFile, table.path(),
              "has no column \"" + excerpt(name, 60) + "\" (" + what + "; expected one of: " +
                  excerpt(joinedNames(table.columns()), 200) + "). " + advice);
}

}  // namespace

std::vector<std::string> inputNames(const TableEncoding& encoding) {
  std::vector<std::string> names;
  for (const TableColumn& column : encoding.inputs)
    names.push_back(column.name);
  return names;
}

std::vector<size_t> findColumns(const CsvTable& table, const std::vector<std::string>& names,
                                const std::string& what) {
  std::unordered_map<std::string_view, size_t> known, trimmed;
  for (size_t i = 0; i < table.columns().size(); ++i)
    known.emplace(table.columns()[i], i);
  // The index of a name that several columns have is SIZE_MAX.
  for (size_t i = 0; i < table.columns().size(); ++i)
    if (const auto [place, isNew] = trimmed.emplace(withoutInvisible(table.columns()[i]), i);
        !isNew)
      place->second = SIZE_MAX;
  std::vector<size_t> places;
  for (const std::string& name : names) {
    auto found = known.find(name);
    if (found == known.end()) {
      found = trimmed.find(withoutInvisible(name));
      if (found == trimmed.end() || found->second == SIZE_MAX) failMissing(table, name, what);
    }
    places.push_back(found->second);
  }
  return places;
}

CellCounts countCells(const CsvTable& table, size_t column) {
  CellCounts counts;
  for (size_t row = 0; row < table.numRows(); ++row) {
    const double value = table.number(row, column);
    if (isTextCell(value))
      ++counts.words;
    else if (isMissingCell(value))
      ++counts.missing;
    else
      ++counts.numbers;
  }
  return counts;
}

namespace {

/// Returns the indices of the input columns in a table. Finds them by name. If this table or the
/// training file has no header, finds them by position: the table must then have as many columns as
/// there are inputs, or as the training file.
std::vector<size_t> inputPlaces(const TableEncoding& encoding, const CsvTable& table) {
  if (!encoding.hadHeader || !table.hasHeader()) {
    std::vector<size_t> places;
    // If the table contains only inputs, they are in the order of the encoding.
    if (table.columns().size() == encoding.inputs.size()) {
      for (size_t i = 0; i < encoding.inputs.size(); ++i)
        places.push_back(i);
      return places;
    }
    if (table.columns().size() != encoding.allColumns.size())
      throw Error(ErrorCode::InvalidFile, table.path(),
                  "has " + counted(static_cast<int64_t>(table.columns().size()), "column") +
                      " (expected " + std::to_string(encoding.inputs.size()) + " of inputs" +
                      (encoding.allColumns.size() > encoding.inputs.size()
                           ? ", or the " + std::to_string(encoding.allColumns.size()) +
                                 " of the training file"
                           : "") +
                      "). Use rows with these columns.");
    std::unordered_map<std::string_view, size_t> known;
    for (size_t i = 0; i < encoding.allColumns.size(); ++i)
      known.emplace(encoding.allColumns[i], i);
    for (const TableColumn& column : encoding.inputs) {
      const auto found = known.find(column.name);
      // This happens if preprocessing.json is damaged.
      if (found == known.end())
        throw Error(
            ErrorCode::InvalidFile, table.path(),
            "has no column for the input \"" + excerpt(column.name, 60) +
                "\", nor had the training file. Use weights that were trained with this project.");
      places.push_back(found->second);
    }
    return places;
  }
  return findColumns(table, inputNames(encoding), "an input of the network");
}

}  // namespace

RowEncoder::RowEncoder(const TableEncoding& encoding, const CsvTable& table)
    : m_encoding(encoding), m_table(table), m_places(inputPlaces(encoding, table)) {
  for (const TableColumn& column : encoding.inputs) {
    m_readsText = m_readsText || column.isCategorical;
    auto& places = m_categories.emplace_back();
    for (size_t i = 0; i < column.categories.size(); ++i)
      places.emplace(column.categories[i], i);
  }
}

template <class T>
void RowEncoder::encode(size_t row, T* target) const {
  std::vector<std::string> texts;
  if (m_readsText) texts = m_table.texts(row);
  for (size_t i = 0; i < m_places.size(); ++i) {
    const TableColumn& column = m_encoding.inputs[i];
    const double value = m_table.number(row, m_places[i]);
    if (!column.isCategorical) {
      *target++ = static_cast<T>(isMissingCell(value) ? column.fill : value);
      continue;
    }
    const std::string& word = isMissingCell(value) ? column.fillCategory : texts[m_places[i]];
    const auto found = m_categories[i].find(word);
    const bool isKnown = found != m_categories[i].end();
    if (!m_encoding.isOneHot) {
      *target++ = isKnown ? static_cast<T>(found->second + 1) : T{0};
      continue;
    }
    std::fill_n(target, column.categories.size(), T{0});
    if (isKnown) target[found->second] = 1;
    target += column.categories.size();
  }
}

template void RowEncoder::encode(size_t, float*) const;
template void RowEncoder::encode(size_t, double*) const;

std::string RowEncoder::rowProblem(size_t row) const {
  for (size_t i = 0; i < m_places.size(); ++i) {
    const TableColumn& column = m_encoding.inputs[i];
    const double value = m_table.number(row, m_places[i]);
    if (!column.isCategorical && isTextCell(value))
      return m_table.rowName(row) + ", column \"" + excerpt(column.name, 60) + "\": '" +
             excerpt(m_table.text(row, m_places[i]), 40) + "' is not a number (expected one" +
             (column.format ? " such as " + exampleOf(*column.format) : std::string()) +
             ", as in most rows).";
    if (isMissingCell(value) && m_encoding.needsAllValues())
      return m_table.rowName(row) + ", column \"" + excerpt(column.name, 60) +
             "\": the value is missing (expected " +
             (column.isCategorical ? "a category" : "a number") + ").";
  }
  return {};
}

bool RowEncoder::hasMissing(size_t row) const {
  return std::any_of(m_places.begin(), m_places.end(),
                     [&](size_t place) { return isMissingCell(m_table.number(row, place)); });
}

std::vector<UnknownCategory> RowEncoder::unknownCategories(size_t row) const {
  std::vector<UnknownCategory> unknown;
  if (!m_readsText) return unknown;
  const std::vector<std::string> texts = m_table.texts(row);
  for (size_t i = 0; i < m_places.size(); ++i) {
    const std::string& word = texts[m_places[i]];
    if (!m_encoding.inputs[i].isCategorical || isMissingCell(m_table.number(row, m_places[i])) ||
        m_categories[i].contains(word))
      continue;
    unknown.push_back({m_encoding.inputs[i].name, word});
  }
  return unknown;
}

void applyFormats(const std::vector<TableEncoding>& encodings, CsvTable& table) {
  std::map<size_t, NumberFormat> formats;
  for (const TableEncoding& encoding : encodings) {
    const std::vector<size_t> places = inputPlaces(encoding, table);
    for (size_t i = 0; i < places.size(); ++i)
      if (const auto& format = encoding.inputs[i].format) formats.emplace(places[i], *format);
  }
  table.setFormats(formats);
}

void fitTable(TableEncoding& encoding, const CsvTable& table, const std::vector<size_t>& rows) {
  const std::vector<size_t> places = findColumns(table, inputNames(encoding), "an input");
  std::vector<std::map<std::string, size_t>> counts(encoding.inputs.size());
  const bool readsText = std::any_of(encoding.inputs.begin(), encoding.inputs.end(),
                                     [](const TableColumn& c) { return c.isCategorical; });
  if (readsText)
    for (const size_t row : rows) {
      const std::vector<std::string> texts = table.texts(row);
      for (size_t i = 0; i < encoding.inputs.size(); ++i)
        if (encoding.inputs[i].isCategorical && !isMissingCell(table.number(row, places[i])))
          ++counts[i][texts[places[i]]];
    }
  for (size_t i = 0; i < encoding.inputs.size(); ++i) {
    TableColumn& column = encoding.inputs[i];
    if (column.isCategorical) {
      column.categories.clear();
      size_t most = 0;
      for (const auto& [word, count] : counts[i]) {
        column.categories.push_back(word);
        if (count > most && (encoding.missing == MissingPolicy::Mean ||
                             encoding.missing == MissingPolicy::Median)) {
          most = count;
          column.fillCategory = word;
        }
      }
      continue;
    }
    if (encoding.missing != MissingPolicy::Mean && encoding.missing != MissingPolicy::Median)
      continue;
    std::vector<double> values;
    double sum = 0;
    for (const size_t row : rows)
      if (const double value = table.number(row, places[i]);
          !isMissingCell(value) && !isTextCell(value)) {
        values.push_back(value);
        sum += value;
      }
    column.fill = 0;
    if (values.empty()) continue;
    if (encoding.missing == MissingPolicy::Mean) {
      column.fill = sum / static_cast<double>(values.size());
      continue;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    column.fill = *middle;
    if (values.size() % 2 == 0)
      column.fill = (column.fill + *std::max_element(values.begin(), middle)) / 2;
  }
}

namespace {
constexpr const char* kMissingPolicies[] = {"error", "mean", "median", "value", "drop"};
// In the order of CsvOptions::Units
constexpr const char* kUnits[] = {"auto", "yes", "no"};

size_t placeIn(std::span<const char* const> names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw std::out_of_range(name);
  return static_cast<size_t>(found - names.begin());
}
}  // namespace

std::vector<TableCell> decodeRow(const TableEncoding& encoding, std::span<const double> values,
                                 size_t limit) {
  std::vector<TableCell> cells;
  size_t at = 0;
  for (const TableColumn& column : encoding.inputs) {
    if (cells.size() == limit) break;
    TableCell cell{column.name, {}, {}};
    const std::vector<std::string>& words = column.categories;
    if (!column.isCategorical) {
      cell.number = values[at++];
    }
    else if (!encoding.isOneHot) {
      // 0 stands for an unknown category.
      const double index = values[at++];
      if (index >= 1 && index <= static_cast<double>(words.size()))
        cell.word = words[static_cast<size_t>(index) - 1];
    }
    else {
      for (const std::string& word : words)
        if (values[at++] == 1) cell.word = word;
    }
    cells.push_back(std::move(cell));
  }
  return cells;
}

Json toJson(const TableEncoding& encoding) {
  Json columns = Json::array();
  for (const TableColumn& column : encoding.inputs) {
    Json json{{"name", column.name}};
    if (column.isCategorical) {
      json["categories"] = column.categories;
      json["fill"] = column.fillCategory;
    }
    else {
      json["fill"] = column.fill;
      if (column.format) json["format"] = toJson(*column.format);
    }
    columns.push_back(std::move(json));
  }
  return {{"type", "table"},
          {"columns", columns},
          {"categories", encoding.isOneHot ? "one_hot" : "integer"},
          {"missing", kMissingPolicies[static_cast<size_t>(encoding.missing)]},
          {"missing_words", encoding.options.missing},
          {"delimiter", encoding.options.delimiter == '\0'
                            ? std::string("auto")
                            : std::string(1, encoding.options.delimiter)},
          {"decimal", std::string(1, encoding.options.decimal)},
          {"header", encoding.hadHeader},
          {"units", kUnits[static_cast<size_t>(encoding.options.units)]},
          {"long_cells", encoding.options.hasLongCells},
          {"comment", encoding.options.comment},
          {"skip_lines", encoding.options.skipLines},
          {"quoted_missing", encoding.options.isQuotedMissing},
          {"all_columns", encoding.allColumns},
          {"unit_row", encoding.unitRow}};
}

TableEncoding parseTableEncoding(const Json& json, const std::string& file) {
  try {
    TableEncoding encoding;
    for (const Json& each : json.at("columns")) {
      TableColumn column;
      column.name = each.at("name").get<std::string>();
      column.isCategorical = each.contains("categories");
      if (column.isCategorical) {
        column.categories = each.at("categories").get<std::vector<std::string>>();
        column.fillCategory = each.at("fill").get<std::string>();
      }
      else {
        column.fill = each.at("fill").get<double>();
        if (each.contains("format")) column.format = parseNumberFormat(each.at("format"));
      }
      encoding.inputs.push_back(std::move(column));
    }
    encoding.isOneHot = json.at("categories").get<std::string>() == "one_hot";
    encoding.missing = static_cast<MissingPolicy>(
        placeIn(kMissingPolicies, json.at("missing").get<std::string>()));
    encoding.options.missing = json.at("missing_words").get<std::vector<std::string>>();
    const auto delimiter = json.at("delimiter").get<std::string>();
    encoding.options.delimiter = delimiter == "auto" ? '\0' : delimiter.at(0);
    encoding.options.decimal = json.at("decimal").get<std::string>().at(0);
    encoding.hadHeader = json.at("header").get<bool>();
    // Files of early versions do not have these fields.
    encoding.options.hasLongCells = json.value("long_cells", false);
    encoding.options.comment = json.value("comment", std::string());
    encoding.options.skipLines = json.value("skip_lines", int64_t{0});
    encoding.options.isQuotedMissing = json.value("quoted_missing", true);
    encoding.options.units =
        static_cast<CsvOptions::Units>(placeIn(kUnits, json.value("units", std::string("no"))));
    encoding.unitRow = json.value("unit_row", std::vector<std::string>());
    encoding.allColumns = json.at("all_columns").get<std::vector<std::string>>();
    return encoding;
  }
  catch (const std::exception&) {
    throw Error(ErrorCode::InvalidFile, file,
                "has an incomplete or invalid description of columns. Restore it from a backup, or "
                "train again.");
  }
}

}  // namespace strata

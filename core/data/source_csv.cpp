// SPDX-License-Identifier: Apache-2.0
// Tables: rows are samples, columns are numbers or categories, one or several of them the target.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "core/data/csv.h"
#include "core/data/source.h"
#include "core/data/table.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata {

namespace {

// Most categories of a column for one_hot
constexpr size_t kMaxOneHot = 1000;
constexpr int64_t kMaxDirectLabel = 1000000;

MissingPolicy missingPolicyOf(const std::string& name) {
  if (name == "mean") return MissingPolicy::Mean;
  if (name == "median") return MissingPolicy::Median;
  if (name == "value") return MissingPolicy::Value;
  if (name == "drop") return MissingPolicy::Drop;
  return MissingPolicy::Error;
}

char delimiterOf(const std::string& name) {
  if (name == "auto") return '\0';
  if (name == "tab" || name == "\\t") return '\t';
  if (name.size() == 1 && name != "\"" && name != "\n" && name != "\r") return name[0];
  throw Error(ErrorCode::InvalidProject, "/data/source/delimiter",
              "delimiter must be one character, \"tab\" or \"auto\" (got \"" + excerpt(name, 20) +
                  "\"). Correct it.");
}

/// Rows of a table as samples: damaged rows are reported and left out or replaced, rows with
/// missing values are dropped if requested.
struct TableRows {
  std::vector<size_t> rows;
  std::vector<DamagedSample> damaged;
  int64_t dropped = 0;
};

/// How label columns are converted to targets.
struct LabelPlan {
  WantedTarget wanted;
  std::vector<std::string> columns;
  bool isText = false;
  int64_t classes = 0;
  bool isClasses = false;
  // The number is the class number
  bool isDirect = false;
  // Names of the classes
  std::vector<std::string> names;
  // Class numbers by text, or by number as text
  std::map<std::string, int32_t> places;
};

std::string labelKey(const CsvTable& table, size_t row, size_t place, bool isText) {
  if (isText) return table.text(row, place);
  const double value = table.number(row, place);
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<int64_t>(value));
  return Json(value).dump();
}

class CsvLoader {
 public:
  explicit CsvLoader(const SourceInput& input)
      : m_input(input),
        m_fields(input.fields),
        m_encodings(input.inputs.size()),
        m_labels(input.targets.size()) {
    TableEncoding& first = m_encodings[0];
    CsvOptions& options = first.options;
    options.delimiter = delimiterOf(m_fields.at("delimiter").get<std::string>());
    options.decimal = m_fields.at("decimal").get<std::string>()[0];
    const auto header = m_fields.at("header").get<std::string>();
    if (header == "yes") options.header = CsvOptions::Header::Yes;
    if (header == "no") options.header = CsvOptions::Header::No;
    options.missing = m_fields.at("missing_words").get<std::vector<std::string>>();
    options.hasLongCells = m_fields.at("long_cells").get<bool>();
    first.missing = missingPolicyOf(m_fields.at("missing").get<std::string>());
    first.isOneHot = m_fields.at("categories").get<std::string>() == "one_hot";
    for (size_t i = 0; i < m_labels.size(); ++i)
      m_labels[i].wanted = input.targets[i];
  }

  LoadedSamples load() {
    LoadedSamples loaded;
    const std::string path = pathOf(m_input, "path"), testPath = pathOf(m_input, "test_path");
    if (!testPath.empty() && m_input.selection.testSplit > 0)
      throw Error(ErrorCode::InvalidProject, "/data/test_split",
                  "the source already has a test set (test_path). Remove test_split or test_path.");
    TableEncoding& first = m_encodings[0];
    auto table = std::make_shared<const CsvTable>(path, first.options);
    reportLongCells(*table, "/data/source/path", loaded.notes);
    first.options.delimiter = table->delimiter();
    first.hadHeader = table->hasHeader();
    first.allColumns = table->columns();
    std::fill(m_encodings.begin() + 1, m_encodings.end(), first);
    chooseColumns(*table);
    const TableRows rows = samplesOf(*table);
    loaded.damaged = rows.damaged;
    loaded.dropped = rows.dropped;
    if (rows.rows.empty()) {
      if (!rows.damaged.empty())
        throw Error(ErrorCode::InvalidFile, path,
                    "has no undamaged row. " + rows.damaged.front().reason);
      throw Error(
          ErrorCode::InvalidFile, path,
          "each row has a missing value, so no row is left. Set missing to mean, median or value.");
    }
    for (LabelPlan& label : m_labels)
      planLabels(label, *table, rows.rows);
    const SplitPlan plan = planSplits(m_input.selection, static_cast<int64_t>(rows.rows.size()));
    std::vector<size_t> all, test;
    for (const int32_t i : plan.train)
      all.push_back(rows.rows[static_cast<size_t>(i)]);
    for (const int32_t i : plan.test)
      test.push_back(rows.rows[static_cast<size_t>(i)]);
    const std::vector<size_t> trained(all.begin(),
                                      all.begin() + static_cast<std::ptrdiff_t>(plan.trainCount));
    for (TableEncoding& encoding : m_encodings)
      fit(encoding, *table, trained, loaded.notes);
    loaded.train = encode(*table, all);
    loaded.trainCount = plan.trainCount;
    std::vector<size_t> others(all.begin() + static_cast<std::ptrdiff_t>(plan.trainCount),
                               all.end());
    others.insert(others.end(), test.begin(), test.end());
    reportUnknownCategories(*table, others, "/data/validation_split", loaded.notes);
    if (!testPath.empty()) {
      CsvOptions options = first.options;
      options.header = first.hadHeader ? CsvOptions::Header::Yes : CsvOptions::Header::No;
      const CsvTable testTable(testPath, options);
      reportLongCells(testTable, "/data/source/test_path", loaded.notes);
      const TableRows testRows = samplesOf(testTable);
      loaded.damaged.insert(loaded.damaged.end(), testRows.damaged.begin(), testRows.damaged.end());
      loaded.dropped += testRows.dropped;
      loaded.test = encode(testTable, testRows.rows);
      reportUnknownCategories(testTable, testRows.rows, "/data/source/test_path", loaded.notes);
    }
    else {
      loaded.test = encode(*table, test);
    }
    loaded.targets.resize(m_labels.size());
    for (size_t i = 0; i < m_labels.size(); ++i) {
      loaded.targets[i].classNames = m_labels[i].names;
      loaded.targets[i].hasLabels = m_labels[i].isClasses;
    }
    loaded.encodings.clear();
    for (const TableEncoding& encoding : m_encodings)
      loaded.encodings.push_back(std::make_shared<const Json>(toJson(encoding)));
    loaded.isSplit = true;
    return loaded;
  }

 private:
  /// A missing quote may look like a text of several lines.
  static void reportLongCells(const CsvTable& table, const char* field, Diagnostics& notes) {
    if (table.longCells().empty()) return;
    const CsvTable::LongCell& first = table.longCells().front();
    addProblem(notes, "long_cell", field,
               STRATA_TEXT("data",
                           "%1, row %2, column %3: a quoted cell ends in row %4 (expected its "
                           "closing quote in the same row; number of such cells: %5). Close the "
                           "quote, or set long_cells to true if cells may contain line breaks."),
               {table.path(), std::to_string(first.line), std::to_string(first.column + 1),
                std::to_string(first.lastLine), std::to_string(table.longCells().size())});
    notes.back().severity = Severity::Warning;
  }

  static std::vector<std::string> listOf(const Json& value) {
    return value.is_array() ? value.get<std::vector<std::string>>() : std::vector<std::string>{};
  }

  static bool isIn(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  }

  void chooseColumns(const CsvTable& table) {
    const std::vector<const Json*> labels =
        valuesByName(m_input, "label", m_input.targetNames(), STRATA_TEXT("argument", "output"));
    for (size_t i = 0; i < m_labels.size(); ++i) {
      std::vector<std::string>& columns = m_labels[i].columns;
      columns = listOf(*labels[i]);
      if (columns.empty()) columns = {table.columns().back()};
      findColumns(table, columns, "label");
      m_targetColumns.insert(m_targetColumns.end(), columns.begin(), columns.end());
    }
    Diagnostics problems;
    const std::vector<const Json*> weights = weightsByOutput(m_input, problems);
    requireNoProblem(problems);
    for (const Json* each : weights) {
      m_weightColumns.push_back(each->is_string() ? each->get<std::string>() : std::string());
      if (each->is_string()) findColumns(table, {m_weightColumns.back()}, kSampleWeights);
    }
    for (const char* field : {"label", kSampleWeights})
      for (const std::string& output : m_input.untrained)
        if (const Json& given = m_fields.at(field); given.is_object() && given.contains(output))
          for (const std::string& name : given[output].is_string()
                                             ? std::vector{given[output].get<std::string>()}
                                             : listOf(given[output]))
            m_passedOver.push_back(name);
    const std::vector<const Json*> wanted =
        valuesByName(m_input, "columns", m_input.inputs, STRATA_TEXT("argument", "Input layer"));
    for (size_t i = 0; i < m_encodings.size(); ++i)
      chooseInputs(table, listOf(*wanted[i]), m_encodings[i]);
  }

  /// Finds the columns of an Input layer.
  void chooseInputs(const CsvTable& table, const std::vector<std::string>& wanted,
                    TableEncoding& encoding) {
    const std::vector<std::string> ignored = listOf(m_fields.at("ignore")),
                                   categorical = listOf(m_fields.at("categorical"));
    findColumns(table, ignored, "ignore");
    findColumns(table, categorical, "categorical");
    for (const std::string& name : m_targetColumns)
      if (isIn(wanted, name))
        throw Error(ErrorCode::InvalidProject, "/data/source/columns",
                    "\"" + excerpt(name, 60) +
                        "\" is the label, so it cannot also be an input. Remove it from columns.");
    const std::vector<std::string>& names = wanted.empty() ? table.columns() : wanted;
    const std::vector<size_t> places = findColumns(table, names, "columns");
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      const size_t place = places[i];
      if (isIn(m_targetColumns, name) || isIn(ignored, name) || isIn(m_weightColumns, name) ||
          isIn(m_passedOver, name))
        continue;
      TableColumn column;
      column.name = name;
      column.fill = m_fields.at("missing_value").get<double>();
      size_t words = 0, numbers = 0;
      for (size_t row = 0; row < table.numRows(); ++row) {
        const double value = table.number(row, place);
        if (isTextCell(value))
          ++words;
        else if (!isMissingCell(value))
          ++numbers;
      }
      column.isCategorical = isIn(categorical, name) || (words > 0 && words >= numbers);
      encoding.inputs.push_back(std::move(column));
    }
    if (encoding.inputs.empty())
      throw Error(ErrorCode::InvalidFile, table.path(),
                  "has no column left as input (" +
                      counted(static_cast<int64_t>(table.columns().size()), "column") +
                      ", expected at least one in addition to the label). " +
                      (table.columns().size() == 1 ? "Check delimiter of the source."
                                                   : "Ignore fewer columns."));
  }

  /// The problem of a row's label or weight; "" if there is none.
  std::string targetProblem(const CsvTable& table, size_t row, const std::vector<size_t>& labels,
                            const std::vector<std::optional<size_t>>& weights) const {
    for (size_t i = 0; i < labels.size(); ++i)
      if (isMissingCell(table.number(row, labels[i])))
        return table.rowName(row) + ", column \"" + excerpt(m_targetColumns[i], 60) +
               "\": the label is missing (expected a value).";
    size_t place = 0;
    // Determined by the training file
    for (const LabelPlan& label : m_labels) {
      if (label.isClasses && !classOf(label, table, row, labels[place]))
        return table.rowName(row) + ", column \"" + excerpt(label.columns[0], 60) + "\": '" +
               excerpt(labelKey(table, row, labels[place],
                                label.isText || isTextCell(table.number(row, labels[place]))),
                       40) +
               "' is not a class of the training file (expected " +
               (label.isDirect ? "0 to " + std::to_string(label.classes - 1)
                               : "one of its " + std::to_string(label.classes)) +
               ").";
      place += label.columns.size();
    }
    for (size_t i = 0; i < weights.size(); ++i)
      if (const double weight = weights[i] ? table.number(row, *weights[i]) : 0;
          !(weight >= 0 && std::isfinite(weight)))
        return table.rowName(row) + ", column \"" + excerpt(m_weightColumns[i], 60) + "\": '" +
               excerpt(table.text(row, *weights[i]), 40) +
               "' is not a weight (expected a number of at least 0).";
    return {};
  }

  TableRows samplesOf(const CsvTable& table) const {
    TableRows result;
    const std::vector<RowEncoder> encoders = encodersOf(table);
    const MissingPolicy missingPolicy = m_encodings[0].missing;
    const std::vector<size_t> labels = placesOf(table, m_targetColumns);
    const std::vector<std::optional<size_t>> weights = weightPlaces(table);
    const auto isMissing = [&](size_t row, size_t place) {
      return isMissingCell(table.number(row, place));
    };
    const auto hasMissing = [&](size_t row) {
      if (std::any_of(encoders.begin(), encoders.end(),
                      [&](const RowEncoder& each) { return each.hasMissing(row); }))
        return true;
      // Such a row is damaged
      if (missingPolicy != MissingPolicy::Drop) return false;
      return std::any_of(labels.begin(), labels.end(),
                         [&](size_t place) { return isMissing(row, place); }) ||
             std::any_of(weights.begin(), weights.end(),
                         [&](const auto& place) { return place && isMissing(row, *place); });
    };
    const auto problemOf = [&](size_t row) {
      std::string problem;
      for (size_t i = 0; i < encoders.size() && problem.empty(); ++i)
        problem = encoders[i].rowProblem(row);
      return problem;
    };
    constexpr size_t kNone = SIZE_MAX;
    // kNone: a damaged row
    std::vector<size_t> order;
    size_t ragged = 0, missing = 0, firstMissing = 0;
    const auto damage = [&](const std::string& reason) {
      result.damaged.push_back({table.path(), reason});
      order.push_back(kNone);
    };
    for (size_t row = 0; row <= table.numRows(); ++row) {
      for (; ragged < table.ragged().size() && table.ragged()[ragged].before <= row; ++ragged)
        damage(table.ragged()[ragged].reason);
      if (row == table.numRows()) break;
      if (hasMissing(row) &&
          (missingPolicy == MissingPolicy::Error || missingPolicy == MissingPolicy::Drop)) {
        if (missing++ == 0) firstMissing = row;
        continue;
      }
      std::string problem = problemOf(row);
      if (problem.empty()) problem = targetProblem(table, row, labels, weights);
      if (problem.empty())
        order.push_back(row);
      else
        damage(problem);
    }
    if (missing > 0 && missingPolicy == MissingPolicy::Error)
      throw Error(ErrorCode::InvalidFile, table.path(),
                  problemOf(firstMissing) +
                      " Rows with missing values: " + std::to_string(missing) +
                      ". Set missing of the source to mean, median, value or drop.");
    result.dropped = static_cast<int64_t>(missing);
    const auto firstGood =
        std::find_if(order.begin(), order.end(), [](size_t row) { return row != SIZE_MAX; });
    size_t standIn = firstGood == order.end() ? kNone : *firstGood;
    for (const size_t row : order) {
      if (row != kNone) standIn = row;
      if (row != kNone || (m_input.replacesDamaged && standIn != kNone))
        result.rows.push_back(standIn);
    }
    return result;
  }

  std::vector<RowEncoder> encodersOf(const CsvTable& table) const {
    std::vector<RowEncoder> encoders;
    for (const TableEncoding& encoding : m_encodings)
      encoders.emplace_back(encoding, table);
    return encoders;
  }

  /// Indices of the target columns.
  std::vector<size_t> placesOf(const CsvTable& table,
                               const std::vector<std::string>& columns) const {
    const TableEncoding& first = m_encodings[0];
    if (!first.hadHeader && table.columns().size() != first.allColumns.size())
      throw Error(ErrorCode::InvalidFile, table.path(),
                  "has " + counted(static_cast<int64_t>(table.columns().size()), "column") +
                      " (expected " + std::to_string(first.allColumns.size()) +
                      ", as the training file). Choose the matching file.");
    return findColumns(table, columns, "label");
  }
  /// Index of the weight column of each output.
  std::vector<std::optional<size_t>> weightPlaces(const CsvTable& table) const {
    std::vector<std::optional<size_t>> places;
    for (const std::string& name : m_weightColumns)
      places.push_back(name.empty() ? std::nullopt
                                    : std::optional(findColumns(table, {name}, kSampleWeights)[0]));
    return places;
  }

  /// Determines the classes if the loss needs them, or if labels are words.
  void planLabels(LabelPlan& label, const CsvTable& table, const std::vector<size_t>& rows) const {
    const std::vector<size_t> places = placesOf(table, label.columns);
    size_t words = 0;
    bool isWhole = true;
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    size_t fraction = 0;
    for (size_t k = 0; k < rows.size(); ++k)
      for (const size_t place : places) {
        const double value = table.number(rows[k], place);
        if (isTextCell(value)) {
          ++words;
          continue;
        }
        if (isIgnored(label, value)) continue;
        if (value != std::floor(value) && isWhole) {
          isWhole = false;
          fraction = rows[k];
        }
        lowest = std::min(lowest, value);
        highest = std::max(highest, value);
      }
    label.isClasses = label.wanted.isSparseTarget || words > 0;
    if (!label.isClasses) return;
    if (places.size() > 1)
      throw Error(ErrorCode::InvalidProject, "/data/source/label",
                  "classes need one label column (expected 1, got " +
                      std::to_string(places.size()) +
                      (words > 0 ? "; some contain words" : "; the loss needs class numbers") +
                      "). Choose one.");
    label.isText = words > 0;
    if (!label.isText && !isWhole)
      throw Error(ErrorCode::InvalidFile, table.path(),
                  table.rowName(fraction) + ", column \"" + excerpt(label.columns[0], 60) +
                      "\": the label " + Json(table.number(fraction, places[0])).dump() +
                      " is not a class (expected integers or words). Choose mean_squared_error, or "
                      "another label column.");
    // If the loss ignores a class by number, labels are the class numbers.
    label.isDirect = !label.isText &&
                     (lowest == 0 || (label.wanted.ignored && lowest >= 0 && highest >= 0)) &&
                     highest <= static_cast<double>(kMaxDirectLabel);
    if (label.isDirect) {
      label.names = numbersAsNames(static_cast<int64_t>(highest) + 1);
      label.classes = static_cast<int64_t>(highest) + 1;
      return;
    }
    if (label.isText) {
      std::set<std::string> known;
      for (const size_t row : rows)
        known.insert(labelKey(table, row, places[0], true));
      label.names.assign(known.begin(), known.end());
    }
    else {
      // In increasing order
      std::map<double, std::string> known;
      for (const size_t row : rows)
        if (const double value = table.number(row, places[0]); !isIgnored(label, value))
          known.emplace(value, labelKey(table, row, places[0], false));
      for (const auto& [value, name] : known)
        label.names.push_back(name);
    }
    label.classes = static_cast<int64_t>(label.names.size());
    requireLossForWords(label, table);
    for (size_t i = 0; i < label.names.size(); ++i)
      label.places.emplace(label.names[i], static_cast<int32_t>(i));
  }

  /// A loss that compares values would treat the index of a word as a quantity.
  static void requireLossForWords(const LabelPlan& label, const CsvTable& table) {
    if (label.wanted.isSparseTarget || label.wanted.loss.empty() ||
        label.wanted.loss == "categorical_crossentropy")
      // The check reports the last of these
      return;
    const std::string words =
        "column \"" + excerpt(label.columns[0], 60) + "\": the labels are words";
    if (label.wanted.loss.starts_with("binary") || label.wanted.loss.ends_with("hinge")) {
      if (label.classes <= 2) return;
      throw Error(ErrorCode::InvalidFile, table.path(),
                  words + " of " + std::to_string(label.classes) + " classes, but " +
                      label.wanted.loss +
                      " supports only two (expected 2). Choose sparse_categorical_crossentropy.");
    }
    throw Error(ErrorCode::InvalidFile, table.path(),
                words + ", but " + label.wanted.loss +
                    " compares values (expected numbers). Choose sparse_categorical_crossentropy, "
                    "or another label.");
  }

  static void fit(TableEncoding& encoding, const CsvTable& table,
                  const std::vector<size_t>& trained, Diagnostics& notes) {
    fitTable(encoding, table, trained);
    for (const TableColumn& column : encoding.inputs) {
      const size_t count = column.categories.size();
      if (encoding.isOneHot && count > kMaxOneHot)
        throw Error(ErrorCode::InvalidFile, table.path(),
                    "column \"" + excerpt(column.name, 60) + "\" has " + std::to_string(count) +
                        " categories (expected at most " + std::to_string(kMaxOneHot) +
                        " for one_hot). Add it to ignore, or set categories to integer.");
      if (column.isCategorical && count > 20 && count * 2 > trained.size()) {
        addProblem(notes, "many_categories", "/data/source/ignore",
                   STRATA_TEXT("data",
                               "Column \"%1\" has %2 different text values in %3 rows, so it only "
                               "identifies rows. Add it to ignore."),
                   {column.name, std::to_string(count), std::to_string(trained.size())});
        notes.back().severity = Severity::Warning;
      }
    }
  }

  /// Warns for each column about words that occur only outside the training part.
  void reportUnknownCategories(const CsvTable& table, const std::vector<size_t>& rows,
                               const char* field, Diagnostics& notes) const {
    struct Unknown {
      size_t firstRow;
      std::string first;
      std::set<std::string> words;
    };
    std::map<std::string, Unknown> columns;
    for (const RowEncoder& encoder : encodersOf(table))
      for (const size_t row : rows)
        for (const UnknownCategory& each : encoder.unknownCategories(row))
          columns.try_emplace(each.column, Unknown{row, each.word, {}})
              .first->second.words.insert(each.word);
    for (const auto& [column, unknown] : columns) {
      addProblem(notes, "unknown_category", field,
                 STRATA_TEXT(
                     "data",
                     "%1, row %2, column \"%3\": '%4' does not occur in the training set (expected "
                     "one of its categories), so it is treated as unknown; number of such values: "
                     "%5. Correct it, or put rows with this value into the training set."),
                 {table.path(), std::to_string(table.line(unknown.firstRow)), excerpt(column, 60),
                  excerpt(unknown.first, 40), std::to_string(unknown.words.size())});
      notes.back().severity = Severity::Warning;
    }
  }

  std::shared_ptr<const Samples> encode(const CsvTable& table,
                                        const std::vector<size_t>& rows) const {
    auto samples = std::make_shared<Samples>();
    const auto count = static_cast<int64_t>(rows.size());
    int64_t width = 0;
    for (const TableEncoding& encoding : m_encodings)
      width += encoding.width();
    const size_t bytes = rows.size() * static_cast<size_t>(width) * sizeof(float);
    if (bytes > availableMemoryBytes() / 2)
      throw Error(ErrorCode::OutOfMemory, table.path(),
                  "does not fit into memory (" + counted(count, "row") + " of " +
                      counted(width, "number") + " need " + std::to_string(bytes) +
                      " bytes, available: " + std::to_string(availableMemoryBytes()) +
                      "). Set take, or ignore columns.");
    samples->x.clear();
    const std::vector<RowEncoder> encoders = encodersOf(table);
    for (size_t k = 0; k < encoders.size(); ++k) {
      const int64_t own = m_encodings[k].width();
      Tensor& x = samples->x.emplace_back(DType::F32, Shape{count, own});
      for (size_t i = 0; i < rows.size(); ++i)
        encoders[k].encode(rows[i], x.as<float>().data() + i * static_cast<size_t>(own));
    }
    samples->y.clear();
    for (const LabelPlan& label : m_labels)
      samples->y.push_back(targetsOf(label, table, rows));
    for (const std::optional<size_t> place : weightPlaces(table)) {
      Tensor& weights =
          samples->weights.emplace_back(place ? Tensor(DType::F32, Shape{count}) : Tensor());
      for (size_t i = 0; place && i < rows.size(); ++i)
        weights.as<float>()[i] = static_cast<float>(table.number(rows[i], *place));
    }
    std::vector<int64_t> lines;
    for (const size_t row : rows)
      lines.push_back(table.line(row));
    samples->origin = [path = table.path(), lines = std::move(lines)](int64_t i) {
      return path + ", row " + std::to_string(lines.at(static_cast<size_t>(i)));
    };
    return samples;
  }

  Tensor targetsOf(const LabelPlan& label, const CsvTable& table,
                   const std::vector<size_t>& rows) const {
    const std::vector<size_t> places = placesOf(table, label.columns);
    const auto count = static_cast<int64_t>(rows.size());
    if (label.isClasses) {
      Tensor y(DType::I32, Shape{count});
      for (size_t i = 0; i < rows.size(); ++i)
        y.as<int32_t>()[i] = classOf(label, table, rows[i], places[0]).value();
      return y;
    }
    Tensor y(DType::F32,
             places.size() == 1 ? Shape{count} : Shape{count, static_cast<int64_t>(places.size())});
    for (size_t i = 0; i < rows.size(); ++i)
      for (size_t k = 0; k < places.size(); ++k)
        y.as<float>()[i * places.size() + k] = static_cast<float>(table.number(rows[i], places[k]));
    return y;
  }

  static bool isIgnored(const LabelPlan& label, double value) {
    return label.wanted.ignored && value == static_cast<double>(*label.wanted.ignored);
  }

  /// The class number of a label; absent if the training rows do not have it.
  static std::optional<int32_t> classOf(const LabelPlan& label, const CsvTable& table, size_t row,
                                        size_t place) {
    const double value = table.number(row, place);
    if (!label.isText && isIgnored(label, value)) return static_cast<int32_t>(value);
    if (label.isDirect) {
      const bool isClass = !isTextCell(value) && value >= 0 &&
                           value < static_cast<double>(label.classes) && value == std::floor(value);
      return isClass ? std::optional(static_cast<int32_t>(value)) : std::nullopt;
    }
    const auto found =
        label.places.find(labelKey(table, row, place, label.isText || isTextCell(value)));
    return found == label.places.end() ? std::nullopt : std::optional(found->second);
  }

  const SourceInput& m_input;
  const Json& m_fields;
  // Encodings of the Input layers; their text options are equal
  std::vector<TableEncoding> m_encodings;
  // Plans of the outputs
  std::vector<LabelPlan> m_labels;
  // Target columns of all outputs
  std::vector<std::string> m_targetColumns;
  // Columns of outputs that are not trained
  std::vector<std::string> m_passedOver;
  // Weight columns of the outputs; "" if all weights are equal
  std::vector<std::string> m_weightColumns;
};

LoadedSamples loadCsv(const SourceInput& input) { return CsvLoader(input).load(); }

std::string csvState(const SourceInput& input) {
  std::string state = fileState(pathOf(input, "path"));
  if (const std::string test = pathOf(input, "test_path"); !test.empty()) state += fileState(test);
  return state;
}

FieldSchema listField(const char* name, const char* defaultJson, Text title, Text help) {
  FieldSchema field = dataField(name, FieldType::StringList, defaultJson, title, help);
  field.count = 1;
  return field;
}

}  // namespace

SourceDef csvSource() {
  SourceDef source;
  Schema& schema = source.schema;
  schema.type = "csv";
  schema.group = "Source";
  schema.help = STRATA_TEXT("data",
                            "A text table with one sample per row; columns contain numbers or text "
                            "(categories), and one or more columns are the target.");
  schema.source = "RFC 4180";
  FieldSchema delimiter = textField(
      "delimiter", STRATA_TEXT("data", "Delimiter"),
      STRATA_TEXT(
          "data",
          "Delimiter between cells: one character, tab, or auto to detect it from the first row."));
  delimiter.defaultJson = "\"auto\"";
  schema.fields = {
      pathField(PathKind::File, "path", STRATA_TEXT("data", "File"),
                STRATA_TEXT("data", "Path of the table, relative to the project file.")),
      pathField(PathKind::File, "test_path", STRATA_TEXT("data", "Test file"),
                STRATA_TEXT("data", "Table with the same columns, used as the test set."), true),
      listField("label", "null", STRATA_TEXT("data", "Label"),
                STRATA_TEXT("data",
                            "Name of the target column, or a list of names; by default the last "
                            "column. Without a header, columns are named 0, 1, and so on. With "
                            "several outputs, an object with a list for each output.")),
      listField("columns", "null", STRATA_TEXT("data", "Columns"),
                STRATA_TEXT("data",
                            "Names of the input columns; by default all except the target columns. "
                            "With several Input layers, an object with a list for each layer.")),
      listField("ignore", "[]", STRATA_TEXT("data", "Ignore"),
                STRATA_TEXT("data", "Names of the columns to leave out.")),
      listField(
          "categorical", "[]", STRATA_TEXT("data", "Categorical columns"),
          STRATA_TEXT("data",
                      "Names of numeric columns to treat as categories; text columns always are.")),
      choiceField("categories", "\"one_hot\"", {"one_hot", "integer"},
                  STRATA_TEXT("data", "Category encoding"),
                  STRATA_TEXT("data",
                              "one_hot: one value per category; integer: an index starting at 1, "
                              "for an Embedding layer; 0 means unknown.")),
      choiceField(
          "missing", "\"error\"", {"error", "mean", "median", "value", "drop"},
          STRATA_TEXT("data", "Missing values"),
          STRATA_TEXT("data",
                      "error: report an error; mean, median: use the mean or median of the "
                      "training set (for text, its most frequent value); value: use a fixed value; "
                      "drop: remove the row, even if only its label is missing.")),
      dataField("missing_value", FieldType::Number, "0.0", STRATA_TEXT("data", "Value"),
                STRATA_TEXT("data", "Number that replaces missing numbers if missing is value.")),
      listField(
          "missing_words", R"(["NA", "N/A", "NaN", "nan", "null", "NULL", "None", "none", "?"])",
          STRATA_TEXT("data", "Missing value markers"),
          STRATA_TEXT("data", "Text that marks a missing value, in addition to empty cells.")),
      choiceField(
          "header", "\"auto\"", {"auto", "yes", "no"}, STRATA_TEXT("data", "Header"),
          STRATA_TEXT(
              "data",
              "Whether the first row contains column names; auto: detected from the first rows.")),
      delimiter,
      choiceField("decimal", "\".\"", {".", ","}, STRATA_TEXT("data", "Decimal separator"),
                  STRATA_TEXT("data", "Character before the fractional part of a number.")),
      dataField(
          "long_cells", FieldType::Boolean, "false", STRATA_TEXT("data", "Line breaks in cells"),
          STRATA_TEXT("data",
                      "Quoted cells may contain line breaks. If false, up to 3 such cells give a "
                      "warning and more give an error, because a missing quote looks the same.")),
      textField(
          kSampleWeights, STRATA_TEXT("data", "Sample weights"),
          STRATA_TEXT("data",
                      "Name of the column with the weight of each sample in the loss, or an object "
                      "with a column for each output; by default all weights are equal."),
          true)};
  source.ofInputs = {"columns"};
  source.ofOutputs = {"label", kSampleWeights};
  source.load = loadCsv;
  source.state = csvState;
  return source;
}

}  // namespace strata

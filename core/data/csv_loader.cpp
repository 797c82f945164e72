// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv_loader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/data/csv.h"
#include "core/data/csv_labels.h"
#include "core/data/table.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata {

namespace {

// The maximum number of categories of a column that is one-hot encoded
constexpr size_t kMaxOneHot = 1000;

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

/// The rows of a table that become samples.
struct TableRows {
  // The row of each sample. A row that replaces damaged ones occurs several times.
  std::vector<size_t> rows;
  std::vector<DamagedSample> damaged;
  // Number of rows that were dropped because of a missing value
  int64_t dropped = 0;
};

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
      planLabels(label, *table, rows.rows, labelColumns(*table, label.columns));
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
  /// Warns about cells with several lines, because a missing quote may be the reason.
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

  /// Chooses the columns of all outputs and Input layers.
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
            m_untrainedColumns.push_back(name);
    const std::vector<const Json*> wanted =
        valuesByName(m_input, "columns", m_input.inputs, STRATA_TEXT("argument", "Input layer"));
    for (size_t i = 0; i < m_encodings.size(); ++i)
      chooseInputs(table, listOf(*wanted[i]), m_encodings[i]);
  }

  /// Chooses the columns of an Input layer, and decides which of them contain categories.
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
          isIn(m_untrainedColumns, name))
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

  /// Returns the problem of a row's label or weight, or "" if there is none.
  std::string targetProblem(const CsvTable& table, size_t row, const std::vector<size_t>& labels,
                            const std::vector<std::optional<size_t>>& weights) const {
    for (size_t i = 0; i < labels.size(); ++i)
      if (isMissingCell(table.number(row, labels[i])))
        return table.rowName(row) + ", column \"" + excerpt(m_targetColumns[i], 60) +
               "\": the label is missing (expected a value).";
    // The training file determines the classes, so only rows of the test file can fail here.
    size_t column = 0;
    for (const LabelPlan& label : m_labels) {
      if (label.isClasses && !classOfLabel(label, table, row, labels[column]))
        return table.rowName(row) + ", column \"" + excerpt(label.columns[0], 60) + "\": '" +
               excerpt(labelText(label, table, row, labels[column]), 40) +
               "' is not a class of the training file (expected " +
               (label.isDirect ? "0 to " + std::to_string(label.classes - 1)
                               : "one of its " + std::to_string(label.classes)) +
               ").";
      column += label.columns.size();
    }
    for (size_t i = 0; i < weights.size(); ++i)
      if (const double weight = weights[i] ? table.number(row, *weights[i]) : 0;
          !(weight >= 0 && std::isfinite(weight)))
        return table.rowName(row) + ", column \"" + excerpt(m_weightColumns[i], 60) + "\": '" +
               excerpt(table.text(row, *weights[i]), 40) +
               "' is not a weight (expected a number of at least 0).";
    return {};
  }

  /// Selects the rows that become samples. Lists damaged rows, and omits or replaces them. Drops
  /// rows with missing values if the field `missing` is "drop". Fails: InvalidFile if values are
  /// missing and `missing` is "error".
  TableRows samplesOf(const CsvTable& table) const {
    TableRows result;
    const std::vector<RowEncoder> encoders = encodersOf(table);
    const MissingPolicy missingPolicy = m_encodings[0].missing;
    const std::vector<size_t> labels = labelColumns(table, m_targetColumns);
    const std::vector<std::optional<size_t>> weights = weightColumns(table);
    const auto isMissing = [&](size_t row, size_t column) {
      return isMissingCell(table.number(row, column));
    };
    const auto hasMissing = [&](size_t row) {
      if (std::any_of(encoders.begin(), encoders.end(),
                      [&](const RowEncoder& each) { return each.hasMissing(row); }))
        return true;
      // Unless rows with missing values are dropped, a row without a label or weight counts as
      // damaged.
      if (missingPolicy != MissingPolicy::Drop) return false;
      return std::any_of(labels.begin(), labels.end(),
                         [&](size_t column) { return isMissing(row, column); }) ||
             std::any_of(weights.begin(), weights.end(),
                         [&](const auto& column) { return column && isMissing(row, *column); });
    };
    const auto problemOf = [&](size_t row) {
      std::string problem;
      for (size_t i = 0; i < encoders.size() && problem.empty(); ++i)
        problem = encoders[i].rowProblem(row);
      return problem;
    };
    // The rows in the order of the file. kDamaged stands for a damaged row.
    constexpr size_t kDamaged = SIZE_MAX;
    std::vector<size_t> order;
    size_t ragged = 0, missing = 0, firstMissing = 0;
    const auto damage = [&](const std::string& reason) {
      result.damaged.push_back({table.path(), reason});
      order.push_back(kDamaged);
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
        std::find_if(order.begin(), order.end(), [](size_t row) { return row != kDamaged; });
    size_t replacement = firstGood == order.end() ? kDamaged : *firstGood;
    for (const size_t row : order) {
      if (row != kDamaged) replacement = row;
      if (row != kDamaged || (m_input.replacesDamaged && replacement != kDamaged))
        result.rows.push_back(replacement);
    }
    return result;
  }

  std::vector<RowEncoder> encodersOf(const CsvTable& table) const {
    std::vector<RowEncoder> encoders;
    for (const TableEncoding& encoding : m_encodings)
      encoders.emplace_back(encoding, table);
    return encoders;
  }

  /// Returns the indices of these label columns in the table. Fails: InvalidFile if a table without
  /// a header has a different number of columns than the training file.
  std::vector<size_t> labelColumns(const CsvTable& table,
                                   const std::vector<std::string>& columns) const {
    const TableEncoding& first = m_encodings[0];
    if (!first.hadHeader && table.columns().size() != first.allColumns.size())
      throw Error(ErrorCode::InvalidFile, table.path(),
                  "has " + counted(static_cast<int64_t>(table.columns().size()), "column") +
                      " (expected " + std::to_string(first.allColumns.size()) +
                      ", as the training file). Choose the matching file.");
    return findColumns(table, columns, "label");
  }

  /// Returns the index of each output's weight column; nullopt for outputs without one.
  std::vector<std::optional<size_t>> weightColumns(const CsvTable& table) const {
    std::vector<std::optional<size_t>> columns;
    for (const std::string& name : m_weightColumns)
      columns.push_back(name.empty()
                            ? std::nullopt
                            : std::optional(findColumns(table, {name}, kSampleWeights)[0]));
    return columns;
  }

  /// Learns the encoding from the training rows. Refuses or reports columns with too many
  /// categories.
  static void fit(TableEncoding& encoding, const CsvTable& table,
                  const std::vector<size_t>& trained, Diagnostics& notes) {
    fitTable(encoding, table, trained);
    for (const TableColumn& column : encoding.inputs) {
      const size_t count = column.categories.size();
      if (encoding.isOneHot && count > kMaxOneHot)
        throw Error(
            ErrorCode::InvalidFile, table.path(),
            "column \"" + excerpt(column.name, 60) + "\" has " + std::to_string(count) +
                " categories (expected at most " + std::to_string(kMaxOneHot) +
                " for one_hot). Add it to the list \"ignore\", or set categories to integer.");
      if (column.isCategorical && count > 20 && count * 2 > trained.size()) {
        addProblem(notes, "many_categories", "/data/source/ignore",
                   STRATA_TEXT("data",
                               "Column \"%1\" has %2 different text values in %3 rows, so it may "
                               "only identify rows. Add it to the list \"ignore\"."),
                   {column.name, std::to_string(count), std::to_string(trained.size())});
        notes.back().severity = Severity::Warning;
      }
    }
  }

  /// Warns about categories that do not occur in the training set, once per column.
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
      samples->y.push_back(targetsOfRows(label, table, rows, labelColumns(table, label.columns)));
    for (const std::optional<size_t> column : weightColumns(table)) {
      Tensor& weights =
          samples->weights.emplace_back(column ? Tensor(DType::F32, Shape{count}) : Tensor());
      for (size_t i = 0; column && i < rows.size(); ++i)
        weights.as<float>()[i] = static_cast<float>(table.number(rows[i], *column));
    }
    std::vector<int64_t> lines;
    for (const size_t row : rows)
      lines.push_back(table.line(row));
    samples->origin = [path = table.path(), lines = std::move(lines)](int64_t i) {
      return path + ", row " + std::to_string(lines.at(static_cast<size_t>(i)));
    };
    return samples;
  }

  const SourceInput& m_input;
  const Json& m_fields;
  // The encoding of each Input layer. Options for reading text are the same in all of them.
  std::vector<TableEncoding> m_encodings;
  // The labels of each trained output
  std::vector<LabelPlan> m_labels;
  // The label columns of all trained outputs
  std::vector<std::string> m_targetColumns;
  // Label and weight columns of outputs without a loss, which are not inputs either
  std::vector<std::string> m_untrainedColumns;
  // The weight column of each trained output; "" for outputs without one
  std::vector<std::string> m_weightColumns;
};

}  // namespace

LoadedSamples loadCsv(const SourceInput& input) { return CsvLoader(input).load(); }

}  // namespace strata

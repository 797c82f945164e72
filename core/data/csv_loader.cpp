// SPDX-License-Identifier: Apache-2.0
#include "core/data/csv_loader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/data/csv.h"
#include "core/data/csv_fields.h"
#include "core/data/csv_formats.h"
#include "core/data/csv_labels.h"
#include "core/data/csv_reports.h"
#include "core/data/csv_words.h"
#include "core/data/data_problems.h"
#include "core/data/float_loss.h"
#include "core/data/likely_label.h"
#include "core/data/table.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata {

namespace {

/// The rows of a table that become samples.
struct TableRows {
  // The row of each sample. A row that replaces damaged ones occurs several times.
  std::vector<size_t> rows;
  std::vector<DamagedSample> damaged;
  // Number of rows that were dropped because of a missing value
  int64_t dropped = 0;
};

/// Words in columns of numbers that probably stand for missing values.
struct MissingWords {
  std::map<size_t, std::set<std::string>> ofColumns;
  std::vector<Fix> fixes;
  /// Returns such a word of the row, or "" if the row has none, or other words in these columns.
  std::string wordIn(const CsvTable& table, size_t row) const {
    std::string word;
    for (const auto& [place, words] : ofColumns) {
      if (!isTextCell(table.number(row, place))) continue;
      word = table.text(row, place);
      if (!words.contains(word)) return {};
    }
    return word;
  }
};

class CsvLoader {
 public:
  explicit CsvLoader(const SourceInput& input)
      : m_input(input),
        m_fields(input.fields),
        m_encodings(input.inputs.size()),
        m_labels(input.targets.size()) {
    TableEncoding& first = m_encodings[0];
    first.options = csvOptionsOf(m_fields);
    first.missing = missingPolicyOf(m_fields);
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
    const auto table = std::make_shared<CsvTable>(path, first.options);
    reportLongCells(*table, "/data/source/path", loaded.notes);
    reportBeginning(*table, m_fields, loaded.notes);
    requireNamesInPlace(*table);
    first.options.delimiter = table->delimiter();
    first.hadHeader = table->hasHeader();
    first.allColumns = table->columns();
    first.unitRow = table->beginning().units;
    std::fill(m_encodings.begin() + 1, m_encodings.end(), first);
    chooseTargets(*table, loaded.notes);
    readNumbers(*table, loaded.notes);
    chooseInputs(*table);
    const std::set<std::string> mixed =
        reportMixedNotations(*table, m_formats, m_encodings, m_fields, loaded.notes);
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
    planAllLabels(*table, rows.rows, loaded.notes);
    const SplitPlan plan = planSplits(m_input.selection, static_cast<int64_t>(rows.rows.size()),
                                      false, classesForSplit(*table, rows.rows));
    std::vector<size_t> all, test;
    for (const int32_t i : plan.train)
      all.push_back(rows.rows[static_cast<size_t>(i)]);
    for (const int32_t i : plan.test)
      test.push_back(rows.rows[static_cast<size_t>(i)]);
    const std::vector<size_t> trained(all.begin(),
                                      all.begin() + static_cast<std::ptrdiff_t>(plan.trainCount));
    for (TableEncoding& encoding : m_encodings)
      fitTable(encoding, *table, trained);
    const std::set<std::string> known =
        reportTextsOfNumbers(m_encodings, mixed, m_fields, loaded.notes);
    for (const TableEncoding& encoding : m_encodings) {
      reportRowNumbers(encoding, *table, m_fields, loaded.notes);
      reportLongNumbers(encoding, *table, m_fields, loaded.notes);
    }
    for (const TableEncoding& encoding : m_encodings)
      reportManyCategories(encoding, *table, trained.size(), known, loaded.notes);
    reportColumnsWithoutValues(m_encodings, *table, trained, m_fields, loaded.notes);
    reportSimilarWords(m_encodings, m_labels, *table, rows.rows, m_fields, loaded.notes);
    choosePrecision(*table, trained);
    loaded.train = encode(*table, all);
    countFilled(*table, all);
    loaded.trainCount = plan.trainCount;
    std::vector<size_t> others(all.begin() + static_cast<std::ptrdiff_t>(plan.trainCount),
                               all.end());
    others.insert(others.end(), test.begin(), test.end());
    reportUnknownCategories(encodersOf(*table), *table, others, "/data/validation_split",
                            loaded.notes);
    if (!testPath.empty()) {
      loadTestFile(*table, testPath, loaded);
    }
    else {
      loaded.test = encode(*table, test);
      countFilled(*table, test);
    }
    for (const LabelPlan& label : m_labels)
      if (!label.isClasses)
        reportLabelDigits(label, *table, all, labelColumns(*table, label.columns), loaded.notes);
    describe(loaded);
    return loaded;
  }

 private:
  /// If a label does not fit and was chosen by default, the error proposes the column whose name
  /// means a label.
  void planAllLabels(const CsvTable& table, const std::vector<size_t>& rows, Diagnostics& notes) {
    try {
      for (LabelPlan& label : m_labels) {
        planLabels(label, table, rows, labelColumns(table, label.columns));
        reportUnusedLabels(label, notes);
      }
    }
    catch (const Error& error) {
      const auto guess = std::ranges::find(notes, "default_label", &Diagnostic::code);
      if (guess == notes.end()) throw;
      throw FixableError(error.code(), error.subject(),
                         std::string(error.what()) + " By its name, \"" +
                             excerpt(likelyLabel(table.columns()), 60) + "\" may be the label.",
                         guess->fixes);
    }
  }

  void loadTestFile(const CsvTable& table, const std::string& path, LoadedSamples& loaded) {
    CsvOptions options = m_encodings[0].options;
    // The delimiter is recognized again, because another program may have written the file
    options.delimiter = csvOptionsOf(m_fields).delimiter;
    options.header = m_encodings[0].hadHeader ? CsvOptions::Header::Yes : CsvOptions::Header::No;
    CsvTable test(path, options);
    readNumbersOfTest(table, test);
    reportLongCells(test, "/data/source/test_path", loaded.notes);
    reportBeginning(test, m_fields, loaded.notes);
    reportOtherUnits(table, test, loaded.notes);
    const TableRows rows = samplesOf(test);
    loaded.damaged.insert(loaded.damaged.end(), rows.damaged.begin(), rows.damaged.end());
    loaded.dropped += rows.dropped;
    loaded.test = encode(test, rows.rows);
    countFilled(test, rows.rows);
    reportUnknownCategories(encodersOf(test), test, rows.rows, "/data/source/test_path",
                            loaded.notes);
  }

  /// Fills in everything except the samples.
  void describe(LoadedSamples& loaded) const {
    loaded.filled = m_filled;
    reportFilledWords(m_filled, m_fields, loaded.notes);
    loaded.targets.resize(m_labels.size());
    for (size_t i = 0; i < m_labels.size(); ++i) {
      loaded.targets[i].classNames = m_labels[i].names;
      loaded.targets[i].hasLabels = m_labels[i].isClasses;
    }
    loaded.encodings.clear();
    for (const TableEncoding& encoding : m_encodings)
      loaded.encodings.push_back(std::make_shared<const Json>(toJson(encoding)));
    loaded.isSplit = true;
  }

  static bool isIn(const std::vector<std::string>& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  }

  /// Chooses the label and weight columns of all outputs.
  void chooseTargets(const CsvTable& table, Diagnostics& notes) {
    const std::vector<const Json*> labels =
        valuesByName(m_input, "label", m_input.targetNames(), STRATA_TEXT("argument", "output"));
    for (size_t i = 0; i < m_labels.size(); ++i) {
      std::vector<std::string>& columns = m_labels[i].columns;
      columns = columnsOf(table, *labels[i], "label");
      if (columns.empty()) {
        columns = {table.columns().back()};
        if (m_labels.size() == 1) reportDefaultLabel(table.columns(), m_fields, notes);
      }
      m_targetColumns.insert(m_targetColumns.end(), columns.begin(), columns.end());
    }
    Diagnostics problems;
    const std::vector<const Json*> weights = weightsByOutput(m_input, problems);
    requireNoProblem(problems);
    for (const Json* each : weights)
      m_weightColumns.push_back(each->is_string() ? columnsOf(table, *each, kSampleWeights)[0]
                                                  : std::string());
    for (const char* field : {"label", kSampleWeights})
      for (const std::string& output : m_input.untrained)
        if (const Json& given = m_fields.at(field); given.is_object() && given.contains(output))
          for (const std::string& name : namesOf(given[output]))
            m_untrainedColumns.push_back(name);
    m_ignored = columnsOf(table, m_fields.at("ignore"), "ignore");
    m_categorical = columnsOf(table, m_fields.at("categorical"), "categorical");
    m_numeric = columnsOf(table, m_fields.at("numeric"), "numeric");
  }

  /// Reads columns in the notation of their numbers, except those of categories and class labels.
  void readNumbers(CsvTable& table, Diagnostics& notes) {
    std::vector<std::string> kept = m_categorical;
    for (const LabelPlan& label : m_labels)
      if (label.wanted.isSparseTarget)
        kept.insert(kept.end(), label.columns.begin(), label.columns.end());
    for (const auto* names : {&m_ignored, &m_untrainedColumns})
      kept.insert(kept.end(), names->begin(), names->end());
    const std::set<std::string> wanted = wantedColumns(table);
    for (FoundFormat& found : findNumberFormats(table, decimalOf(m_fields))) {
      const std::string& name = table.columns()[found.column];
      if (isIn(kept, name) || !wanted.contains(name)) continue;
      if (!found.isMixed) m_formatOf.emplace(found.column, found.format);
      m_formats.push_back(std::move(found));
    }
    table.setFormats(m_formatOf);
    reportFormats(table, m_formats, m_fields, m_numeric, notes);
  }

  /// Reads the columns of the test file in the same notation.
  void readNumbersOfTest(const CsvTable& table, CsvTable& test) const {
    std::map<size_t, NumberFormat> formats;
    for (const auto& [column, format] : m_formatOf) {
      const std::string& name = table.columns()[column];
      // applyFormats() reads the inputs.
      if (isIn(m_targetColumns, name) || isIn(m_weightColumns, name))
        formats.emplace(findColumns(test, {name}, "label")[0], format);
    }
    applyFormats(m_encodings, test);
    test.setFormats(formats);
  }

  /// Returns the columns that a network may use: labels, weights and inputs.
  std::set<std::string> wantedColumns(const CsvTable& table) const {
    std::set<std::string> wanted(m_targetColumns.begin(), m_targetColumns.end());
    wanted.insert(m_weightColumns.begin(), m_weightColumns.end());
    for (const std::vector<std::string>& columns : inputColumns(table))
      wanted.insert(columns.begin(), columns.end());
    return wanted;
  }

  /// Returns the names that `columns` gives for each Input layer, by default all columns.
  std::vector<std::vector<std::string>> inputColumns(const CsvTable& table) const {
    std::vector<std::vector<std::string>> result;
    for (const Json* each :
         valuesByName(m_input, "columns", m_input.inputs, STRATA_TEXT("argument", "Input layer"))) {
      result.push_back(columnsOf(table, *each, "columns"));
      for (const std::string& name : m_targetColumns)
        if (isIn(result.back(), name))
          throw Error(
              ErrorCode::InvalidProject, "/data/source/columns",
              "\"" + excerpt(name, 60) +
                  "\" is the label, so it cannot also be an input. Remove it from columns.");
      if (result.back().empty()) result.back() = table.columns();
    }
    return result;
  }

  /// Chooses the columns of the Input layers, and decides which of them contain categories.
  void chooseInputs(const CsvTable& table) {
    const std::vector<std::vector<std::string>> columns = inputColumns(table);
    for (size_t i = 0; i < m_encodings.size(); ++i)
      chooseInputs(table, columns[i], m_encodings[i]);
  }

  void chooseInputs(const CsvTable& table, const std::vector<std::string>& names,
                    TableEncoding& encoding) {
    const std::vector<size_t> places = findColumns(table, names, "columns");
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string& name = names[i];
      const size_t place = places[i];
      if (isIn(m_targetColumns, name) || isIn(m_ignored, name) || isIn(m_weightColumns, name) ||
          isIn(m_untrainedColumns, name))
        continue;
      TableColumn column;
      column.name = name;
      column.fill = m_fields.at("missing_value").get<double>();
      if (const auto found = m_formatOf.find(place); found != m_formatOf.end())
        column.format = found->second;
      const CellCounts counts = countCells(table, place);
      const bool hasMostWords =
          counts.words > 0 && counts.words >= counts.numbers &&
          (counts.numbers == 0 || likelyMissingWords(table, place, true).empty());
      column.isCategorical = isIn(m_categorical, name) || (hasMostWords && !isIn(m_numeric, name));
      if (column.isCategorical) column.format.reset();
      encoding.inputs.push_back(std::move(column));
    }
    if (encoding.inputs.empty())
      throw Error(ErrorCode::InvalidFile, table.path(),
                  "has no column left as input (" +
                      counted(static_cast<int64_t>(table.columns().size()), "column") +
                      ", expected at least one in addition to the label). " +
                      (table.columns().size() == 1
                           ? "Check delimiter of the source, or set skip_lines to the number of "
                             "lines before the table."
                           : "Ignore fewer columns."));
  }

  /// Returns the class of each row for a stratified split, or an empty list for another split.
  /// Fails: InvalidProject if the labels of the first output are not classes.
  std::vector<int32_t> classesForSplit(const CsvTable& table,
                                       const std::vector<size_t>& rows) const {
    if (!m_input.selection.isStratified) return {};
    const LabelPlan& label = m_labels[0];
    Samples labels;
    labels.y[0] = targetsOfRows(label, table, rows, labelColumns(table, label.columns));
    std::vector<int32_t> classes = classLabels(labels, 0);
    if (classes.empty()) requireNoProblem({noClassesToSplit()});
    return classes;
  }

  /// Decides for each Input layer whether its numbers need double precision.
  void choosePrecision(const CsvTable& table, const std::vector<size_t>& trained) {
    m_types.clear();
    for (const RowEncoder& encoder : encodersOf(table)) {
      const TableEncoding& encoding = m_encodings[m_types.size()];
      bool losesDigits = false;
      for (size_t i = 0; i < encoding.inputs.size() && !losesDigits; ++i) {
        if (encoding.inputs[i].isCategorical) continue;
        FloatLoss loss;
        for (const size_t row : trained)
          if (const double value = table.number(row, encoder.places()[i]); !isMissingCell(value))
            loss.add(value);
        losesDigits = loss.losesDigits();
      }
      m_types.push_back(losesDigits ? DType::F64 : DType::F32);
    }
  }

  /// Counts the replaced cells of each input column in these rows.
  void countFilled(const CsvTable& table, const std::vector<size_t>& rows) {
    if (m_encodings[0].needsAllValues()) return;
    size_t at = 0;
    for (const RowEncoder& encoder : encodersOf(table)) {
      const TableEncoding& encoding = m_encodings[at++];
      for (size_t i = 0; i < encoding.inputs.size(); ++i)
        addFilled(m_filled, encoding.inputs[i], table, encoder.places()[i], rows);
    }
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
      const std::string problem =
          labelProblem(label, table, row, std::span(labels).subspan(column, label.columns.size()));
      if (!problem.empty()) return table.rowName(row) + ", " + problem;
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

  /// Returns the words in the input columns of numbers that probably stand for missing values.
  MissingWords missingWordsOf(const CsvTable& table,
                              const std::vector<RowEncoder>& encoders) const {
    MissingWords found;
    std::set<std::string> all;
    for (size_t k = 0; k < encoders.size(); ++k)
      for (size_t i = 0; i < m_encodings[k].inputs.size(); ++i) {
        const size_t place = encoders[k].places()[i];
        if (m_encodings[k].inputs[i].isCategorical || found.ofColumns.contains(place)) continue;
        const std::set<std::string>& words =
            found.ofColumns.emplace(place, likelyMissingWords(table, place)).first->second;
        all.insert(words.begin(), words.end());
      }
    if (!all.empty()) found.fixes = {missingWordsFix(m_fields, all)};
    return found;
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
    const MissingWords missingWords = missingWordsOf(table, encoders);
    // The rows in the order of the file. kDamaged stands for a damaged row.
    constexpr size_t kDamaged = SIZE_MAX;
    std::vector<size_t> order;
    size_t ragged = 0, missing = 0, firstMissing = 0;
    const auto damage = [&](const std::string& reason, const std::string& missingWord = {}) {
      result.damaged.push_back({table.path(), reason, missingWord});
      if (!missingWord.empty()) result.damaged.back().fixes = missingWords.fixes;
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
        damage(problem, missingWords.wordIn(table, row));
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

  std::shared_ptr<const Samples> encode(const CsvTable& table,
                                        const std::vector<size_t>& rows) const {
    auto samples = std::make_shared<Samples>();
    const auto count = static_cast<int64_t>(rows.size());
    int64_t width = 0;
    size_t bytes = 0;
    for (size_t k = 0; k < m_encodings.size(); ++k) {
      width += m_encodings[k].width();
      bytes += rows.size() * static_cast<size_t>(m_encodings[k].width()) * dtypeBytes(m_types[k]);
    }
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
      Tensor& x = samples->x.emplace_back(m_types[k], Shape{count, own});
      for (size_t i = 0; i < rows.size(); ++i) {
        const size_t at = i * static_cast<size_t>(own);
        if (m_types[k] == DType::F64)
          encoders[k].encode(rows[i], x.as<double>().data() + at);
        else
          encoders[k].encode(rows[i], x.as<float>().data() + at);
      }
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
  // The element type of each Input layer's samples
  std::vector<DType> m_types;
  // The labels of each trained output
  std::vector<LabelPlan> m_labels;
  // The label columns of all trained outputs
  std::vector<std::string> m_targetColumns;
  // Label and weight columns of outputs without a loss, which are not inputs either
  std::vector<std::string> m_untrainedColumns;
  // The weight column of each trained output; "" for outputs without one
  std::vector<std::string> m_weightColumns;
  // Columns that the fields of the same names list
  std::vector<std::string> m_ignored, m_categorical, m_numeric;
  // Notations of numbers in the columns that are used
  std::vector<FoundFormat> m_formats;
  // The notations that are used, by the index of the column
  std::map<size_t, NumberFormat> m_formatOf;
  std::vector<FilledColumn> m_filled;
};

}  // namespace

LoadedSamples loadCsv(const SourceInput& input) { return CsvLoader(input).load(); }

}  // namespace strata

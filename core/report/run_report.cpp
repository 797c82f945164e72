// SPDX-License-Identifier: Apache-2.0
#include "core/report/run_report.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/project/text.h"
#include "core/report/html.h"
#include "core/report/svg_chart.h"
#include "core/run_list/run_settings.h"
#include "core/runs/history.h"
#include "core/runs/output_file.h"
#include "core/runs/run_environment.h"
#include "core/runs/step_memory.h"
#include "gpu/base/bytes.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

// More classes would make the matrix wider than a page
constexpr int64_t kMaxMatrixClasses = 20;
constexpr size_t kMaxValueBytes = 300, kMaxSettings = 2000, kMaxLayers = 5000;
// The records of a history that are read for its curves
constexpr size_t kMaxRecords = 20'000;

std::string numberText(double value, int digits = 5) {
  if (!std::isfinite(value)) return "not finite";
  char buffer[64];
  const auto result =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, digits);
  return {buffer, result.ptr};
}

std::string countText(int64_t count) {
  std::string digits = std::to_string(count);
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

std::string cellText(const RunCell& cell, const RunColumn& column) {
  if (!cell.number) return cell.text;
  switch (column.kind) {
    case ColumnKind::Bytes: return bytesText(*cell.number);
    case ColumnKind::Duration: return numberText(*cell.number, 4) + " s";
    case ColumnKind::Flag: return *cell.number == 1 ? "yes" : "no";
    default: break;
  }
  const bool isCount = column.subject.empty() && *cell.number == std::floor(*cell.number) &&
                       std::abs(*cell.number) < 1e15;
  return isCount ? countText(static_cast<int64_t>(*cell.number)) : numberText(*cell.number);
}

void addSummary(HtmlWriter& html, const RunRow& row) {
  HtmlWriter::Table table{{"", ""}, {}, {}};
  for (const RunColumn& column : columnsOf({row})) {
    const RunCell cell = cellOf(row, column);
    if (cell.isEmpty() || column.id == "notes" || column.id == "title") continue;
    table.rows.push_back({column.heading(), excerpt(cellText(cell, column), kMaxValueBytes)});
  }
  if (!row.info.error.empty()) table.rows.push_back({"Error", row.info.error});
  html.table(table);
  if (!row.notes.text.empty()) {
    html.heading(2, "Notes");
    html.paragraph(row.notes.text);
  }
}

/// The curves of a history: those of the training steps and those of the validations.
struct Curves {
  std::vector<ChartCurve> training, validation;
};

Curves readCurves(const HistoryReader& history) {
  const size_t metrics = history.metricNames().size();
  Curves curves;
  curves.training.resize(metrics + 2);
  curves.validation.resize(metrics + 1);
  // Validations are rare, so all of them are read, and a part of the steps
  const size_t stride = history.size() / kMaxRecords + 1;
  for (size_t i = 0; i < history.size(); ++i) {
    const HistoryRecord record = history[i];
    const auto step = static_cast<double>(record.step);
    const bool isValidation = record.kind == HistoryKind::Validation;
    if (record.kind == HistoryKind::Epoch || (!isValidation && i % stride != 0)) continue;
    auto& into = isValidation ? curves.validation : curves.training;
    into[0].points.emplace_back(step, record.loss);
    for (size_t k = 0; k < metrics; ++k)
      into[k + 1].points.emplace_back(step, record.metrics[k]);
    if (!isValidation) into[metrics + 1].points.emplace_back(step, record.learningRate);
  }
  return curves;
}

void addCurves(HtmlWriter& html, const RunRow& row) {
  html.heading(2, "Curves");
  try {
    const HistoryReader history(row.info.directory + "/history.bin");
    Curves curves = readCurves(history);
    std::vector<std::string> names{"loss"};
    names.insert(names.end(), history.metricNames().begin(), history.metricNames().end());
    names.emplace_back("learning rate");
    for (size_t i = 0; i < names.size(); ++i) {
      Chart chart{names[i], "step", {}};
      const auto add = [&](std::vector<ChartCurve>& all, const char* name) {
        if (i >= all.size() || all[i].points.empty()) return;
        all[i].name = name;
        chart.curves.push_back(std::move(all[i]));
      };
      add(curves.training, "training");
      add(curves.validation, "validation");
      if (!chart.curves.empty()) html.image(svgOf(chart), "Curve of " + names[i] + " by step");
    }
  }
  catch (const Error& error) {
    html.paragraph("The curves are unknown: " + error.line());
  }
}

void addClasses(HtmlWriter& html, const ReportedOutput& output) {
  const ClassificationFigures& figures = *output.classes;
  const auto nameOf = [&](int64_t index) {
    const auto place = static_cast<size_t>(index);
    return place < output.classNames.size() ? output.classNames[place] : std::to_string(index);
  };
  HtmlWriter::Table table{
      {"Class", "Precision", "Recall", "F1", "Samples", "ROC area", "Average precision"},
      {false, true, true, true, true, true, true},
      {}};
  const auto addRow = [&](const std::string& name, const ClassScores& scores,
                          const ClassFigures* more) {
    std::vector<std::string> row{name, numberText(scores.precision), numberText(scores.recall),
                                 numberText(scores.f1), countText(scores.samples)};
    if (more) {
      const auto& roc = more->curves.roc;
      const auto& recall = more->curves.precisionRecall;
      row.push_back(roc ? numberText(roc->area) : "unknown");
      row.push_back(recall ? numberText(recall->averagePrecision) : "unknown");
    }
    table.rows.push_back(std::move(row));
  };
  if (figures.negativeScores) addRow(nameOf(0), *figures.negativeScores, nullptr);
  for (const ClassFigures& each : figures.classes)
    addRow(nameOf(each.index), each.scores, &each);
  if (figures.means) {
    const auto addMean = [&](const char* name, const MeanScores& mean) {
      table.rows.push_back(
          {name, numberText(mean.precision), numberText(mean.recall), numberText(mean.f1)});
    };
    addMean("Mean of the classes", figures.means->macro);
    addMean("Mean by samples", figures.means->weighted);
  }
  html.table(table);
  if (figures.calibration)
    html.paragraph("Expected calibration error " + numberText(figures.calibration->expectedError) +
                   ".");
  if (!figures.confusion || figures.confusion->classes > kMaxMatrixClasses) return;
  html.heading(2, "Confusion matrix");
  HtmlWriter::Table matrix{{"True class"}, {false}, {}};
  for (int64_t c = 0; c < figures.confusion->classes; ++c) {
    matrix.columns.push_back(nameOf(c));
    matrix.isNumeric.push_back(true);
  }
  for (int64_t r = 0; r < figures.confusion->classes; ++r) {
    std::vector<std::string> row{nameOf(r)};
    for (int64_t c = 0; c < figures.confusion->classes; ++c)
      row.push_back(countText(figures.confusion->at(r, c)));
    matrix.rows.push_back(std::move(row));
  }
  html.table(matrix);
}

void addErrors(HtmlWriter& html, const RegressionFigures& figures) {
  const RegressionScores& scores = figures.overall;
  HtmlWriter::Table table{{"", ""}, {false, true}, {}};
  table.rows = {{"Mean absolute error", numberText(scores.meanAbsoluteError)},
                {"Root mean squared error", numberText(scores.rootMeanSquaredError)},
                {"Median absolute error", numberText(scores.medianAbsoluteError)}};
  if (scores.determination) table.rows.push_back({"R2", numberText(*scores.determination)});
  html.table(table);
}

void addEvaluation(HtmlWriter& html, const ReportedEvaluation& evaluation) {
  for (const ReportedOutput& output : evaluation.outputs) {
    const std::string where = " on the " + evaluation.split + " data, output " + output.output;
    if (output.classes) {
      html.heading(2, "Scores by class" + where);
      addClasses(html, output);
    }
    if (output.values) {
      html.heading(2, "Errors" + where);
      addErrors(html, *output.values);
    }
  }
}

void addLayers(HtmlWriter& html, const RunRow& row) {
  html.heading(2, "Design");
  if (!row.project) {
    html.paragraph("The design is unknown, because project.json is damaged.");
    return;
  }
  const CheckedProject project(*row.project);
  Diagnostics problems;
  const ModelSummary summary =
      summarizeModel(project.model(), *row.project, project.recipe().batchSize, problems);
  HtmlWriter::Table table{
      {"Layer", "Type", "Inputs", "Output", "Parameters"}, {false, false, false, false, true}, {}};
  const auto add = [&](const auto& self, const LayerSummary& layer, const std::string& indent) {
    if (table.rows.size() >= kMaxLayers) return;
    table.rows.push_back({indent + layer.name, layer.type, joinedNames(layer.inputs),
                          layer.outputShape ? layer.outputShape->toString() : "unknown",
                          layer.isKnown ? countText(layer.parameters) : "unknown"});
    for (const LayerSummary& inner : layer.inner)
      self(self, inner, indent + layer.name + "/");
  };
  for (const LayerSummary& layer : summary.layers)
    add(add, layer, "");
  html.table(table);
}

void addSettings(HtmlWriter& html, const RunRow& row) {
  html.heading(2, "Settings");
  if (!row.settings) {
    html.paragraph("The settings are unknown, because project.json is damaged.");
    return;
  }
  HtmlWriter::Table table{{"Setting", "Value"}, {}, {}};
  for (const auto& [pointer, value] : flattened(*row.settings)) {
    if (table.rows.size() >= kMaxSettings) break;
    const std::string words = value.is_string()
                                  ? value.get<std::string>()
                                  : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    table.rows.push_back({pointer, excerpt(words, kMaxValueBytes)});
  }
  html.table(table);
}

void addMemory(HtmlWriter& html, const RunRow& row) {
  html.heading(2, "Memory");
  HtmlWriter::Table table{{"", ""}, {false, true}, {}};
  const auto add = [&](const std::string& name, uint64_t bytes) {
    if (bytes > 0) table.rows.push_back({name, bytesText(static_cast<double>(bytes))});
  };
  add("Measured peak", row.info.peakBytes);
  add("Predicted peak", row.info.plannedPeakBytes);
  std::string problem;
  if (const auto memory = readStepMemory(row.info.directory, problem)) {
    const BytesByCategory bytes = memory->bytesAt(memory->peakInstant);
    for (size_t i = 0; i < bytes.size(); ++i)
      add("At the predicted peak: " + std::string(categoryName(static_cast<Category>(i))),
          bytes[i]);
    add("At the predicted peak: alignment and holes", memory->holesAt(memory->peakInstant));
  }
  else {
    html.paragraph("The memory of a step is unknown, because " + problem + ".");
  }
  if (!table.rows.empty()) html.table(table);
}

void addEnvironment(HtmlWriter& html, const RunRow& row) {
  html.heading(2, "Environment");
  try {
    std::vector<std::string> warnings;
    const RunEnvironment environment = readEnvironment(row.info.directory, warnings);
    HtmlWriter::Table table{{"", ""}, {}, {}};
    const auto add = [&](const std::string& name, const std::string& value) {
      if (!value.empty()) table.rows.push_back({name, excerpt(value, 2 * kMaxValueBytes)});
    };
    add("Device", environment.device);
    add("Processor", environment.processor);
    if (environment.threads > 0) add("Threads", std::to_string(environment.threads));
    add("Processes", std::to_string(environment.processes));
    add("Deterministic", environment.isDeterministic ? "yes" : "no");
    std::string command;
    for (const std::string& word : environment.command)
      command += (command.empty() ? "" : " ") + word;
    add("Command", command);
    add("Git commit", environment.commit);
    add("Git branch", environment.branch);
    add("Overridden settings",
        environment.overrides.empty() ? "" : joinedNames(environment.overrides));
    for (const auto& [name, version] : environment.versions)
      add(name, version);
    html.table(table);
    for (const std::string& warning : warnings)
      html.paragraph(warning);
  }
  catch (const Error& error) {
    html.paragraph("The environment is unknown: " + error.line());
  }
}

}  // namespace

std::string htmlReport(const RunRow& row, const ReportedEvaluation* evaluation) {
  const std::string project = row.project ? row.project->name() : row.info.projectName;
  std::string title = project + ", run " + std::to_string(row.info.number);
  if (!row.notes.title.empty()) title += ": " + row.notes.title;
  HtmlWriter html(title);
  html.heading(1, title);
  addSummary(html, row);
  addCurves(html, row);
  if (evaluation) addEvaluation(html, *evaluation);
  addLayers(html, row);
  addSettings(html, row);
  addMemory(html, row);
  addEnvironment(html, row);
  return html.take();
}

void writeHtmlReport(const std::string& path, const std::string& html) {
  writeExport(path, html, kHtmlBeginning.size(), "a report");
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "core/report/run_report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/interchange/safetensors.h"
#include "core/project/duration.h"
#include "core/project/json.h"
#include "core/project/seal.h"
#include "core/project/text.h"
#include "core/report/html.h"
#include "core/report/svg_chart.h"
#include "core/report/words.h"
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

/// Returns the name of a status (runStatusName()) in the language of the report.
std::string statusText(const Words& say, const std::string& name) {
  static constexpr Text kNames[] = {
      STRATA_TEXT("report", "running"), STRATA_TEXT("report", "finished"),
      STRATA_TEXT("report", "stopped"), STRATA_TEXT("report", "failed"),
      STRATA_TEXT("report", "interrupted")};
  const auto* const found = std::ranges::find(kNames, name, &Text::source);
  return found == std::end(kNames) ? name : say(*found);
}

std::string flagText(const Words& say, bool value) {
  return value ? say(STRATA_TEXT("report", "yes")) : say(STRATA_TEXT("report", "no"));
}

std::string cellText(const Words& say, const RunCell& cell, const RunColumn& column) {
  if (column.id == "status") return statusText(say, cell.text);
  if (!cell.number) return cell.text;
  switch (column.kind) {
    case ColumnKind::Bytes: return bytesText(*cell.number);
    case ColumnKind::Duration:
      return *cell.number < 10 ? numberText(*cell.number, 2) + " s" : durationText(*cell.number);
    case ColumnKind::Flag: return flagText(say, *cell.number == 1);
    default: break;
  }
  const bool isCount = column.subject.empty() && *cell.number == std::floor(*cell.number) &&
                       std::abs(*cell.number) < 1e15;
  return isCount ? countText(static_cast<int64_t>(*cell.number)) : numberText(*cell.number);
}

void addSummary(HtmlWriter& html, const Words& say, const RunRow& row) {
  HtmlWriter::Table table{{"", ""}, {}, {}};
  for (const RunColumn& column : columnsOf({row})) {
    const RunCell cell = cellOf(row, column);
    if (cell.isEmpty() || column.id == "notes" || column.id == "title") continue;
    const Arguments subject =
        column.subject.empty() ? Arguments() : Arguments{Argument(column.subject)};
    const std::string heading =
        column.title.isEmpty() ? column.heading() : say(column.title, subject);
    table.rows.push_back({heading, excerpt(cellText(say, cell, column), kMaxValueBytes)});
  }
  if (!row.info.error.empty())
    table.rows.push_back({say(STRATA_TEXT("report", "Error")), row.info.error});
  html.table(table);
  for (const std::string& damage : damageOfRun(row))
    html.paragraph(damage);
  if (!row.notes.text.empty()) {
    html.heading(2, say(STRATA_TEXT("report", "Notes")));
    html.paragraph(row.notes.text);
  }
}

/// Returns what is wrong with the history of a run, or "". Its newest checkpoint knows a hash.
std::string historyDamage(const RunInfo& info) {
  const std::string path = info.directory + "/history.bin";
  uint64_t bytes = 0;
  std::string hash;
  try {
    if (!info.checkpoint.empty()) {
      const auto metadata = openSafetensors(info.checkpoint)->metadata();
      const auto size = metadata.find("history_bytes"), sum = metadata.find("history_hash");
      if (size != metadata.end() && sum != metadata.end()) {
        std::from_chars(size->second.data(), size->second.data() + size->second.size(), bytes);
        hash = sum->second;
      }
    }
  }
  catch (const Error&) {
    // The history is then only checked for its header
  }
  try {
    const HistoryReader history(path);
    if (history.whole().size() < bytes)
      return path + ": is truncated, so the curves end too early.";
    RunningHash running;
    running.add(history.whole().first(static_cast<size_t>(bytes)));
    return hash.empty() || running.text() == hash
               ? ""
               : path + ": is damaged (its hash differs), so the curves may be wrong.";
  }
  catch (const Error& error) {
    return error.line();
  }
}

/// Whether a JSON file of a run, if it exists, is damaged.
bool isDamagedJson(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return false;
  try {
    const Json json = parseJson(readFile(path, size_t{64} << 20), path);
    return !json.is_object() || sealOf(json) == Seal::Broken;
  }
  catch (const Error&) {
    return true;
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

void addCurves(HtmlWriter& html, const Words& say, const RunRow& row) {
  html.heading(2, say(STRATA_TEXT("report", "Curves")));
  try {
    const HistoryReader history(row.info.directory + "/history.bin");
    Curves curves = readCurves(history);
    std::vector<std::string> names{say(STRATA_TEXT("report", "loss"))};
    names.insert(names.end(), history.metricNames().begin(), history.metricNames().end());
    names.push_back(say(STRATA_TEXT("report", "learning rate")));
    for (size_t i = 0; i < names.size(); ++i) {
      Chart chart{names[i], say(STRATA_TEXT("report", "step")), {}};
      const auto add = [&](std::vector<ChartCurve>& all, const std::string& name) {
        if (i >= all.size() || all[i].points.empty()) return;
        all[i].name = name;
        chart.curves.push_back(std::move(all[i]));
      };
      add(curves.training, say(STRATA_TEXT("report", "training")));
      add(curves.validation, say(STRATA_TEXT("report", "validation")));
      if (!chart.curves.empty())
        html.image(svgOf(chart), say(STRATA_TEXT("report", "Curve of %1 by step"), {names[i]}));
    }
  }
  catch (const Error& error) {
    html.paragraph(say(STRATA_TEXT("report", "The curves are unknown: %1"), {error.line()}));
  }
}

std::string classNameOf(const ReportedOutput& output, int64_t index) {
  const auto place = static_cast<size_t>(index);
  return place < output.classNames.size() ? output.classNames[place] : std::to_string(index);
}

/// Adds the curves of the classes, or says why there are none. `pointsOf` returns the points of a
/// curve, which is unknown or has values.
void addClassCurves(HtmlWriter& html, const Words& say, const ReportedOutput& output, Chart chart,
                    const auto& pointsOf) {
  // More curves cannot be told apart
  constexpr size_t kMaxCurves = 10, kMaxNameBytes = 24;
  const ClassificationFigures& figures = *output.classes;
  std::string reason;
  const auto add = [&](const std::string& name, const ClassCurves& curves) {
    auto points = pointsOf(curves);
    if (points)
      chart.curves.push_back({excerpt(name, kMaxNameBytes), std::move(*points)});
    else if (reason.empty())
      reason = say(points.reason().text, points.reason().arguments);
  };
  const size_t before = chart.curves.size();
  if (figures.classes.size() > 1) add(say(STRATA_TEXT("report", "all classes")), figures.micro);
  for (size_t i = 0; i < std::min(kMaxCurves, figures.classes.size()); ++i)
    add(classNameOf(output, figures.classes[i].index), figures.classes[i].curves);
  if (chart.curves.size() > before)
    html.image(svgOf(chart), chart.title);
  else
    html.paragraph(say(STRATA_TEXT("report", "%1: unknown, because %2."), {chart.title, reason}));
}

using Points = std::vector<std::pair<double, double>>;

Points pairsOf(const std::vector<double>& x, const std::vector<double>& y) {
  Points points;
  for (size_t i = 0; i < x.size(); ++i)
    points.emplace_back(x[i], y[i]);
  return points;
}

/// Adds the ROC curves, the precision-recall curves and the reliability diagram.
void addEvaluationCurves(HtmlWriter& html, const Words& say, const ReportedOutput& output) {
  const ChartCurve diagonal{{}, {{0, 0}, {1, 1}}, true};
  addClassCurves(html, say, output,
                 {say(STRATA_TEXT("report", "ROC curve")),
                  say(STRATA_TEXT("report", "false positive rate; upward: true positive rate")),
                  {diagonal},
                  true},
                 [](const ClassCurves& curves) -> Figure<Points> {
                   if (!curves.roc) return curves.roc.reason();
                   return pairsOf(curves.roc->falsePositiveRates, curves.roc->truePositiveRates);
                 });
  addClassCurves(html, say, output,
                 {say(STRATA_TEXT("report", "Precision-recall curve")),
                  say(STRATA_TEXT("report", "recall; upward: precision")),
                  {},
                  true},
                 [](const ClassCurves& curves) -> Figure<Points> {
                   if (!curves.precisionRecall) return curves.precisionRecall.reason();
                   return pairsOf(curves.precisionRecall->recalls,
                                  curves.precisionRecall->precisions);
                 });
  const Figure<Reliability>& reliability = output.classes->calibration;
  const std::string title = say(STRATA_TEXT("report", "Reliability diagram"));
  if (!reliability) {
    html.paragraph(say(STRATA_TEXT("report", "%1: unknown, because %2."),
                       {title, say(reliability.reason().text, reliability.reason().arguments)}));
    return;
  }
  ChartCurve measured{say(STRATA_TEXT("report", "measured")), {}};
  for (const ReliabilityBin& bin : reliability->bins)
    if (bin.confidence && bin.share) measured.points.emplace_back(*bin.confidence, *bin.share);
  html.image(
      svgOf({title,
             say(STRATA_TEXT("report", "predicted probability; upward: share of positive samples")),
             {diagonal, measured},
             true}),
      title);
  html.paragraph(say(STRATA_TEXT("report", "Expected calibration error %1."),
                     {numberText(reliability->expectedError)}));
}

void addClasses(HtmlWriter& html, const Words& say, const ReportedOutput& output) {
  const ClassificationFigures& figures = *output.classes;
  const std::string unknown = say(STRATA_TEXT("report", "unknown"));
  const auto nameOf = [&](int64_t index) {
    return classNameOf(output, index);
  };
  HtmlWriter::Table table{
      {say(STRATA_TEXT("report", "Class")), say(STRATA_TEXT("report", "Precision")),
       say(STRATA_TEXT("report", "Recall")), "F1", say(STRATA_TEXT("report", "Samples")),
       say(STRATA_TEXT("report", "ROC area")), say(STRATA_TEXT("report", "Average precision"))},
      {false, true, true, true, true, true, true},
      {}};
  const auto addRow = [&](const std::string& name, const ClassScores& scores,
                          const ClassFigures* more) {
    std::vector<std::string> row{name, numberText(scores.precision), numberText(scores.recall),
                                 numberText(scores.f1), countText(scores.samples)};
    if (more) {
      const auto& roc = more->curves.roc;
      const auto& recall = more->curves.precisionRecall;
      row.push_back(roc ? numberText(roc->area) : unknown);
      row.push_back(recall ? numberText(recall->averagePrecision) : unknown);
    }
    table.rows.push_back(std::move(row));
  };
  if (figures.negativeScores) addRow(nameOf(0), *figures.negativeScores, nullptr);
  for (const ClassFigures& each : figures.classes)
    addRow(nameOf(each.index), each.scores, &each);
  if (figures.means) {
    const auto addMean = [&](const std::string& name, const MeanScores& mean) {
      table.rows.push_back(
          {name, numberText(mean.precision), numberText(mean.recall), numberText(mean.f1)});
    };
    addMean(say(STRATA_TEXT("report", "Mean of the classes")), figures.means->macro);
    addMean(say(STRATA_TEXT("report", "Mean by samples")), figures.means->weighted);
  }
  html.table(table);
  addEvaluationCurves(html, say, output);
  if (!figures.confusion || figures.confusion->classes > kMaxMatrixClasses) return;
  html.heading(2, say(STRATA_TEXT("report", "Confusion matrix")));
  HtmlWriter::Table matrix{{say(STRATA_TEXT("report", "True class"))}, {false}, {}};
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

void addErrors(HtmlWriter& html, const Words& say, const RegressionFigures& figures) {
  const RegressionScores& scores = figures.overall;
  HtmlWriter::Table table{{"", ""}, {false, true}, {}};
  table.rows = {
      {say(STRATA_TEXT("report", "Mean absolute error")), numberText(scores.meanAbsoluteError)},
      {say(STRATA_TEXT("report", "Root mean squared error")),
       numberText(scores.rootMeanSquaredError)},
      {say(STRATA_TEXT("report", "Median absolute error")),
       numberText(scores.medianAbsoluteError)}};
  if (scores.determination) table.rows.push_back({"R2", numberText(*scores.determination)});
  html.table(table);
}

/// Returns the name of a split as words that are translated.
Argument splitText(const std::string& split) {
  if (split == "test") return STRATA_TEXT("report", "test");
  return split == "validation" ? STRATA_TEXT("report", "validation")
                               : STRATA_TEXT("report", "training");
}

void addEvaluation(HtmlWriter& html, const Words& say, const ReportedEvaluation& evaluation) {
  for (const ReportedOutput& output : evaluation.outputs) {
    const Arguments where{splitText(evaluation.split), output.output};
    if (output.classes) {
      html.heading(2,
                   say(STRATA_TEXT("report", "Scores by class on the %1 data, output %2"), where));
      addClasses(html, say, output);
    }
    if (output.values) {
      html.heading(2, say(STRATA_TEXT("report", "Errors on the %1 data, output %2"), where));
      addErrors(html, say, *output.values);
    }
  }
}

void addLayers(HtmlWriter& html, const Words& say, const RunRow& row) {
  html.heading(2, say(STRATA_TEXT("report", "Design")));
  if (!row.project) {
    html.paragraph(
        say(STRATA_TEXT("report", "The design is unknown, because project.json is damaged.")));
    return;
  }
  const std::string unknown = say(STRATA_TEXT("report", "unknown"));
  const CheckedProject project(*row.project);
  Diagnostics problems;
  const ModelSummary summary =
      summarizeModel(project.model(), *row.project, project.recipe().batchSize, problems);
  HtmlWriter::Table table{
      {say(STRATA_TEXT("report", "Layer")), say(STRATA_TEXT("report", "Type")),
       say(STRATA_TEXT("report", "Inputs")), say(STRATA_TEXT("report", "Output")),
       say(STRATA_TEXT("report", "Parameters"))},
      {false, false, false, false, true},
      {}};
  const auto add = [&](const auto& self, const LayerSummary& layer, const std::string& indent) {
    if (table.rows.size() >= kMaxLayers) return;
    table.rows.push_back({indent + layer.name, layer.type, joinedNames(layer.inputs),
                          layer.outputShape ? layer.outputShape->toString() : unknown,
                          layer.isKnown ? countText(layer.parameters) : unknown});
    for (const LayerSummary& inner : layer.inner)
      self(self, inner, indent + layer.name + "/");
  };
  for (const LayerSummary& layer : summary.layers)
    add(add, layer, "");
  html.table(table);
}

void addSettings(HtmlWriter& html, const Words& say, const RunRow& row) {
  html.heading(2, say(STRATA_TEXT("report", "Settings")));
  if (!row.settings) {
    html.paragraph(
        say(STRATA_TEXT("report", "The settings are unknown, because project.json is damaged.")));
    return;
  }
  HtmlWriter::Table table{
      {say(STRATA_TEXT("report", "Setting")), say(STRATA_TEXT("report", "Value"))}, {}, {}};
  for (const auto& [pointer, value] : flattened(*row.settings)) {
    if (table.rows.size() >= kMaxSettings) break;
    const std::string words = value.is_string()
                                  ? value.get<std::string>()
                                  : value.dump(-1, ' ', false, Json::error_handler_t::replace);
    table.rows.push_back({pointer, excerpt(words, kMaxValueBytes)});
  }
  html.table(table);
}

void addMemory(HtmlWriter& html, const Words& say, const RunRow& row) {
  // In the order of Category
  static constexpr Text kCategories[kNumCategories] = {
      STRATA_TEXT("report", "parameters"), STRATA_TEXT("report", "gradients"),
      STRATA_TEXT("report", "optimizer"),  STRATA_TEXT("report", "activations"),
      STRATA_TEXT("report", "inputs"),     STRATA_TEXT("report", "temporary values"),
      STRATA_TEXT("report", "workspaces"), STRATA_TEXT("report", "communication")};
  html.heading(2, say(STRATA_TEXT("report", "Memory")));
  HtmlWriter::Table table{{"", ""}, {false, true}, {}};
  const auto add = [&](const std::string& name, uint64_t bytes) {
    if (bytes > 0) table.rows.push_back({name, bytesText(static_cast<double>(bytes))});
  };
  add(say(STRATA_TEXT("report", "Measured peak")), row.info.peakBytes);
  add(say(STRATA_TEXT("report", "Predicted peak")), row.info.plannedPeakBytes);
  std::string problem;
  if (const auto memory = readStepMemory(row.info.directory, problem)) {
    const BytesByCategory bytes = memory->bytesAt(memory->peakInstant);
    for (size_t i = 0; i < bytes.size(); ++i)
      add(say(STRATA_TEXT("report", "At the predicted peak: %1"), {kCategories[i]}), bytes[i]);
    add(say(STRATA_TEXT("report", "At the predicted peak: alignment and holes")),
        memory->holesAt(memory->peakInstant));
  }
  else {
    html.paragraph(
        say(STRATA_TEXT("report", "The memory of a step is unknown, because %1."), {problem}));
  }
  if (!table.rows.empty()) html.table(table);
}

void addEnvironment(HtmlWriter& html, const Words& say, const RunRow& row) {
  html.heading(2, say(STRATA_TEXT("report", "Environment")));
  try {
    std::vector<std::string> warnings;
    const RunEnvironment environment = readEnvironment(row.info.directory, warnings);
    HtmlWriter::Table table{{"", ""}, {}, {}};
    const auto add = [&](const std::string& name, const std::string& value) {
      if (!value.empty()) table.rows.push_back({name, excerpt(value, 2 * kMaxValueBytes)});
    };
    add(say(STRATA_TEXT("report", "Device")), environment.device);
    add(say(STRATA_TEXT("report", "Processor")), environment.processor);
    if (environment.threads > 0)
      add(say(STRATA_TEXT("report", "Threads")), std::to_string(environment.threads));
    add(say(STRATA_TEXT("report", "Processes")), std::to_string(environment.processes));
    add(say(STRATA_TEXT("report", "Deterministic")), flagText(say, environment.isDeterministic));
    std::string command;
    for (const std::string& word : environment.command)
      command += (command.empty() ? "" : " ") + word;
    add(say(STRATA_TEXT("report", "Command")), command);
    add(say(STRATA_TEXT("report", "Git commit")), environment.commit);
    add(say(STRATA_TEXT("report", "Git branch")), environment.branch);
    add(say(STRATA_TEXT("report", "Overridden settings")),
        environment.overrides.empty() ? "" : joinedNames(environment.overrides));
    for (const auto& [name, version] : environment.versions)
      add(name, version);
    html.table(table);
    for (const std::string& warning : warnings)
      html.paragraph(warning);
  }
  catch (const Error& error) {
    html.paragraph(say(STRATA_TEXT("report", "The environment is unknown: %1"), {error.line()}));
  }
}

}  // namespace

std::vector<std::string> damageOfRun(const RunRow& row) {
  std::vector<std::string> damage = row.info.problems;
  if (std::string history = historyDamage(row.info); !history.empty())
    damage.push_back(std::move(history));
  for (const auto& [name, lost] : {std::pair("memory.json", "the memory of a step is"),
                                   std::pair("environment.json", "the environment of the run is"),
                                   std::pair("choices.json", "the kernels of the run are")})
    if (const std::string path = row.info.directory + "/" + name; isDamagedJson(path))
      damage.push_back(path + ": is damaged, so " + lost + " unknown.");
  return damage;
}

std::string htmlReport(const RunRow& row, const ReportedEvaluation* evaluation,
                       ReportLanguage language) {
  const Words say{language};
  const std::string project = row.project ? row.project->name() : row.info.projectName;
  std::string title =
      say(STRATA_TEXT("report", "%1, run %2"), {project, std::to_string(row.info.number)});
  if (!row.notes.title.empty()) title += ": " + row.notes.title;
  HtmlWriter html(title, language == ReportLanguage::Chinese ? "zh-CN" : "en");
  html.heading(1, title);
  addSummary(html, say, row);
  addCurves(html, say, row);
  if (evaluation) addEvaluation(html, say, *evaluation);
  addLayers(html, say, row);
  addSettings(html, say, row);
  addMemory(html, say, row);
  addEnvironment(html, say, row);
  return html.take();
}

void writeHtmlReport(const std::string& path, const std::string& html) {
  writeExport(path, html, kHtmlBeginning.size(), "a report");
}

}  // namespace strata

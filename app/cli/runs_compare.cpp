// SPDX-License-Identifier: GPL-3.0-or-later
// Implements `strata runs compare` and `strata runs clean`.
#include <algorithm>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/runs.h"
#include "core/project/text.h"
#include "core/run_list/comparison.h"
#include "core/run_list/lineage.h"
#include "core/run_list/retention.h"
#include "core/train/same_samples.h"
#include "gpu/base/bytes.h"
#include "gpu/base/printable.h"

namespace strata::cli {

namespace {

std::string settingText(const Json& value) {
  if (value.is_null()) return "-";
  const std::string text = value.is_string()
                               ? value.get<std::string>()
                               : value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return printable(excerpt(text, 60));
}

/// Adds a line for each setting with its values.
void addSettings(const std::vector<SettingDifference>& settings, const std::string& indent,
                 std::vector<std::vector<std::string>>& lines) {
  for (const SettingDifference& each : settings) {
    lines.push_back({indent + printable(each.pointer)});
    for (const Json& value : each.values)
      lines.back().push_back(settingText(value));
  }
}

void printComparison(const RunComparison& comparison) {
  const size_t count = comparison.runs.size();
  std::vector<std::vector<std::string>> lines{{""}};
  for (const std::string& run : comparison.runs)
    lines[0].push_back(printable(shortPath(run)));
  for (const ResultRow& row : comparison.results) {
    lines.push_back({printable(row.column.heading())});
    for (size_t i = 0; i < count; ++i)
      lines.back().push_back(cellText(row.cells[i], row.column) + (row.best == i ? " *" : ""));
  }
  if (!comparison.settings.empty()) {
    lines.emplace_back(count + 1);
    lines.back()[0] = "Settings";
    addSettings(comparison.settings, "  ", lines);
  }
  if (!comparison.layers.empty()) {
    lines.emplace_back(count + 1);
    lines.back()[0] = "Layers";
    for (const LayerDifference& layer : comparison.layers) {
      lines.push_back({"  " + printable(layer.name)});
      for (size_t i = 0; i < count; ++i)
        lines.back().push_back(layer.types[i].empty() ? "-" : printable(layer.types[i]));
      addSettings(layer.fields, "    ", lines);
    }
  }
  printTable(lines, std::vector<bool>(count + 1, false));
  if (const std::optional<bool> isEqual = comparison.hasEqualProjects(); !isEqual)
    std::cout << "Whether all settings and layers are equal is unknown.\n";
  else if (*isEqual)
    std::cout << "All settings and layers are equal.\n";
}

struct CompareOptions {
  std::vector<std::string> words;
  std::string split, device = "auto";
  bool isJson = false;
};

/// Evaluates the runs on the data of the named project, or else of that of the first run.
SameSamples sameSamplesOf(const std::vector<RunRow>& rows, const CompareOptions& options) {
  const auto named = std::ranges::find_if(options.words, isProjectFile);
  const std::string path =
      named != options.words.end() ? *named : likelyProjectOf(rows[0].info.listedAt);
  return evaluateOnSameSamples(rows, projectOfRuns(path), options.split, options.device);
}

Json sameSamplesJson(const SameSamples& same) {
  Json runs = Json::array();
  Json samples;
  for (const RunOnSamples& run : same.runs) {
    Json one{{"run", run.run}};
    if (run.problem) {
      one["problem"] = run.problem->line();
    }
    else {
      samples = run.result.samples;
      Json metrics = Json::object();
      for (const auto& [name, value] : run.result.metrics)
        metrics[name] = jsonNumber(value);
      one["loss"] = jsonNumber(run.result.loss);
      one["metrics"] = metrics;
      one["may_have_seen"] = run.mayHaveSeen;
    }
    runs.push_back(std::move(one));
  }
  Json answer{{"split", same.split}, {"samples", samples}, {"runs", runs}};
  if (const Figure<Agreement> agreement = same.agreement())
    answer["agreement"] = {{"both", agreement->both.size()},
                           {"only_first", agreement->onlyFirst.size()},
                           {"only_second", agreement->onlySecond.size()},
                           {"neither", agreement->neither.size()}};
  else
    answer["agreement"] = {{"unknown", agreement.reason().sentence()}};
  return answer;
}

void printSameSamples(const SameSamples& same) {
  const size_t count = same.runs.size();
  int64_t samples = 0;
  for (const RunOnSamples& run : same.runs)
    samples = std::max(samples, run.result.samples);
  std::cout << "\nOn the same " << formatCounted(samples, "sample") << " (" << same.split << ")\n";
  std::vector<std::vector<std::string>> lines{{""}};
  for (const RunOnSamples& run : same.runs)
    lines[0].push_back(printable(shortPath(run.run)));
  for (const std::string& metric : same.metrics()) {
    lines.push_back({printable(metric)});
    for (size_t i = 0; i < count; ++i) {
      const std::optional<double> value = same.value(i, metric);
      lines.back().push_back(value ? formatNumber(*value, 4) : "-");
    }
  }
  printTable(lines, std::vector<bool>(count + 1, false));
  for (const RunOnSamples& run : same.runs) {
    if (run.problem)
      printMessage("warning: " + run.run +
                   " cannot be evaluated on these samples: " + run.problem->line());
    if (run.mayHaveSeen)
      printMessage("warning: " + run.run +
                   " had another source, split or seed, or began with trained weights, so it may "
                   "have been trained on some of these samples.");
  }
  if (count != 2) return;
  const auto counted = [](const std::vector<int64_t>& list) {
    return formatCount(static_cast<double>(list.size()));
  };
  if (const Figure<Agreement> agreement = same.agreement())
    std::cout << "Predicted correctly by both: " << counted(agreement->both)
              << ", only the first: " << counted(agreement->onlyFirst)
              << ", only the second: " << counted(agreement->onlySecond)
              << ", neither: " << counted(agreement->neither) << "\n";
  else
    std::cout << "How they agree is unknown, because " << agreement.reason().sentence() << ".\n";
}

int compareNamed(const CompareOptions& options) {
  std::vector<RunRow> rows;
  for (const std::string& run : namedRuns(options.words)) {
    rows.push_back(readRunRow(run));
    printProblems(rows.back().info);
  }
  const RunComparison comparison = compareRuns(rows);
  std::optional<SameSamples> same;
  if (!options.split.empty()) same = sameSamplesOf(rows, options);
  if (options.isJson) {
    Json answer = comparison.toJson();
    if (same) answer["evaluation"] = sameSamplesJson(*same);
    printJsonDocument(answer);
    return kDone;
  }
  printComparison(comparison);
  if (same) printSameSamples(*same);
  return kDone;
}

struct CleanOptions {
  std::string project, metric, direction, days;
  int64_t last = -1, best = -1, maxBytes = 0;
  bool isSure = false, isJson = false;
};

RetentionRules rulesOf(const CleanOptions& options) {
  RetentionRules rules;
  if (options.last >= 0) rules.keepLast = options.last;
  if (options.best >= 0) rules.keepBest = options.best;
  if (options.maxBytes > 0) rules.maxBytes = static_cast<uint64_t>(options.maxBytes);
  if (!options.days.empty()) {
    double days = 0;
    const char* const end = options.days.data() + options.days.size();
    const auto [stop, failed] = std::from_chars(options.days.data(), end, days);
    if (failed != std::errc() || stop != end || !(days >= 0) || days > 1e6)
      throw Error(ErrorCode::InvalidArgument, "--keep-days " + options.days,
                  "is not a number of days (expected 0 or more, such as 30). Correct it.");
    rules.keepDays = days;
  }
  rules.metric = options.metric;
  if (!options.direction.empty())
    rules.direction = options.direction == "up" ? Direction::Up : Direction::Down;
  return rules;
}

int clean(const CleanOptions& options) {
  const std::vector<RunRow> rows = readRunRows(projectOfRuns(options.project));
  const RetentionPlan plan = retentionPlan(rows, rulesOf(options), std::time(nullptr));
  if (!options.isJson) {
    std::vector<std::vector<std::string>> lines;
    for (const RetentionEntry& each : plan.going)
      lines.push_back({printable(shortPath(each.run)), bytesText(static_cast<double>(each.bytes)),
                       retentionText(each.reason), printable(each.title)});
    if (lines.empty())
      std::cout << "All runs stay.\n";
    else
      printTable(lines, {false, true, false, false});
    std::cout << formatCounted(static_cast<int64_t>(plan.going.size()), "run") << " of "
              << bytesText(static_cast<double>(plan.goingBytes)) << " would go, "
              << formatCounted(static_cast<int64_t>(plan.staying.size()), "run") << " of "
              << bytesText(static_cast<double>(plan.stayingBytes)) << " would stay\n";
    if (plan.exceedsSize)
      std::cout << "The runs that always stay exceed the size. See strata runs clean --help.\n";
  }
  if (plan.going.empty() || !options.isSure) {
    if (options.isJson) printJsonDocument(plan.toJson());
    return plan.going.empty() ? kDone : askForYes();
  }
  const Deletion deletion = applyRetention(plan);
  if (options.isJson) {
    Json json = plan.toJson();
    json["deleted"] = Json::array();
    for (const DeletedRun& run : deletion.deleted)
      json["deleted"].push_back(run.toJson());
    json["refused"] = refusalsToJson(deletion.refused);
    printJsonDocument(json);
  }
  else {
    std::cout << "Moved " << formatCounted(static_cast<int64_t>(deletion.deleted.size()), "run")
              << " to the trash. Undo: strata runs restore " << printable(options.project)
              << " --all. Free the space: strata runs empty " << printable(options.project)
              << " --yes\n";
  }
  return printRefusals(deletion.refused);
}

}  // namespace

void setupRunsCompare(Arguments& runs, Action& action) {
  auto options = std::make_shared<CompareOptions>();
  Arguments accepted = addRunsCommand(
      runs, action, "compare", "Compare the settings, layers and results of runs",
      "strata runs compare mnist-cnn.json 3 4 --evaluate test", compareNamed, options);
  accepted.list("RUN", options->words, "Run directories, or a project and numbers of runs", "RUN");
  accepted.choice("--evaluate", options->split,
                  "Evaluate the weights of all runs on these samples of the project, and count "
                  "which classifier is right where",
                  "SPLIT", {"test", "validation", "train"});
  accepted.text("--device", options->device, "Device that evaluates (default: auto)", "NAME");
  accepted.json(options->isJson);
}

void setupRunsClean(Arguments& runs, Action& action) {
  auto options = std::make_shared<CleanOptions>();
  Arguments accepted = addRunsCommand(
      runs, action, "clean",
      "Delete runs by rules; the best and the last run, archived and kept runs, runs that train "
      "and runs that others start from always stay",
      "strata runs clean mnist-cnn.json --keep-last 5 --keep-best 3 --metric best_val_accuracy",
      clean, options);
  accepted.text("PROJECT", options->project, "Project file (.json)", "FILE", Need::Required);
  constexpr int64_t kMaxRuns = 1000000000;
  accepted.number("--keep-last", options->last, "Keep this number of newest runs", 0, kMaxRuns);
  accepted.number("--keep-best", options->best, "Keep this number of best runs", 0, kMaxRuns);
  accepted.text("--metric", options->metric,
                "Column that says which run is better (default: the best validation loss, or else "
                "the test loss)",
                "COLUMN");
  accepted.choice("--direction", options->direction,
                  "Which values of --metric are better: large (up) or small (down); needed if its "
                  "direction is unknown",
                  "DIRECTION", {"up", "down"});
  accepted.text("--keep-days", options->days, "Keep runs that started within this number of days",
                "DAYS");
  accepted.bytes("--max-bytes", options->maxBytes,
                 "Delete the oldest other runs until all have at most this size, such as 2GiB");
  accepted.flag("--yes", options->isSure, "Delete; otherwise only list what would be deleted");
  accepted.json(options->isJson);
}

}  // namespace strata::cli

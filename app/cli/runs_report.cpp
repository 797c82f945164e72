// SPDX-License-Identifier: GPL-3.0-or-later
// Implements `strata runs report`.
#include <iostream>

#include "app/cli/runs.h"
#include "core/report/run_report.h"
#include "core/run_list/lineage.h"
#include "core/train/evaluator.h"
#include "gpu/base/printable.h"

namespace strata::cli {

namespace {

struct ReportOptions {
  std::vector<std::string> words;
  std::string out, split, device = "auto", language = "en";
};

/// Evaluates the network of a run for its report.
ReportedEvaluation evaluationOf(const RunRow& row, const ReportOptions& options) {
  const std::string& directory = row.info.directory;
  const Project project = projectOfRun(directory, likelyProjectOf(row.info.listedAt)).value();
  Evaluator evaluator(project, directory, options.device);
  const EvaluationResult result = evaluator.evaluate(options.split, nullptr, Collect::Outputs);
  ReportedEvaluation evaluation{options.split, {}};
  for (const Figure<CollectedOutput>& collected : result.collected) {
    if (!collected) continue;
    ReportedOutput output{collected->output, collected->classNames, {}, {}};
    if (collected->kind != OutputKind::Values) {
      output.classes = classificationFigures(*collected);
    }
    else {
      constexpr int64_t kBins = 30;
      const Figure<RegressionFigures> values =
          regressionFigures(collected->predicted, collected->truth, collected->columns, kBins);
      if (values) output.values = *values;
    }
    evaluation.outputs.push_back(std::move(output));
  }
  return evaluation;
}

int writeReport(const ReportOptions& options) {
  const std::vector<std::string> named = namedRuns(options.words);
  if (named.size() != 1)
    throw Error(ErrorCode::InvalidArgument, "runs report",
                "is about one run (got " + std::to_string(named.size()) + "). Name one.");
  const RunRow row = readRunRow(named[0]);
  for (const std::string& damage : damageOfRun(row))
    printMessage("warning: " + damage);
  std::optional<ReportedEvaluation> evaluation;
  if (!options.split.empty()) evaluation = evaluationOf(row, options);
  const auto language =
      options.language == "zh" ? ReportLanguage::Chinese : ReportLanguage::English;
  writeHtmlReport(options.out, htmlReport(row, evaluation ? &*evaluation : nullptr, language));
  std::cout << "Written to " << printable(options.out) << "\n";
  return kDone;
}

}  // namespace

void setupRunsReport(Arguments& runs, Action& action) {
  auto options = std::make_shared<ReportOptions>();
  Arguments accepted =
      addRunsCommand(runs, action, "report", "Write the report of a run as one HTML file",
                     "strata runs report mnist-cnn.json latest --evaluate test --out report.html",
                     writeReport, options);
  accepted.list("RUN", options->words, "Run directory, or a project and the number of a run",
                "RUN");
  accepted.text("--out", options->out, "File to write; an earlier report is replaced", "FILE",
                Need::Required);
  accepted.choice("--evaluate", options->split,
                  "Evaluate the network on these data, and add the scores and curves of each class",
                  "SPLIT", {"test", "validation", "train"});
  accepted.choice("--language", options->language,
                  "Language of the report: en, or zh for Chinese (default: en)", "LANGUAGE",
                  {"en", "zh"});
  accepted.text("--device", options->device, "Device that evaluates (default: auto)", "NAME");
}

}  // namespace strata::cli

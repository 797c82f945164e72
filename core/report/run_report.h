// SPDX-License-Identifier: Apache-2.0
// A report of one run as an HTML file: results, curves, scores by class with their curves, design,
// settings, memory and environment. Missing or damaged files of the run are named in the report.
// Names, settings and messages of the run stay as they are in any language. Not here: evaluating
// the network (core/train), PDF (ui).
// Thread: the functions only access the file system.
#pragma once

#include <string>
#include <vector>

#include "core/evaluation/classification.h"
#include "core/evaluation/regression.h"
#include "core/report/words.h"
#include "core/run_list/run_table.h"

namespace strata {

/// The figures of an output for a report.
struct ReportedOutput {
  std::string output;
  std::vector<std::string> classNames;
  // One of both
  std::optional<ClassificationFigures> classes;
  std::optional<RegressionFigures> values;
};

/// An evaluation for a report.
struct ReportedEvaluation {
  // Such as "test"
  std::string split;
  std::vector<ReportedOutput> outputs;
};

/// Returns a sentence for each damaged file of a run that its report needs, as the report has them.
std::vector<std::string> damageOfRun(const RunRow& row);
/// Returns the report of a run. `evaluation` may be null.
std::string htmlReport(const RunRow& row, const ReportedEvaluation* evaluation = nullptr,
                       ReportLanguage language = ReportLanguage::English);

/// Writes a report as a whole. Fails: as writeExport().
void writeHtmlReport(const std::string& path, const std::string& html);

}  // namespace strata

// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/check/data_stages.h"
#include "core/check/validate.h"
#include "core/data/dataset.h"
#include "core/project/text.h"
#include "core/train/algorithms.h"
#include "gpu/base/printable.h"

namespace strata::cli {

static Json toJson(const Diagnostic& diagnostic) {
  Json fixes = Json::array();
  for (const Fix& fix : diagnostic.fixes)
    fixes.push_back(formatText(fix.label, fix.arguments));
  return {{"severity", diagnostic.severity == Severity::Error ? "error" : "warning"},
          {"code", diagnostic.code},
          {"layer", diagnostic.layer},
          {"field", diagnostic.field},
          {"pointer", diagnostic.pointer},
          {"message", diagnostic.sentence()},
          {"fixes", fixes}};
}

static Json dataToJson(const CheckedProject& project) {
  Json stages = Json::array(), damaged = Json::array(), filled = Json::array();
  for (const DataStage& stage : dataStages(project)) {
    Json json{{"stage", stage.type},
              {"text", formatText(stage.phrase.text, stage.phrase.arguments)}};
    for (const auto& [name, value] : stage.values)
      json[name] = value == static_cast<double>(static_cast<int64_t>(value))
                       ? Json(static_cast<int64_t>(value))
                       : Json(value);
    stages.push_back(std::move(json));
  }
  for (const DamagedSample& each : project.data().damaged)
    damaged.push_back({{"file", each.file}, {"reason", each.reason}});
  if (project.data().dataset)
    for (const FilledColumn& each : project.data().dataset->filled)
      filled.push_back({{"column", each.column},
                        {"cells", each.cells},
                        {"rows", each.rows},
                        {"replacement", each.replacement}});
  return {{"stages", stages}, {"damaged", damaged}, {"filled", filled}};
}

/// Prints the preprocessing stages of a sample, from the source to the training step.
static void printStages(const CheckedProject& project) {
  for (const DataStage& stage : dataStages(project)) {
    std::string name = "  " + stage.type;
    name.resize(12, ' ');
    std::cout << name << asOneLine(formatText(stage.phrase.text, stage.phrase.arguments)) << "\n";
  }
}

Action setupCheck(Arguments& accepted) {
  struct Options {
    ProjectArgument project;
    bool asJson = false;
  };
  auto options = std::make_shared<Options>();
  options->project.addTo(accepted);
  accepted.json(options->asJson);
  return [options] {
    Diagnostics wrong;
    const CheckedProject project = options->project.loadSound(wrong);
    Diagnostics diagnostics = wrong.empty() ? validate(project) : validateRest(project, wrong);
    if (wrong.empty() && !hasErrors(diagnostics))
      for (Diagnostic& problem : algorithmProblems(project))
        diagnostics.push_back(std::move(problem));
    const bool showsData = wrong.empty() && project.data().isKnown;
    const bool isOk = !hasErrors(diagnostics);
    if (options->asJson) {
      Json problems = Json::array();
      for (const Diagnostic* diagnostic : mostImportant(diagnostics))
        problems.push_back(toJson(*diagnostic));
      Json answer{{"ok", isOk},
                  {"problems", problems},
                  {"hidden_problems", diagnostics.size() - problems.size()}};
      if (showsData) answer["data"] = dataToJson(project);
      printJsonDocument(answer);
    }
    else {
      printDiagnostics(options->project.path(), diagnostics);
      if (isOk)
        std::cout << printable(options->project.path())
                  << (diagnostics.empty() ? ": no problems\n" : ": no errors, ready to train\n");
      if (showsData) printStages(project);
    }
    return isOk ? kDone : kWrongUsage;
  };
}

}  // namespace strata::cli

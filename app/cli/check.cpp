// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/project/text.h"
#include "core/train/data_stages.h"

namespace strata::cli {

static Json toJson(const Diagnostic& diagnostic) {
  Json fixes = Json::array();
  for (const Fix& fix : diagnostic.fixes) fixes.push_back(formatText(fix.label, fix.arguments));
  return {{"severity", diagnostic.severity == Severity::Error ? "error" : "warning"},
          {"code", diagnostic.code},
          {"layer", diagnostic.layer},
          {"field", diagnostic.field},
          {"pointer", diagnostic.pointer},
          {"message", diagnostic.sentence()},
          {"fixes", fixes}};
}

static Json dataToJson(const Project& project, const DatasetInfo& data) {
  Json stages = Json::array(), damaged = Json::array();
  for (const DataStage& stage : dataStages(project, data)) {
    Json json{{"stage", stage.type}, {"text", formatText(stage.phrase.text, stage.phrase.arguments)}};
    for (const auto& [name, value] : stage.values)
      json[name] = value == static_cast<double>(static_cast<int64_t>(value)) ? Json(static_cast<int64_t>(value)) : Json(value);
    stages.push_back(std::move(json));
  }
  for (const DamagedSample& each : data.damaged) damaged.push_back({{"file", each.file}, {"reason", each.reason}});
  return {{"stages", stages}, {"damaged", damaged}};
}

/// The way of a sample into a step.
static void printStages(const Project& project, const DatasetInfo& data) {
  for (const DataStage& stage : dataStages(project, data)) {
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
    Diagnostics wrong, ignored;
    const Project project = options->project.loadSound(wrong);
    const Diagnostics diagnostics = wrong.empty() ? validate(project) : validateRest(project, wrong);
    const DatasetInfo data = wrong.empty() ? describeDataset(project, ignored) : DatasetInfo();
    const bool isOk = !hasErrors(diagnostics);
    if (options->asJson) {
      Json problems = Json::array();
      for (const Diagnostic& diagnostic : diagnostics) problems.push_back(toJson(diagnostic));
      Json answer{{"ok", isOk}, {"problems", problems}};
      if (data.isKnown) answer["data"] = dataToJson(project, data);
      printJsonDocument(answer);
    } else {
      printDiagnostics(options->project.path(), diagnostics);
      if (isOk) std::cout << options->project.path() << (diagnostics.empty() ? ": no problems\n" : ": no errors, it can be trained\n");
      if (data.isKnown) printStages(project, data);
    }
    return isOk ? kDone : kWrongUsage;
  };
}

}  // namespace strata::cli

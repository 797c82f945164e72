// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/check/data_stages.h"
#include "core/check/validate.h"
#include "core/cost/simulated_card.h"
#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/project/text.h"
#include "core/train/algorithms.h"
#include "gpu/base/error.h"
#include "gpu/devices/devices.h"

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
  Json stages = Json::array(), damaged = Json::array();
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
  return {{"stages", stages}, {"damaged", damaged}};
}

/// Prints the preprocessing stages of a sample, from the source to the training step.
static void printStages(const CheckedProject& project) {
  for (const DataStage& stage : dataStages(project)) {
    std::string name = "  " + stage.type;
    name.resize(12, ' ');
    std::cout << name << asOneLine(formatText(stage.phrase.text, stage.phrase.arguments)) << "\n";
  }
}

/// Adds a problem for each chosen algorithm that the device of the project does not offer.
static void checkAlgorithms(const CheckedProject& project, Diagnostics& diagnostics) {
  const ExecutionOptions& execution = project.execution();
  if (execution.algorithms.empty() || !isGpuName(resolvedDeviceName(execution.device))) return;
  for (const Error& error : wrongAlgorithms(project)) {
    const bool isChoice =
        error.code() == ErrorCode::InvalidProject || error.code() == ErrorCode::InvalidArgument;
    if (isChoice)
      diagnostics.push_back({Severity::Error,
                             "unknown_algorithm",
                             pathOfLayer(error.subject()),
                             "/execution/algorithms",
                             STRATA_TEXT("problem", "%1"),
                             {std::string(error.what())},
                             {}});
    else
      diagnostics.push_back({Severity::Error,
                             "unusable_device",
                             "",
                             "/execution/devices",
                             STRATA_TEXT("problem", "%1: %2"),
                             {error.subject(), std::string(error.what())},
                             {}});
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
    if (wrong.empty() && !hasErrors(diagnostics)) checkAlgorithms(project, diagnostics);
    const bool showsData = wrong.empty() && project.data().isKnown;
    const bool isOk = !hasErrors(diagnostics);
    if (options->asJson) {
      Json problems = Json::array();
      for (const Diagnostic& diagnostic : diagnostics)
        problems.push_back(toJson(diagnostic));
      Json answer{{"ok", isOk}, {"problems", problems}};
      if (showsData) answer["data"] = dataToJson(project);
      printJsonDocument(answer);
    }
    else {
      printDiagnostics(options->project.path(), diagnostics);
      if (isOk)
        std::cout << options->project.path()
                  << (diagnostics.empty() ? ": no problems\n" : ": no errors, ready to train\n");
      if (showsData) printStages(project);
    }
    return isOk ? kDone : kWrongUsage;
  };
}

}  // namespace strata::cli

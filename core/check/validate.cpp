// SPDX-License-Identifier: Apache-2.0
#include "core/check/validate.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/check/joint_checks.h"
#include "core/check/problem_order.h"
#include "core/check/replica_checks.h"
#include "core/compile/compile.h"
#include "core/data/data_problems.h"
#include "core/interchange/weights_file.h"
#include "core/model/model.h"
#include "core/model/shape_fixes.h"
#include "core/recipe/options.h"
#include "core/runs/given_weights.h"

namespace strata {

namespace {

/// Warns about unknown keys with the most similar known name. Saving keeps unknown keys.
void checkKeys(const Json& object, const std::string& where, const std::vector<std::string>& known,
               Diagnostics& diagnostics) {
  if (!object.is_object()) return;
  checkFields(Schema{.type = where.empty() ? "a project" : where.substr(1)}, object, where, "",
              diagnostics, known);
}

/// Checks the header of the file of initial weights. Does not read the weights.
void checkInitialWeights(const Project& project, const TrainingOptions& training,
                         Diagnostics& diagnostics) {
  if (training.initialWeights.empty()) return;
  try {
    openWeightsFile(weightsFile(pathInProject(project, training.initialWeights)));
  }
  catch (const Error& error) {
    diagnostics.push_back({Severity::Error,
                           "bad_file",
                           "",
                           "/training/initial_weights",
                           STRATA_TEXT("problem", "initial_weights %1: %2"),
                           {error.subject(), error.what()},
                           {}});
  }
}

/// Reports callbacks whose metric has several values with other names, such as "f1_score/0".
void checkMonitorNames(const TrainingOptions& training, const std::vector<std::string>& names,
                       Diagnostics& diagnostics) {
  for (const TypedFields& callback : training.callbacks) {
    const auto monitor = callback.fields->find("monitor");
    if (monitor == callback.fields->end() || callback.type == "ModelCheckpoint") continue;
    const auto name = monitor->get<std::string>();
    const std::string base = name.starts_with("val_") ? name.substr(4) : name;
    if (base == "loss" || std::ranges::find(names, base) != names.end()) continue;
    const std::string prefix = name.starts_with("val_") ? "val_" : "";
    std::string expected = prefix + "loss";
    for (const std::string& each : names)
      expected += ", " + prefix + each;
    diagnostics.push_back(
        {Severity::Error,
         "unknown_monitor",
         "",
         "/training/callbacks",
         STRATA_TEXT("problem",
                     "%1 is not measured (expected one of: %2). Choose one, or add the metric."),
         {name, expected},
         {}});
  }
}

/// Builds a step and reports problems that no other check finds. Without this check, they would
/// appear only when a training starts.
/// Returns StepGraph::countedBy.
std::string checkBuild(const Model& model, const TrainingOptions& training,
                       Diagnostics& diagnostics) {
  StepOptions options;
  options.mode = StepMode::Evaluate;
  options.batchSize = training.batchSize;
  options.stopAfter = Stage::Lowered;
  try {
    const StepGraph step = buildStep(model, training, options);
    checkMonitorNames(training, step.metricNames, diagnostics);
    if (!step.countedBy.empty() && std::min(training.accumulationSteps, training.batchSize) > 1)
      diagnostics.push_back(unevenMicroBatches(step.countedBy, training.accumulationSteps));
    return step.countedBy;
  }
  catch (const LayerProblem& problem) {
    diagnostics.push_back(problem.diagnostic());
  }
  catch (const Error& error) {
    diagnostics.push_back({Severity::Error,
                           "unsupported",
                           model.find(rowOfLayer(error.subject())) ? pathOfLayer(error.subject())
                                                                   : model.outputs.back(),
                           "",
                           STRATA_TEXT("problem", "%1"),
                           {error.what()},
                           {}});
  }
  return {};
}

/// Returns the description of the data. Adds the numbers of the source `values`, which are part of
/// the project, so that they can be judged without reading files. Reports their classes and
/// weights.
DatasetInfo withNumbers(const CheckedProject& checked, Diagnostics& diagnostics) {
  DatasetInfo data = checked.data();
  if (!data.isKnown || data.dataset || data.source != "values") return data;
  try {
    data.dataset = loadDataset(checked);
    for (size_t i = 0; i < data.dataset->targets.size(); ++i) {
      reportUnseenClasses(*data.dataset, i, diagnostics);
      reportZeroWeights(*data.dataset, i, diagnostics);
    }
  }
  catch (const Error&) {
    // Other checks report why the numbers cannot be loaded
  }
  return data;
}

}  // namespace

Inspection inspectProject(const CheckedProject& checked) {
  const Project& project = checked.project();
  const Model& model = checked.model();
  const TrainingOptions& training = checked.recipe();
  Inspection result;
  Diagnostics& diagnostics = result.diagnostics;
  diagnostics = checked.problemsOfModel();
  Diagnostics otherProblems = checked.problemsOfTraining();
  result.summary = summarizeModel(model, project, training.batchSize, diagnostics);
  checkInitialWeights(project, training, otherProblems);
  const DatasetInfo data = withNumbers(checked, otherProblems);
  otherProblems.insert(otherProblems.end(), checked.problemsOfData().begin(),
                       checked.problemsOfData().end());
  const ProjectParts parts{project.document(), model, result.summary, training, data};
  checkTogether(parts, diagnostics);
  checkKeys(
      project.document(), "",
      {"format", "version", "name", "notes", "data", "model", "training", "execution", "design"},
      otherProblems);
  if (project.document().contains("model"))
    checkKeys(project.document()["model"], "/model", {"layers", "outputs"}, otherProblems);
  if (!hasErrors(diagnostics) && !hasErrors(otherProblems))
    checkReplicas(parts, checked.execution(), checkBuild(model, training, diagnostics),
                  diagnostics);
  for (auto& each : otherProblems)
    diagnostics.push_back(std::move(each));
  orderByLayers(project, diagnostics);
  proposeShapeFixes(project, model, result.summary, training.batchSize, diagnostics);
  return result;
}

Diagnostics validate(const CheckedProject& project) { return inspectProject(project).diagnostics; }

Diagnostics validateRest(const CheckedProject& project, const Diagnostics& wrong) {
  // Problems under these pointers may be caused only by the removed parts.
  std::vector<std::string> excluded;
  bool hasTraining = true;
  for (const Diagnostic& each : wrong) {
    const std::string part = each.field.substr(0, each.field.find('/', 1));
    excluded.push_back(part);
    hasTraining = hasTraining && part != "/training";
    // The names of inputs and outputs select the arrays of the data source.
    if (part == "/training" || part == "/model") excluded.emplace_back("/data/source");
    if (part == "/model") excluded.emplace_back("/training");
  }
  Diagnostics result = wrong;
  for (Diagnostic& each : validate(project)) {
    const bool isExcluded =
        std::any_of(excluded.begin(), excluded.end(), [&](const std::string& part) {
          return each.pointer == part || each.pointer.starts_with(part + "/");
        });
    if (!isExcluded && (hasTraining || each.code != "several_outputs"))
      result.push_back(std::move(each));
  }
  return result;
}

}  // namespace strata

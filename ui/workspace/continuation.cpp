// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/continuation.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/recipe/options.h"
#include "core/recipe/run_edits.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/device.h"
#include "ui/device_text.h"
#include "ui/document/document.h"
#include "ui/document/field_text.h"
#include "ui/format.h"
#include "ui/run/run_controller.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr const char* kRate = "learning_rate";

/// Returns the number of epochs that a finished run of `planned` epochs trains on.
int64_t moreEpochs(int64_t wanted, int64_t planned) {
  return std::max<int64_t>(1, wanted > planned ? wanted - planned : wanted);
}

/// Returns the learning rate or schedule of a document. The result is null if it has none.
Json rateOf(const Json& document) {
  return document.value(Json::json_pointer("/training/optimizer/learning_rate"), Json());
}

/// Returns a rate, or the type of a schedule and its first rate if it has a field for it.
QString rateText(const Json& rate) {
  if (rate.is_number()) return formatValue(rate.get<double>(), 4);
  const auto type = rate.find("type");
  if (!rate.is_object() || type == rate.end() || !type->is_string())
    return Continuation::tr("default");
  const QString name = text(type->get<std::string>());
  const auto first = rate.find("initial_learning_rate");
  if (first == rate.end() || !first->is_number()) return name;
  return Continuation::tr("%1 from %2").arg(name, formatValue(first->get<double>(), 4));
}

/// Returns the title of a setting of the optimizer, or of a layer: "Rate of dropout".
QString settingTitle(const Json& document, const std::string& name) {
  const FieldSchema* const field = settingField(document, name);
  const QString title = field ? fieldTitle(*field) : text(name);
  const size_t slash = name.rfind('/');
  return slash == std::string::npos
             ? title
             : Continuation::tr("%1 of %2").arg(title, text(name.substr(0, slash)));
}

/// Returns the lines of the settings that a run can change, such as the learning rate.
void addSettings(const Json& design, const UsedRun& run, const auto& add) {
  const Json& own = run.project->document();
  const auto changed = run.settings.find(kRate);
  const Json used = changed == run.settings.end() ? rateOf(own) : Json(changed->second),
             wanted = rateOf(design);
  const auto valueOf = [](const Json& document) {
    const auto settings = liveSettings(document);
    const auto found = settings.find(kRate);
    return found == settings.end() ? std::optional<double>() : found->second;
  };
  const std::optional<double> usedValue =
      changed == run.settings.end() ? valueOf(own) : std::optional(changed->second);
  const bool isSame = usedValue || valueOf(design) ? usedValue == valueOf(design) : used == wanted;
  if (!isSame) add(Continuation::tr("Learning rate"), rateText(used), rateText(wanted));
  const auto before = liveSettings(own);
  for (const auto& [name, value] : liveSettings(design)) {
    const auto start = before.find(name);
    if (name == kRate || start == before.end()) continue;
    const auto now = run.settings.find(name);
    const double last = now == run.settings.end() ? start->second : now->second;
    if (last != value) add(settingTitle(own, name), formatValue(last, 4), formatValue(value, 4));
  }
}

}  // namespace

QString Continuation::text() const {
  return moreEpochs > 0 ? tr("Train %Ln more epoch(s)", nullptr, pluralOf(moreEpochs))
                        : tr("Continue (step %1)").arg(formatCount(step));
}

UsedRun usedRun(const RunController& run) {
  UsedRun used;
  const ShownRun& shown = run.shown();
  if (!shown.start || !shown.project || !shown.outcome) return used;
  used.directory = shown.start->runDirectory;
  used.device = shown.start->device;
  used.epochs = shown.start->epochs;
  used.steps = shown.checkpointStep.value_or(0);
  used.isFinished = shown.outcome->outcome == Outcome::Finished;
  used.canContinue = run.canContinue();
  used.project = shown.project;
  used.settings = shown.settings;
  used.weights = shown.weightsFile;
  return used;
}

UsedRun usedRun(const RunInfo& run, std::shared_ptr<const Project> project) {
  UsedRun used;
  used.directory = run.directory;
  used.device = run.device;
  used.epochs = run.epochs;
  used.steps = run.checkpointStep;
  used.isFinished = run.status == RunStatus::Finished;
  // Without a checkpoint of its last step, a finished run would lose what it has learned since.
  used.canContinue = !run.checkpoint.empty() && run.status != RunStatus::Running && project &&
                     (!used.isFinished || run.checkpointStep >= run.steps);
  used.project = std::move(project);
  used.settings = run.settings;
  used.weights = !run.weightsPath.empty() ? run.weightsPath : run.checkpoint;
  return used;
}

Continuation continuationOf(const Document& document, const UsedRun& run) {
  Continuation next;
  next.canContinue = run.canContinue && run.project;
  next.step = run.steps;
  if (run.isFinished) {
    next.moreEpochs = moreEpochs(document.checked().recipe().epochs, run.epochs);
    next.epochs = run.epochs + next.moreEpochs;
  }
  if (!next.canContinue) return next;
  next.changes = designChanges(*run.project, document.project());
  if (next.changes.isEmpty() || run.weights.empty() || !document.checks().isCurrent() ||
      document.checks().errorCount() > 0)
    return next;
  try {
    next.layers = keptLayers(document.checked().model(), CheckedProject(*run.project).model());
  }
  catch (const Error&) {
    // This version can't build the design of the run, so no weights are kept.
  }
  return next;
}

QStringList usedSettings(const Document& document, const UsedRun& run) {
  QStringList lines;
  if (!run.project) return lines;
  const auto add = [&](const QString& name, const QString& used, const QString& now) {
    // Two schedules may differ only in fields that their texts do not show.
    lines << (used == now
                  ? Continuation::tr("%1: %2 (other values than in the project)").arg(name, used)
                  : Continuation::tr("%1: %2 (the project has %3)").arg(name, used, now));
  };
  const QString device = deviceTitle(run.device),
                wanted = deviceTitle(resolvedDeviceName(document.checked().execution().device));
  if (device != wanted) add(Continuation::tr("Device"), device, wanted);
  addSettings(document.json(), run, add);
  if (const int64_t epochs = document.checked().recipe().epochs;
      !run.isFinished && epochs != run.epochs)
    add(Continuation::tr("Epochs"), formatCount(run.epochs), formatCount(epochs));
  if (const DesignChanges changes = designChanges(*run.project, document.project());
      !changes.isEmpty())
    lines << Continuation::tr("Changed since the run: %1").arg(changes.text());
  return lines;
}

void continueRun(const Document& document, const UsedRun& run, RunController& controller) {
  const Continuation next = continuationOf(document, run);
  if (!next.canContinue) return;
  controller.resumeRun(*run.project, text(run.directory), document.json(), {.epochs = next.epochs});
  controller.follow(document.json());
}

void branchRun(const Document& document, const UsedRun& run, int64_t step,
               RunController& controller) {
  Project project = *run.project;
  // The new run belongs to the open project
  project.setPath(document.project().path());
  controller.resumeRun(project, text(run.directory), document.json(), {.branchStep = step});
  controller.follow(document.json());
}

}  // namespace strata::ui

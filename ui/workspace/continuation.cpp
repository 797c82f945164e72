// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/continuation.h"

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/recipe/options.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/run/run_controller.h"

namespace strata::ui {

Continuation continuationOf(const Document& document, const RunController& run) {
  Continuation next;
  next.canContinue = run.canContinue() && run.shown().project;
  if (!next.canContinue) return next;
  const RunOutcome& outcome = *run.shown().outcome;
  const int64_t wanted = document.checked().recipe().epochs, planned = run.shown().start->epochs;
  next.step = outcome.steps;
  if (outcome.outcome == Outcome::Finished) {
    next.epochs = wanted > planned ? wanted : planned + wanted;
    next.moreEpochs = *next.epochs - planned;
  }
  else if (wanted != planned && wanted > outcome.epochs) {
    next.epochs = wanted;
  }
  next.changes = designChanges(*run.shown().project, document.project());
  if (next.changes.isEmpty() || run.shown().weightsFile.empty() || !document.checks().isCurrent() ||
      document.checks().errorCount() > 0)
    return next;
  try {
    next.layers =
        keptLayers(document.checked().model(), CheckedProject(*run.shown().project).model());
  }
  catch (const Error&) {
    // This version can't build the design of the run, so no weights are kept.
  }
  return next;
}

void continueRun(const Document& document, RunController& run) {
  const Continuation next = continuationOf(document, run);
  if (!next.canContinue) return;
  const Project project = *run.shown().project;
  run.resumeRun(project, text(run.shown().start->runDirectory), document.json(), next.epochs);
  run.follow(document.json());
  if (next.changes.hasTraining) return;
  // Apply the current settings. The run ignores settings that it already has. If the run has
  // callbacks, stages or planned changes, these may have changed its settings. In that case, apply
  // only the settings that the user has edited since the run started.
  const TrainingOptions training = CheckedProject(project).recipe();
  const bool isFollowed =
      !training.callbacks.empty() || !training.stages.empty() || !training.changes.empty();
  const auto before = liveSettings(project.document());
  for (const auto& [name, value] : liveSettings(document.json())) {
    const auto old = before.find(name);
    if (old != before.end() && !(isFollowed && old->second == value)) run.change(name, value);
  }
}

}  // namespace strata::ui

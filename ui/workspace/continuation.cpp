// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/continuation.h"

#include <nlohmann/json.hpp>

#include "core/train/options.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/run/run_controller.h"

namespace strata::ui {

static TrainingOptions trainingOf(const Document& document) {
  Diagnostics ignored;
  return parseTraining(document.project(), ignored);
}

Continuation continuationOf(const Document& document, const RunController& run) {
  Continuation next;
  next.canContinue = run.canContinue() && run.runProject();
  if (!next.canContinue) return next;
  const RunOutcome& outcome = *run.outcome();
  const int64_t wanted = trainingOf(document).epochs, planned = run.runStart()->epochs;
  next.step = outcome.steps;
  if (outcome.outcome == Outcome::Finished) {
    next.epochs = wanted > planned ? wanted : planned + wanted;
    next.moreEpochs = *next.epochs - planned;
  } else if (wanted != planned && wanted > outcome.epochs) {
    next.epochs = wanted;
  }
  next.changes = designChanges(*run.runProject(), document.project());
  if (next.changes.isEmpty() || run.weightsFile().empty() || !document.isInspectionCurrent() || document.errorCount() > 0) return next;
  try {
    next.layers = keptLayers(document.project(), *run.runProject());
  } catch (const Error&) {
    // The run's design is of a version that this one cannot build: nothing is kept.
  }
  return next;
}

void continueRun(const Document& document, RunController& run) {
  const Continuation next = continuationOf(document, run);
  if (!next.canContinue) return;
  const Project project = *run.runProject();
  run.resumeRun(project, text(run.runStart()->runDirectory), next.epochs);
  // A rate that was changed as a number takes effect; a schedule goes on by its own, and so does what a callback made of the run's rate.
  Diagnostics ignored;
  const TrainingOptions training = trainingOf(document), before = parseTraining(project, ignored);
  const bool isFollowed = !before.callbacks.empty() || !before.stages.empty() || !before.changes.empty();
  if (!next.changes.hasTraining && !training.schedule && (!isFollowed || training.learningRate != before.learningRate))
    run.change("learning_rate", training.learningRate);
  if (next.changes.hasTraining || !training.optimizer.fields || !before.optimizer.fields) return;
  for (const char* name : {"clipnorm", "clipvalue", "global_clipnorm", "weight_decay"}) {
    const auto valueIn = [&](const TrainingOptions& options) {
      const auto field = options.optimizer.fields->find(name);
      return field != options.optimizer.fields->end() && field->is_number() ? field->get<double>() : 0;
    };
    // The run passes over what it has already.
    if (valueIn(training) != valueIn(before)) run.change(name, valueIn(training));
  }
}

}  // namespace strata::ui

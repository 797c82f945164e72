// SPDX-License-Identifier: GPL-3.0-or-later
// Decides how training can build on the last run of a document. Either the run continues, or a new
// run of the edited design starts from the weights of the layers that fit. Neither overwrites
// trained weights. Thread: GUI thread.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/runs/run_directory.h"
#include "core/train/kept_weights.h"
#include "ui/run/design_changes.h"

namespace strata::ui {

class Document;
class RunController;

struct Continuation {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::Continuation)
 public:
  // The other members are valid only if this is true.
  bool canContinue = false;
  int64_t step = 0;
  // The number of epochs to add to a finished run; 0 for a run that has not reached its end
  int64_t moreEpochs = 0;
  // The new total number of epochs, if it differs from the run's
  std::optional<int64_t> epochs;
  // The changes of the design since the run.
  DesignChanges changes;
  // The layers of the open design that can keep the run's weights, and the layers that cannot.
  KeptLayers layers;
  bool canKeepWeights() const { return canContinue && !changes.isEmpty() && !layers.kept.empty(); }
  /// Returns the text of every button that continues the run: "Train 5 more epochs" or "Continue
  /// (step 1,204)".
  QString text() const;
};

/// A run in its directory, with what it used.
struct UsedRun {
  std::string directory;
  // The device that trained it
  std::string device;
  // The planned number of epochs
  int64_t epochs = 0;
  int64_t steps = 0;
  bool isFinished = false, canContinue = false;
  std::shared_ptr<const Project> project;
  // The last values that the user gave to settings during the run
  std::map<std::string, double, std::less<>> settings;
  // The newest weights; "" if there are none
  std::string weights;
};
/// Returns the last run of a controller. Without a run, the result has no project.
UsedRun usedRun(const RunController& run);
/// Returns a run of the list of runs. `project` is its own copy of the project, or null.
UsedRun usedRun(const RunInfo& run, std::shared_ptr<const Project> project);

/// Returns how a run can be continued.
Continuation continuationOf(const Document& document, const UsedRun& run);
/// Returns what the run used where the project differs now, one line for each setting, such as
/// "Learning rate: 0.001 (the project has 0.01)". The epochs of a finished run are not compared.
QStringList usedSettings(const Document& document, const UsedRun& run);
/// Continues the run in its own directory as it was: with its own copy of the design and its own
/// settings. Requires canContinue.
void continueRun(const Document& document, const UsedRun& run, RunController& controller);
/// Starts a new run from the checkpoint of this step, with the design and the settings of `run`,
/// which stays as it is. Requires: `run` has a project.
void branchRun(const Document& document, const UsedRun& run, int64_t step,
               RunController& controller);

}  // namespace strata::ui

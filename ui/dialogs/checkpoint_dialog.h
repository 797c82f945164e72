// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the checkpoints of a run. The run continues from the newest one, and a new run begins with
// an earlier one. Not here: starting the run (workspace/continuation.h). Thread: GUI thread.
#pragma once

#include <QDialog>
#include <functional>
#include <vector>

#include "core/train/run_branch.h"
#include "ui/workspace/continuation.h"

class QLabel;
class QPushButton;
class QTreeWidget;

namespace strata::ui {

class Document;

class CheckpointDialog : public QDialog {
  Q_OBJECT
 public:
  /// Requires: `checkpoints` is not empty, newest first.
  CheckpointDialog(const Document& document, const UsedRun& run,
                   std::vector<ListedCheckpoint> checkpoints, QWidget* parent);

 Q_SIGNALS:
  // The user chose to continue the run itself.
  void continueChosen();
  // The user chose a new run from the checkpoint of this step.
  void branchChosen(qint64 step);

 private:
  void fillList();
  void refresh();
  void choose();
  bool isNewest() const;

  const UsedRun m_run;
  const std::vector<ListedCheckpoint> m_checkpoints;
  // The text for the newest checkpoint; "" if the run cannot continue
  const QString m_continue;
  QTreeWidget* m_list;
  QLabel* m_effect;
  QPushButton* m_choose;
};

/// Opens the dialog for a run, and does what the user chooses. `shown` is called when a run goes
/// on. If the checkpoints cannot be listed, `failed` gets the reason. Requires: no run is active.
void openCheckpoints(QWidget* window, Document& document, const UsedRun& run,
                     RunController& controller, std::function<void()> shown,
                     const std::function<void(const QString&)>& failed);

}  // namespace strata::ui

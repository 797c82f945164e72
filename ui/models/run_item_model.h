// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the runs of a project for the Results page, newest first. Thread: GUI thread.
#pragma once

#include <QAbstractListModel>
#include <QStringList>
#include <vector>

#include "core/runs/run_directory.h"

namespace strata::ui {

/// Returns the title of a run, for example "Run 3".
QString runTitle(const RunInfo& run);
/// Describes the status of a run, for example "finished" or "stopped after step 1,204".
QString runStatusText(const RunInfo& run);

class RunItemModel : public QAbstractListModel {
  Q_OBJECT
 public:
  using QAbstractListModel::QAbstractListModel;
  /// Takes the runs in the order of listRuns(): oldest first.
  /// `titles` has the title of each run in the notes, or is empty.
  void setRuns(std::vector<RunInfo> runs, QStringList titles = {});
  const std::vector<RunInfo>& runs() const { return m_runs; }
  /// Returns the row of a run by its directory, or that among the runs of its project; or -1.
  int rowOf(const std::string& directory) const;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  // The newest run is first.
  std::vector<RunInfo> m_runs;
  QStringList m_titles;
};

}  // namespace strata::ui

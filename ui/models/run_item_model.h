// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a project, newest first, as the Results page lists them. Thread: GUI thread.
#pragma once

#include <QAbstractListModel>
#include <vector>

#include "core/runs/run_directory.h"

namespace strata::ui {

// "Run 3"
QString runTitle(const RunInfo& run);
// "finished", "stopped after step 1,204", ...
QString runStatusText(const RunInfo& run);

class RunItemModel : public QAbstractListModel {
  Q_OBJECT
 public:
  using QAbstractListModel::QAbstractListModel;
  // Oldest first, as returned by listRuns
  void setRuns(std::vector<RunInfo> runs);
  const std::vector<RunInfo>& runs() const { return m_runs; }
  int rowOf(const std::string& directory) const;
  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  // Newest first
  std::vector<RunInfo> m_runs;
};

}  // namespace strata::ui

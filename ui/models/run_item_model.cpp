// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_item_model.h"

#include <QCoreApplication>
#include <algorithm>

#include "ui/format.h"
#include "ui/run/run_text.h"

namespace strata::ui {

QString runTitle(const RunInfo& run) { return RunText::title(run.directory); }

QString runStatusText(const RunInfo& run) {
  switch (run.status) {
    case RunStatus::Running: return QCoreApplication::translate("RunItemModel", "running");
    case RunStatus::Finished: return QCoreApplication::translate("RunItemModel", "finished");
    case RunStatus::Stopped:
      return QCoreApplication::translate("RunItemModel", "stopped after step %1")
          .arg(formatCount(run.steps));
    case RunStatus::Failed: return QCoreApplication::translate("RunItemModel", "failed");
    case RunStatus::Interrupted:
      return QCoreApplication::translate("RunItemModel", "interrupted after step %1")
          .arg(formatCount(run.steps));
  }
  return {};
}

void RunItemModel::setRuns(std::vector<RunInfo> runs, QStringList titles) {
  beginResetModel();
  m_runs.assign(std::make_move_iterator(runs.rbegin()), std::make_move_iterator(runs.rend()));
  std::ranges::reverse(titles);
  m_titles = std::move(titles);
  endResetModel();
}

int RunItemModel::rowOf(const std::string& directory) const {
  for (size_t i = 0; i < m_runs.size(); ++i)
    if (m_runs[i].directory == directory || m_runs[i].listedAt == directory)
      return static_cast<int>(i);
  return -1;
}

int RunItemModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_runs.size());
}

QVariant RunItemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const RunInfo& run = m_runs[static_cast<size_t>(index.row())];
  if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole) {
    QString second = runStatusText(run);
    const auto metric =
        std::find_if(run.testMetrics.begin(), run.testMetrics.end(),
                     // The losses of single outputs are skipped.
                     [](const auto& each) { return !each.first.ends_with("_loss"); });
    if (metric != run.testMetrics.end())
      second = metric->first.ends_with("accuracy") ? formatPercent(metric->second)
                                                   : formatValue(metric->second);
    else if (run.testLoss)
      second = tr("loss %1").arg(formatValue(*run.testLoss));
    const QString title = m_titles.value(index.row());
    if (title.isEmpty()) return tr("%1\n%2").arg(runTitle(run), second);
    return tr("%1: %2\n%3").arg(runTitle(run), title, second);
  }
  if (role == Qt::ToolTipRole)
    return tr("%1, %2, started %3").arg(text(run.directory), runStatusText(run), text(run.started));
  return {};
}

}  // namespace strata::ui

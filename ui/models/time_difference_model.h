// SPDX-License-Identifier: GPL-3.0-or-later
// Lists how the time of a step differs between two runs, by layer, op or kernel. Views sort it by
// kSortRole. Not here: the figures (core/runs/time_table.h). Thread: GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "core/runs/time_table.h"

namespace strata::ui {

class TimeDifferenceModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Columns { kName, kLayer, kPhase, kBefore, kAfter, kChange, kNumColumns };
  enum Roles { kSortRole = Qt::UserRole, kLayerRole };

  using QAbstractTableModel::QAbstractTableModel;
  /// A run: its title, and whether its times are predicted.
  struct Run {
    QString title;
    bool isPredicted = false;
  };
  void setProfiles(const ProfileSnapshot& before, const ProfileSnapshot& after,
                   TimeGrouping grouping, const Run& runBefore, const Run& runAfter);
  const std::vector<TimeDifference>& rows() const { return m_rows; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant shown(const TimeDifference& row, int column) const;

  std::vector<TimeDifference> m_rows;
  TimeGrouping m_grouping = TimeGrouping::Layer;
  Run m_before, m_after;
};

}  // namespace strata::ui

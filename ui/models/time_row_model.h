// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the time of a step by layer, op or kernel: calls, times, rates next to the limits of the
// device, and the launches of a card. Views sort it by kSortRole. Not here: the figures
// (core/runs/time_table.h). Thread: GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "core/runs/time_table.h"

namespace strata::ui {

class TimeRowModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Columns {
    kName,
    kLayer,
    kPhase,
    kCalls,
    kTotal,
    kMean,
    kShortest,
    kLongest,
    kShare,
    kFlops,
    kBytes,
    kGrid,
    kRegisters,
    kShared,
    kOccupancy,
    kNumColumns
  };
  enum Roles { kSortRole = Qt::UserRole, kLayerRole };

  using QAbstractTableModel::QAbstractTableModel;
  /// Shows this profile; null removes all rows. Predicted times are in italics.
  void setProfile(std::shared_ptr<const ProfileSnapshot> profile, TimeGrouping grouping,
                  bool isPredicted);
  const ProfileSnapshot* profile() const { return m_profile.get(); }
  TimeGrouping grouping() const { return m_grouping; }
  const std::vector<TimeRow>& rows() const { return m_rows; }
  /// Returns whether any row has a grid, which only kernels of cards have.
  bool hasLaunches() const;
  bool hasRates() const;
  /// Returns the name of a row for a person, such as "update of dense".
  QString nameOf(const TimeRow& row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  static QString phaseText(Phase phase);
  /// Returns the words for a layer of the graph in a phase: "" has its own.
  static QString layerText(const std::string& layer, Phase phase);

 private:
  QVariant shown(const TimeRow& row, int column) const;
  QVariant shownLaunch(const TimeRow& row, int column) const;
  QVariant sorted(const TimeRow& row, int column) const;
  QString rateText(double perSecond, double limit, const QString& unit) const;
  const KernelRow* kernelOf(const TimeRow& row) const;
  QString tip(const TimeRow& row) const;

  std::shared_ptr<const ProfileSnapshot> m_profile;
  TimeGrouping m_grouping = TimeGrouping::Layer;
  std::vector<TimeRow> m_rows;
  bool m_isPredicted = false;
};

}  // namespace strata::ui

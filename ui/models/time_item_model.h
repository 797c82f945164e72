// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the time of a step by layer or by op, largest first, and then what the host does besides.
// The rows add up to the step, and shares are of it. Views draw bars from this model, and
// screen readers read its text. During a run, the rows keep their order if possible. Thread: GUI
// thread.
#pragma once

#include <QAbstractTableModel>
#include <QColor>
#include <QElapsedTimer>
#include <map>
#include <vector>

#include "core/runs/events.h"
#include "ui/run/design_changes.h"

namespace strata::ui {

class Document;

class TimeItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum class Grouping { Layer, Op };
  enum Columns { kName, kBar, kTime, kShare, kNumColumns };
  enum Roles { kFractionRole = Qt::UserRole, kColorRole, kLayerRole };

  explicit TimeItemModel(const Document& document, QObject* parent = nullptr);
  void setGrouping(Grouping grouping);
  /// Sets the changes of the open design since the measured run. Changed layers are grey.
  void setChanges(DesignChanges changes);
  /// Sets whether the times are predictions, as those of simulated cards, which are in italics.
  void setPredicted(bool isPredicted) { m_isPredicted = isPredicted; }
  /// Shows the times of a run (ShownRun::times). If `profile` is null, removes all rows for a new
  /// run.
  void setProfile(std::shared_ptr<const ProfileSnapshot> profile);
  /// Sorts the rows by their times. Call this at the end of a run.
  void settle() { rebuild(true); }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QString name, layer, detail;
    double microseconds = 0;
    // 0 for nodes. Other work has larger numbers, in the order of its rows at the end
    int place = 0;
  };
  std::map<QString, Row> rowsOf(const ProfileSnapshot& profile) const;
  void rebuild(bool isSorted = false);
  bool mustSort(const std::vector<Row>& rows) const;
  const Document& m_document;
  Grouping m_grouping = Grouping::Layer;
  std::shared_ptr<const ProfileSnapshot> m_profile;
  QElapsedTimer m_sinceSorted;
  // The number of snapshots of the run so far.
  int m_snapshots = 0;
  DesignChanges m_changes;
  std::vector<Row> m_rows;
  double m_largest = 0, m_step = 0;
  bool m_isPredicted = false;
};

}  // namespace strata::ui

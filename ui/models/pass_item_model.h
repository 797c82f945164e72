// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the passes over a training graph, after a row for the initial graph. A click on a check box
// only emits switched(). The view then edits the document. Thread: GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <memory>

#include "core/train/pass_trace.h"

namespace strata::ui {

class PassItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Rewrites, Nodes, NumColumns };

  using QAbstractTableModel::QAbstractTableModel;
  void setTrace(std::shared_ptr<const PassTrace> trace);
  /// Sets the passes that the project disables. The trace may be older than this list.
  void setDisabled(const QStringList& passes);
  /// Returns the name of the pass, or "" for the initial graph.
  QString passAt(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 Q_SIGNALS:
  /// Emitted when the user clicks a check box.
  void switched(const QString& pass, bool isOn);

 private:
  const TraceStage& stage(int row) const { return m_trace->stages[static_cast<size_t>(row)]; }
  QString cell(int row, int column) const;

  std::shared_ptr<const PassTrace> m_trace;
  QStringList m_disabled;
};

/// Returns rich text with the effect of a pass in numbers. Predicted numbers are in italics.
QString stageFigures(const TraceStage& stage);

}  // namespace strata::ui

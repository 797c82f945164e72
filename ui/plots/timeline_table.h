// SPDX-License-Identifier: GPL-3.0-or-later
// The events that a timeline shows, as a table. It is the twin of the picture for screen readers.
// It has the first events of each row, because a view may have millions.
// Thread: GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QTimer>
#include <vector>

#include "core/trace/trace.h"
#include "core/trace/trace_query.h"
#include "ui/plots/timeline_picture.h"

namespace strata::ui {

class TimelineTable : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Name, Lane, Begin, Duration, Layer, Op, NumColumns };
  static constexpr int kMaxRows = 500;

  explicit TimelineTable(QObject* parent);
  /// Shows the events of these lines from `begin` to `end`, a moment later.
  void setView(const TracePointer& trace, std::vector<TimelineRow> rows, double begin, double end);
  /// Returns the event of a row of the table.
  const EventPlace& placeAt(int row) const { return m_places[static_cast<size_t>(row)]; }
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void update();
  TracePointer m_trace, m_nextTrace;
  std::vector<TimelineRow> m_rows;
  double m_begin = 0, m_end = 0;
  std::vector<EventPlace> m_places;
  QTimer m_timer;
};

}  // namespace strata::ui

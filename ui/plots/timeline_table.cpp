// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/timeline_table.h"

#include <algorithm>

#include "core/runs/device_lanes.h"
#include "ui/format.h"
#include "ui/plots/time_axis.h"

namespace strata::ui {

TimelineTable::TimelineTable(QObject* parent) : QAbstractTableModel(parent) {
  constexpr int kDelay = 200;
  m_timer.setSingleShot(true);
  m_timer.setInterval(kDelay);
  connect(&m_timer, &QTimer::timeout, this, &TimelineTable::update);
}

void TimelineTable::setView(const TracePointer& trace, std::vector<TimelineRow> rows, double begin,
                            double end) {
  m_nextTrace = trace;
  m_rows = std::move(rows);
  m_begin = begin;
  m_end = end;
  m_timer.start();
}

void TimelineTable::update() {
  beginResetModel();
  m_trace = m_nextTrace;
  m_places.clear();
  const size_t numRows = std::max<size_t>(1, m_rows.size());
  // Each row has a share, so that the first one does not take all
  const size_t share = std::max<size_t>(1, kMaxRows / numRows);
  for (const TimelineRow& row : m_rows) {
    if (!m_trace || row.kind != TimelineRow::Kind::Events) continue;
    const auto& events = m_trace->lanes[row.owner]->rows[row.row].events;
    size_t at = events.partitionPoint(
        [this](const TraceEvent& event) { return static_cast<double>(event.end()) < m_begin; });
    for (size_t count = 0; at < events.size() && count < share; ++at, ++count) {
      if (static_cast<double>(events[at].begin()) >= m_end || m_places.size() >= kMaxRows) break;
      m_places.push_back({row.owner, row.row, at});
    }
  }
  endResetModel();
}

int TimelineTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_places.size());
}

int TimelineTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : NumColumns;
}

QVariant TimelineTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const EventPlace& place = placeAt(index.row());
  if (role == Qt::FontRole) {
    QFont font;
    const bool isTime = index.column() == Begin || index.column() == Duration;
    const TraceLane& lane = *m_trace->lanes[place.lane];
    font.setItalic(isTime && isPredicted(m_trace->processes[lane.process]));
    return font;
  }
  if (role != Qt::DisplayRole) return {};
  const TraceEvent& event = eventOf(*m_trace, place);
  const TraceRecord& record = m_trace->recordOf(event);
  switch (index.column()) {
    case Name: return text(m_trace->texts[record.name]);
    case Lane: return text(m_trace->lanes[place.lane]->name);
    case Begin: return formatNanoseconds(event.begin());
    case Duration: return formatNanoseconds(event.duration());
    case Layer: return text(m_trace->texts[record.layer]);
    case Op: return text(m_trace->texts[record.op]);
    default: return {};
  }
}

QVariant TimelineTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case Name: return tr("Name");
    case Lane: return tr("Thread or stream");
    case Begin: return tr("Begin");
    case Duration: return tr("Duration");
    case Layer: return tr("Layer");
    case Op: return tr("Op");
    default: return {};
  }
}

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keys of a timeline.
#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/plots/timeline_view.h"

namespace strata::ui {

// What a notch of the wheel and a key change
static constexpr double kNotch = 120, kNotchFactor = 0.8, kKeyFactor = 0.5, kKeyPan = 0.1;

std::optional<EventPlace> TimelineView::eventUnder(const QPoint& place) const {
  return m_picture.eventAt(range(), place - eventsArea().topLeft());
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return QAbstractScrollArea::mousePressEvent(event);
  m_drag = event->modifiers() & Qt::ShiftModifier ? Drag::Range : Drag::Pan;
  m_pressed = m_last = event->position().toPoint();
  m_hasMoved = false;
  event->accept();
}

void TimelineView::setRange(double begin, double end) {
  m_rangeBegin = std::min(begin, end);
  m_rangeEnd = std::max(begin, end);
  viewport()->update();
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
  const QPoint place = event->position().toPoint();
  if (m_drag == Drag::None) return hover(place);
  if ((place - m_pressed).manhattanLength() >= QApplication::startDragDistance()) m_hasMoved = true;
  if (!m_hasMoved) return;
  if (m_drag == Drag::Range) return setRange(timeAt(m_pressed.x()), timeAt(place.x()));
  viewport()->setCursor(Qt::ClosedHandCursor);
  const double by = timeAt(m_last.x()) - timeAt(place.x());
  verticalScrollBar()->setValue(verticalScrollBar()->value() + m_last.y() - place.y());
  m_last = place;
  if (!m_isWhole) setView(m_begin + by, m_end + by);
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
  if (m_drag == Drag::None || event->button() != Qt::LeftButton) return;
  const bool isRange = m_drag == Drag::Range;
  m_drag = Drag::None;
  viewport()->unsetCursor();
  if (m_hasMoved && isRange) {
    Q_EMIT rangeSelected(std::llround(m_rangeBegin), std::llround(m_rangeEnd));
  }
  else if (!m_hasMoved) {
    if (m_rangeBegin < m_rangeEnd) {
      setRange(0, 0);
      Q_EMIT rangeSelected(0, 0);
    }
    select(eventUnder(event->position().toPoint()));
  }
}

void TimelineView::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton) showWhole();
}

void TimelineView::hover(const QPoint& place) {
  const QString layer = layerOf(eventUnder(place));
  if (layer == m_hoveredLayer) return;
  m_hoveredLayer = layer;
  Q_EMIT hovered(layer);
}

void TimelineView::wheelEvent(QWheelEvent* event) {
  const QPoint delta = event->angleDelta();
  const bool isSideways =
      std::abs(delta.x()) > std::abs(delta.y()) || event->modifiers() & Qt::ShiftModifier;
  const double notches = (delta.y() != 0 ? delta.y() : delta.x()) / kNotch;
  if (isSideways)
    pan(-kKeyPan * (delta.x() != 0 ? delta.x() / kNotch : notches));
  else if (event->position().x() < eventsArea().left())
    QApplication::sendEvent(verticalScrollBar(), event);
  else
    zoom(std::pow(kNotchFactor, notches), timeAt(event->position().x()));
  event->accept();
}

/// Selects the next or previous event of the row. Without a selection, selects the event next to
/// the middle of the view. Returns false if there is none.
bool TimelineView::selectNext(int by) {
  if (!trace()) return false;
  if (m_selected) {
    const auto& events = trace()->lanes[m_selected->lane]->rows[m_selected->row].events;
    const bool isEnd = by < 0 ? m_selected->index == 0 : m_selected->index + 1 >= events.size();
    if (isEnd) return false;
    EventPlace next = *m_selected;
    next.index = by < 0 ? next.index - 1 : next.index + 1;
    select(next);
    return true;
  }
  const auto [first, last] = m_picture.rowsInView(range());
  for (size_t i = first; i < last; ++i) {
    const TimelineRow& row = m_picture.rows()[i];
    if (row.kind != TimelineRow::Kind::Events) continue;
    const auto time = static_cast<int64_t>((m_begin + m_end) / 2);
    const size_t index = nearestEvent(trace()->lanes[row.owner]->rows[row.row], time);
    if (index == kNoEvent) continue;
    select(EventPlace{row.owner, row.row, index});
    return true;
  }
  return false;
}

bool TimelineView::focusNextPrevChild(bool isNext) {
  // After the last event, the focus goes on
  return (m_selected && selectNext(isNext ? 1 : -1)) ||
         QAbstractScrollArea::focusNextPrevChild(isNext);
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
  if (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier))
    return QAbstractScrollArea::keyPressEvent(event);
  double middle = (m_begin + m_end) / 2;
  if (m_selected) {
    const TraceEvent& chosen = eventOf(*trace(), *m_selected);
    const double place =
        static_cast<double>(chosen.begin()) + 0.5 * static_cast<double>(chosen.duration());
    if (place >= m_begin && place <= m_end) middle = place;
  }
  QScrollBar* bar = verticalScrollBar();
  switch (event->key()) {
    case Qt::Key_Left: return pan(-kKeyPan);
    case Qt::Key_Right: return pan(kKeyPan);
    case Qt::Key_Up: return bar->triggerAction(QAbstractSlider::SliderSingleStepSub);
    case Qt::Key_Down: return bar->triggerAction(QAbstractSlider::SliderSingleStepAdd);
    case Qt::Key_PageUp: return bar->triggerAction(QAbstractSlider::SliderPageStepSub);
    case Qt::Key_PageDown: return bar->triggerAction(QAbstractSlider::SliderPageStepAdd);
    case Qt::Key_Plus:
    case Qt::Key_Equal: return zoom(kKeyFactor, middle);
    case Qt::Key_Minus: return zoom(1 / kKeyFactor, middle);
    case Qt::Key_Home:
    case Qt::Key_0: return showWhole();
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (!m_selected) (void)selectNext(1);
      return;
    case Qt::Key_Escape:
      if (!m_selected) break;
      return select({});
    default: break;
  }
  QAbstractScrollArea::keyPressEvent(event);
}

bool TimelineView::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto place = eventUnder(help->pos());
    QToolTip::showText(help->globalPos(), place ? describe(*place) : QString(), viewport());
    return true;
  }
  if (event->type() == QEvent::Leave && !m_hoveredLayer.isEmpty()) {
    m_hoveredLayer.clear();
    Q_EMIT hovered({});
  }
  return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace strata::ui

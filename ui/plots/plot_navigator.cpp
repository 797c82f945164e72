// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_navigator.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/plots/qcp.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

// The largest movement of the mouse that still counts as a click, in pixels.
static constexpr int kClickTravel = 4;
static constexpr double kWheelNotch = 120;
static constexpr double kNotchFactor = 0.8, kKeyFactor = 0.5;

/// The overlay is a layer of QCustomPlot with a separate buffer, as long as something is on it.
/// Clearing and painting a buffer takes longer than drawing a curve.
const char* PlotNavigator::overlayName() { return "overlay"; }

PlotNavigator::PlotNavigator(QCustomPlot* plot, QWidget* keys)
    : QObject(keys), m_plot(plot), m_keys(keys) {
  const QString overlay = QString::fromLatin1(overlayName());
  m_line = new QCPItemLine(plot);
  m_selection = new QCPItemRect(plot);
  for (QCPAbstractItem* item :
       {static_cast<QCPAbstractItem*>(m_line), static_cast<QCPAbstractItem*>(m_selection)}) {
    item->setLayer(overlay);
    item->setSelectable(false);
    item->setVisible(false);
  }
  for (QCPItemPosition* end : {m_line->start, m_line->end})
    end->setTypeY(QCPItemPosition::ptAxisRectRatio);
  for (QCPItemPosition* corner : {m_selection->topLeft, m_selection->bottomRight}) {
    corner->setTypeX(QCPItemPosition::ptAbsolute);
    corner->setTypeY(QCPItemPosition::ptAxisRectRatio);
  }
  plot->layer(overlay)->setMode(QCPLayer::lmLogical);
  plot->setMouseTracking(true);
  plot->installEventFilter(this);
  keys->installEventFilter(this);
  applyColors();
}

void PlotNavigator::applyColors() {
  const Colors& colors = colorsOf(m_keys);
  QColor range = colors.accent;
  range.setAlpha(40);
  m_line->setPen(QPen(colors.muted, 1));
  m_selection->setPen(QPen(colors.accent, 1));
  m_selection->setBrush(range);
}

void PlotNavigator::adoptView(const PlotNavigator& other) {
  if (m_isZoomed == other.m_isZoomed &&
      (!m_isZoomed || (m_from == other.m_from && m_to == other.m_to)))
    return;
  m_isZoomed = other.m_isZoomed;
  m_from = other.m_from;
  m_to = other.m_to;
  Q_EMIT viewChanged();
}

void PlotNavigator::adoptCursor(const PlotNavigator& other) {
  m_mouse.reset();
  setCursor(other.m_cursor);
}

void LinkedPlots::add(PlotNavigator* navigator) {
  m_navigators.push_back(navigator);
  const auto passOn = [this, navigator](void (PlotNavigator::*adopt)(const PlotNavigator&)) {
    if (m_isBusy) return;
    m_isBusy = true;
    for (PlotNavigator* other : m_navigators)
      if (other != navigator) (other->*adopt)(*navigator);
    m_isBusy = false;
  };
  connect(navigator, &PlotNavigator::viewChanged, this,
          [passOn] { passOn(&PlotNavigator::adoptView); });
  connect(navigator, &PlotNavigator::cursorChanged, this,
          [passOn] { passOn(&PlotNavigator::adoptCursor); });
}

void PlotNavigator::setWhole(double from, double to, double minSpan, bool isLogarithmic) {
  m_minSpan = minSpan;
  m_isLogarithmic = isLogarithmic;
  m_wholeFrom = from;
  m_wholeTo = to;
  if (m_isZoomed && m_to > m_wholeTo) m_isZoomed = false;
}

void PlotNavigator::showWhole() {
  if (!m_isZoomed) return;
  m_isZoomed = false;
  Q_EMIT viewChanged();
  if (m_cursor && m_mouse) setCursor(xAt(*m_mouse));
}

void PlotNavigator::setView(double from, double to) {
  const double whole = m_wholeTo - m_wholeFrom;
  const double span = std::clamp(to - from, std::min(m_minSpan, whole), whole);
  m_from = std::clamp(from, m_wholeFrom, m_wholeTo - span);
  m_to = m_from + span;
  m_isZoomed = span < whole * (1 - 1e-9);
  Q_EMIT viewChanged();
  // The mouse now points at another step.
  if (m_cursor && m_mouse) setCursor(xAt(*m_mouse));
}

void PlotNavigator::zoom(double factor, double around) {
  if (m_isLogarithmic && from() > 0 && around > 0) {
    setView(around * std::pow(from() / around, factor), around * std::pow(to() / around, factor));
    return;
  }
  setView(around - (around - from()) * factor, around + (to() - around) * factor);
}

void PlotNavigator::pan(double by) {
  if (m_isZoomed) setView(from() + by, to() + by);
}

double PlotNavigator::xAt(double pixel) const {
  return std::clamp(m_plot->xAxis->pixelToCoord(pixel), from(), to());
}

void PlotNavigator::setCursor(std::optional<double> x) {
  m_cursor = x;
  m_line->setVisible(x.has_value());
  if (x) {
    m_line->start->setCoords(*x, 0);
    m_line->end->setCoords(*x, 1);
  }
  Q_EMIT cursorChanged();
  redrawOverlay();
}

void PlotNavigator::redrawOverlay() {
  QCPLayer* layer = m_plot->layer(QString::fromLatin1(overlayName()));
  const bool isUsed = m_line->visible() || m_selection->visible();
  layer->setMode(isUsed ? QCPLayer::lmBuffered : QCPLayer::lmLogical);
  if (m_plot->isVisible() && !m_plot->viewport().isEmpty()) layer->replot();
}

void PlotNavigator::setOverlayVisible(bool isVisible) {
  m_plot->layer(QString::fromLatin1(overlayName()))->setVisible(isVisible);
}

void PlotNavigator::showSelection() {
  const bool isShown =
      m_drag == Drag::Select && std::abs(m_dragEnd.x() - m_dragStart.x()) >= kClickTravel;
  m_selection->setVisible(isShown);
  const QRect area = m_plot->axisRect()->rect();
  m_selection->topLeft->setCoords(std::clamp(m_dragStart.x(), area.left(), area.right()), 0);
  m_selection->bottomRight->setCoords(std::clamp(m_dragEnd.x(), area.left(), area.right()), 1);
  redrawOverlay();
}

bool PlotNavigator::onPress(const QMouseEvent& event) {
  const bool isMove = event.button() == Qt::MiddleButton ||
                      (event.button() == Qt::LeftButton && event.modifiers() & Qt::ShiftModifier);
  if (!isMove && event.button() != Qt::LeftButton) return false;
  m_keys->setFocus(Qt::MouseFocusReason);
  m_drag = isMove ? Drag::Pan : Drag::Select;
  m_dragStart = m_dragEnd = event.position().toPoint();
  if (isMove) m_plot->QWidget::setCursor(Qt::ClosedHandCursor);
  return true;
}

void PlotNavigator::onMove(const QMouseEvent& event) {
  const QPoint at = event.position().toPoint();
  if (m_drag == Drag::Pan) {
    const double by =
        m_plot->xAxis->pixelToCoord(m_dragEnd.x()) - m_plot->xAxis->pixelToCoord(at.x());
    m_dragEnd = at;
    pan(by);
  }
  else if (m_drag == Drag::Select) {
    m_dragEnd = at;
    showSelection();
  }
  const QRect area = m_plot->axisRect()->rect();
  const bool isInside = at.x() >= area.left() && at.x() <= area.right();
  m_mouse = at.x();
  setCursor(isInside && m_drag != Drag::Pan ? std::optional(xAt(at.x())) : std::nullopt);
}

bool PlotNavigator::onRelease() {
  if (m_drag == Drag::None) return false;
  const bool isSelected =
      m_drag == Drag::Select && std::abs(m_dragEnd.x() - m_dragStart.x()) >= kClickTravel;
  m_drag = Drag::None;
  m_plot->QWidget::unsetCursor();
  showSelection();
  if (isSelected) {
    const double start = xAt(m_dragStart.x()), end = xAt(m_dragEnd.x());
    setView(std::min(start, end), std::max(start, end));
  }
  return true;
}

void PlotNavigator::onWheel(const QWheelEvent& event) {
  const QPoint delta = event.angleDelta();
  const bool isSideways =
      std::abs(delta.x()) > std::abs(delta.y()) || event.modifiers() & Qt::ShiftModifier;
  const double notches =
      (delta.y() != 0 && std::abs(delta.y()) >= std::abs(delta.x()) ? delta.y() : delta.x()) /
      kWheelNotch;
  if (isSideways) return pan(-notches * 0.1 * (to() - from()));
  zoom(std::pow(kNotchFactor, notches), xAt(event.position().x()));
}

bool PlotNavigator::onKey(const QKeyEvent& event) {
  if (event.modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) return false;
  const double middle = (from() + to()) / 2, span = to() - from();
  constexpr double kCursorStep = 0.02, kPanStep = 0.2;
  switch (event.key()) {
    case Qt::Key_Left:
    case Qt::Key_Right: {
      m_mouse.reset();
      const int sign = event.key() == Qt::Key_Left ? -1 : 1;
      if (event.modifiers() & Qt::ShiftModifier) {
        pan(sign * kPanStep * span);
        return true;
      }
      setCursor(std::clamp(m_cursor.value_or(middle) + sign * std::max(1.0, kCursorStep * span),
                           from(), to()));
      return true;
    }
    case Qt::Key_Plus:
    case Qt::Key_Equal: zoom(kKeyFactor, m_cursor.value_or(middle)); return true;
    case Qt::Key_Minus: zoom(1 / kKeyFactor, m_cursor.value_or(middle)); return true;
    case Qt::Key_Home:
    case Qt::Key_0: showWhole(); return true;
    case Qt::Key_Escape:
      if (m_drag == Drag::None && !m_cursor) return false;
      m_drag = Drag::None;
      showSelection();
      setCursor(std::nullopt);
      return true;
    default: return false;
  }
}

bool PlotNavigator::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ContextMenu) {
    const auto* menu = static_cast<QContextMenuEvent*>(event);
    const bool isByKey = menu->reason() == QContextMenuEvent::Keyboard;
    Q_EMIT menuRequested(isByKey ? m_keys->mapToGlobal(m_keys->rect().center())
                                 : menu->globalPos());
    return true;
  }
  if (watched == m_keys) {
    if (event->type() == QEvent::KeyPress) return onKey(*static_cast<QKeyEvent*>(event));
    if (event->type() == QEvent::FocusOut) setCursor(std::nullopt);
    return false;
  }
  switch (event->type()) {
    case QEvent::MouseButtonPress: return onPress(*static_cast<QMouseEvent*>(event));
    case QEvent::MouseMove: onMove(*static_cast<QMouseEvent*>(event)); return true;
    case QEvent::MouseButtonRelease: return onRelease();
    case QEvent::MouseButtonDblClick:
      if (static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton) showWhole();
      return true;
    case QEvent::Wheel:
      onWheel(*static_cast<QWheelEvent*>(event));
      event->accept();
      return true;
    case QEvent::Leave:
      if (m_drag == Drag::None) setCursor(std::nullopt);
      return false;
    default: return false;
  }
}

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/sparkline.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>

#include "ui/theme/colors.h"

namespace strata::ui {

Sparkline::Sparkline(QWidget* parent) : QWidget(parent) {
  setMinimumSize(80, 24);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void Sparkline::setSeries(const MetricSeries* series, double lastStep, double top) {
  m_series = series;
  m_lastStep = lastStep;
  m_top = top;
  update();
}

void Sparkline::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Colors& colors = colorsOf(this);
  const QRectF area = QRectF(rect()).adjusted(0, 4, -1, -4);
  painter.setPen(colors.hairline);
  painter.drawLine(area.bottomLeft(), area.bottomRight());
  if (!m_series || m_series->isEmpty() || m_lastStep <= 0 || m_top <= 0) return;
  const auto place = [&](const CurvePoint& point) {
    return QPointF(area.left() + point.step / m_lastStep * area.width(),
                   area.bottom() - std::clamp(point.value / m_top, 0.0, 1.0) * area.height());
  };
  QPolygonF curve;
  for (const CurvePoint& point : m_series->envelope(0, m_lastStep, std::max(1, width())))
    curve << place(point);
  // The last value holds until now
  curve << place({m_lastStep, m_series->lastValue()});
  QPolygonF below = curve;
  below << QPointF(below.back().x(), area.bottom()) << QPointF(below.front().x(), area.bottom());
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(colors.accentSoft);
  painter.drawPolygon(below);
  painter.setPen(colors.accent);
  painter.drawPolyline(curve);
}

}  // namespace strata::ui

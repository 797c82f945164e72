// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_view.h"

#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/format.h"
#include "ui/theme/colors.h"

namespace strata::ui {

CurveView::CurveView(QWidget* parent) : QWidget(parent) {
  setMinimumHeight(96);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void CurveView::setPoints(QList<QPointF> points, bool isLogarithmic, std::optional<double> mark) {
  m_points = std::move(points);
  m_isLogarithmic = isLogarithmic;
  m_mark = mark;
  update();
}

void CurveView::setEnds(const QString& left, const QString& right) {
  m_left = left;
  m_right = right;
  update();
}

/// Returns the place of x as a fraction of the axis.
double CurveView::place(double x) const {
  const auto scaled = [this](double value) {
    return m_isLogarithmic ? std::log(value) : value;
  };
  const double first = scaled(m_points.first().x()), last = scaled(m_points.last().x());
  return last > first ? std::clamp((scaled(x) - first) / (last - first), 0.0, 1.0) : 0.0;
}

void CurveView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Colors& colors = colorsOf(this);
  const int line = fontMetrics().height();
  const QRectF area = QRectF(rect()).adjusted(0, line + 2, -1, -line - 4);
  painter.setPen(colors.hairline);
  painter.drawLine(area.bottomLeft(), area.bottomRight());
  painter.setPen(colors.muted);
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignBottom, m_left);
  painter.drawText(rect(), Qt::AlignRight | Qt::AlignBottom, m_right);
  if (m_points.size() < 2) return;
  const auto [least, most] =
      std::ranges::minmax_element(m_points, {}, [](const QPointF& point) { return point.y(); });
  const double low = least->y(), high = most->y();
  painter.drawText(rect(), Qt::AlignLeft | Qt::AlignTop, formatValue(high, 3));
  painter.drawText(rect(), Qt::AlignRight | Qt::AlignTop, tr("lowest %1").arg(formatValue(low, 3)));
  painter.setRenderHint(QPainter::Antialiasing);
  QPolygonF curve;
  for (const QPointF& point : m_points) {
    const double height = high > low ? (point.y() - low) / (high - low) : 0.5;
    curve << QPointF(area.left() + place(point.x()) * area.width(),
                     area.bottom() - height * area.height());
  }
  painter.setPen(colors.accent);
  painter.drawPolyline(curve);
  if (!m_mark) return;
  const double x = area.left() + place(*m_mark) * area.width();
  painter.setPen(QPen(colors.good, 1, Qt::DashLine));
  painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()));
}

}  // namespace strata::ui

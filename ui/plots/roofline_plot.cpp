// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/roofline_plot.h"

#include <QEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/format.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/qcp.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

/// Labels FLOP per second, such as 100 GFLOP/s.
class RateTicker : public QCPAxisTickerLog {
 protected:
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    return tick >= 1e12 ? QStringLiteral("%1 TFLOP/s").arg(formatValue(tick * 1e-12, 3))
                        : QStringLiteral("%1 GFLOP/s").arg(formatValue(tick * 1e-9, 3));
  }
};

class IntensityTicker : public QCPAxisTickerLog {
 protected:
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    return formatValue(tick, 3);
  }
};

}  // namespace

double RooflinePlot::roofAt(double intensity, double flopsPerSecond, double bytesPerSecond) {
  return std::min(flopsPerSecond, intensity * bytesPerSecond);
}

RooflinePlot::RooflinePlot(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  m_plot = new QCustomPlot(this);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->setAccessibleName(tr("Roofline"));
  m_plot->setMinimumHeight(240);
  layout->addWidget(m_plot, 1);
  m_note = new QLabel(this);
  m_note->setWordWrap(true);
  setRole(m_note, "muted");
  layout->addWidget(m_note);
  m_plot->xAxis->setScaleType(QCPAxis::stLogarithmic);
  m_plot->yAxis->setScaleType(QCPAxis::stLogarithmic);
  m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new IntensityTicker));
  m_plot->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new RateTicker));
  m_plot->xAxis->setLabel(tr("FLOP per byte"));
  m_plot->yAxis->setLabel(tr("Arithmetic per second"));
  m_plot->axisRect()->setMinimumMargins(QMargins(84, 10, 18, 34));
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setSubTicks(false);
    axis->setTickLength(0, 0);
    axis->setTickPen(Qt::NoPen);
  }
  m_dots = m_plot->addGraph();
  m_dots->setLineStyle(QCPGraph::lsNone);
  m_dots->setSelectable(QCP::stNone);
  m_plot->setMouseTracking(true);
  m_plot->installEventFilter(this);
  applyColors();
  new PlotMenu(
      m_plot,
      [] {
        return PlotCaption{tr("Roofline"), {}};
      },
      [this] {
        PlotTable table{
            {u"name"_s, u"layer"_s, u"flop_per_byte"_s, u"flop_per_second"_s, u"share"_s}, {}};
        for (const Point& point : m_points)
          table.rows.push_back({point.name, point.layer, cellOf(point.intensity),
                                cellOf(point.rate), cellOf(point.share)});
        return table;
      });
}

void RooflinePlot::setPoints(std::vector<Point> points, const SpeedLimits& limits,
                             const std::string& precision, bool isPredicted) {
  m_points = std::move(points);
  std::erase_if(m_points,
                [](const Point& point) { return point.intensity <= 0 || point.rate <= 0; });
  m_limits = limits;
  m_precision = precision;
  m_isPredicted = isPredicted;
  for (QCPGraph* roof : m_roofs)
    m_plot->removeGraph(roof);
  for (QCPItemText* name : m_names)
    m_plot->removeItem(name);
  m_roofs.clear();
  m_names.clear();
  if (m_limits.areKnown())
    for (size_t i = 0; i < m_limits.flopsPerSecond.size(); ++i) {
      m_roofs.push_back(m_plot->addGraph());
      m_roofs.back()->setSelectable(QCP::stNone);
      m_names.push_back(new QCPItemText(m_plot));
      m_names.back()->setSelectable(false);
    }
  m_note->setText(
      m_limits.areKnown()
          ? tr("Limits: %1, and %2/s of memory (%3).")
                .arg(tr("%1 GFLOP/s").arg(formatRate(m_limits.flopsOf(m_precision) * 1e-9)),
                     formatBytes(m_limits.bytesPerSecond), text(m_limits.source))
          : tr("The limits of the device are unknown, because %1.").arg(text(m_limits.source)));
  applyColors();
  redraw();
}

void RooflinePlot::redraw() {
  double left = 0.1, right = 100, bottom = 1e18, top = 1e9;
  QVector<double> places, rates;
  for (const Point& point : m_points) {
    places << point.intensity;
    rates << point.rate;
    left = std::min(left, point.intensity / 2);
    right = std::max(right, point.intensity * 2);
    bottom = std::min(bottom, point.rate / 2);
    top = std::max(top, point.rate * 2);
  }
  m_dots->setData(places, rates, false);
  for (size_t i = 0; i < m_roofs.size(); ++i) {
    const auto& [name, rate] = m_limits.flopsPerSecond[i];
    const double edge = rate / m_limits.bytesPerSecond;
    right = std::max(right, edge * 4);
    top = std::max(top, rate * 2);
  }
  if (bottom > top) bottom = top / 1e4;
  for (size_t i = 0; i < m_roofs.size(); ++i) {
    const auto& [name, rate] = m_limits.flopsPerSecond[i];
    const double edge = rate / m_limits.bytesPerSecond;
    m_roofs[i]->setData({left, edge, right}, {left * m_limits.bytesPerSecond, rate, rate}, true);
    // A line directly above would cross the name, so it is below its line then
    constexpr double kNear = 3;
    QStringList names;
    bool isNear = false;
    for (const auto& [otherName, other] : m_limits.flopsPerSecond) {
      if (other == rate) names << text(otherName);
      isNear = isNear || (other > rate && other < kNear * rate);
    }
    m_names[i]->setText(names.first() == text(name) ? names.join(u", "_s) : QString());
    m_names[i]->setPositionAlignment(Qt::AlignRight | (isNear ? Qt::AlignTop : Qt::AlignBottom));
    m_names[i]->position->setCoords(right, rate);
  }
  m_plot->xAxis->setRange(left, right);
  m_plot->yAxis->setRange(bottom, top);
  if (m_plot->isVisible() && !m_plot->viewport().isEmpty())
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

QPointF RooflinePlot::placeOf(size_t point) const {
  return {m_plot->xAxis->coordToPixel(m_points[point].intensity),
          m_plot->yAxis->coordToPixel(m_points[point].rate)};
}

std::optional<size_t> RooflinePlot::pointAt(const QPointF& place) const {
  constexpr double kNearby = 8;
  std::optional<size_t> nearest;
  double least = kNearby;
  for (size_t i = 0; i < m_points.size(); ++i) {
    const QPointF offset = placeOf(i) - place;
    const double distance = std::hypot(offset.x(), offset.y());
    // The longest of points at one place
    if (distance > least) continue;
    if (nearest && distance == least && m_points[i].share <= m_points[*nearest].share) continue;
    least = distance;
    nearest = i;
  }
  return nearest;
}

QString RooflinePlot::describe(const Point& point) const {
  QStringList lines{point.name.isEmpty() ? point.layer : point.name};
  if (!point.layer.isEmpty() && point.layer != lines.first()) lines << point.layer;
  lines << tr("%1 GFLOP/s, %2 FLOP per byte, %3 of the time")
               .arg(formatRate(point.rate * 1e-9), formatValue(point.intensity, 3),
                    formatPercent(point.share));
  if (m_limits.areKnown()) {
    const double peak = m_limits.flopsOf(m_precision);
    const double roof = roofAt(point.intensity, peak, m_limits.bytesPerSecond);
    lines << (roof < peak
                  ? tr("%1 of what memory allows").arg(formatPercent(point.rate / roof, 0))
                  : tr("%1 of what arithmetic allows").arg(formatPercent(point.rate / roof, 0)));
  }
  if (m_isPredicted) lines << tr("predicted");
  return lines.join(u'\n');
}

bool RooflinePlot::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::MouseMove) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const auto point = pointAt(mouse->position());
    if (point)
      QToolTip::showText(mouse->globalPosition().toPoint(), describe(m_points[*point]), m_plot);
    else
      QToolTip::hideText();
    m_plot->setCursor(point ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (point) setAccessibleDescription(describe(m_points[*point]));
  }
  if (event->type() == QEvent::MouseButtonRelease) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    if (mouse->button() == Qt::LeftButton)
      if (const auto point = pointAt(mouse->position()))
        Q_EMIT pointClicked(m_points[*point].layer);
  }
  return QWidget::eventFilter(watched, event);
}

void RooflinePlot::applyColors() {
  const Colors& colors = colorsOf(this);
  m_plot->setBackground(QBrush(colors.card));
  m_dots->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCircle, QPen(colors.card, 1), colors.accent, 8));
  QFont small = font();
  small.setPointSizeF(std::max(7.0, font().pointSizeF() - 1.5));
  for (size_t i = 0; i < m_roofs.size(); ++i) {
    const bool isOwn = m_limits.flopsPerSecond[i].first == m_precision;
    m_roofs[i]->setPen(
        QPen(isOwn ? colors.text : colors.muted, 1, isOwn ? Qt::SolidLine : Qt::DashLine));
    m_names[i]->setColor(isOwn ? colors.text : colors.muted);
    m_names[i]->setFont(small);
  }
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setBasePen(QPen(colors.border, 1));
    axis->setTickLabelColor(colors.muted);
    axis->setTickLabelFont(small);
    axis->setLabelColor(colors.muted);
    axis->setLabelFont(small);
    axis->grid()->setPen(QPen(colors.hairline, 1));
    axis->grid()->setZeroLinePen(Qt::NoPen);
  }
}

void RooflinePlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || !m_dots) return;
  applyColors();
  redraw();
}

void RooflinePlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  redraw();
}

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/distribution_plot.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/format.h"
#include "ui/plots/axis_tickers.h"
#include "ui/plots/plain_axes.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

DistributionPlot::DistributionPlot(const QString& title, QWidget* parent)
    : QWidget(parent), m_title(title) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 8, 8, 8);
  layout->setSpacing(4);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(title);
  auto* heading = new QLabel(title, this);
  setRole(heading, "section");
  layout->addWidget(heading);
  m_empty = new QLabel(this);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  setRole(m_empty, "muted");
  layout->addWidget(m_empty, 1);
  m_plot = new QCustomPlot(this);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->setAccessibleName(title);
  m_plot->setMinimumHeight(140);
  layout->addWidget(m_plot, 1);
  m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new CountTicker(m_plot->xAxis)));
  m_plot->xAxis->setLabel(tr("Step"));
  m_plot->axisRect()->setMinimumMargins(QMargins(56, 6, 18, 30));
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setSubTicks(false);
    axis->setTickLength(0, 0);
    axis->setTickPen(Qt::NoPen);
  }
  m_plot->xAxis->grid()->setVisible(false);
  m_navigator = new PlotNavigator(m_plot, this);
  m_map = new QCPColorMap(m_plot->xAxis, m_plot->yAxis);
  m_map->setInterpolate(false);
  m_map->setSelectable(QCP::stNone);
  const auto line = [this] {
    auto* graph = m_plot->addGraph();
    graph->setSelectable(QCP::stNone);
    return graph;
  };
  m_mean = line();
  m_above = line();
  m_below = line();
  applyColors();
  connect(m_navigator, &PlotNavigator::viewChanged, this, &DistributionPlot::redraw);
  connect(m_navigator, &PlotNavigator::cursorChanged, this, &DistributionPlot::updateReading);
  new PlotMenu(
      m_plot,
      [this] {
        return PlotCaption{m_title, {}};
      },
      [this] {
        PlotTable table{{u"step"_s, u"count"_s, u"mean"_s, u"deviation"_s, u"minimum"_s,
                         u"maximum"_s, u"zeros"_s, u"low"_s, u"high"_s},
                        {}};
        for (size_t bin = 0; bin < TensorStatistics::kBins; ++bin)
          table.columns << u"bin_%1"_s.arg(bin);
        for (const Point& point : m_points) {
          const TensorStatistics& each = point.statistics;
          QStringList row{cellOf(point.step),
                          QString::number(each.count),
                          cellOf(each.mean),
                          cellOf(each.deviation),
                          cellOf(each.minimum),
                          cellOf(each.maximum),
                          QString::number(each.zeros),
                          cellOf(each.low),
                          cellOf(each.high)};
          for (const uint32_t bin : each.bins)
            row << QString::number(bin);
          table.rows.push_back(row);
        }
        return table;
      });
}

void DistributionPlot::refresh(std::vector<Point> points, double endStep, const QString& whyEmpty) {
  m_points = std::move(points);
  std::erase_if(m_points, [](const Point& point) {
    return !point.statistics.isKnown() || std::isnan(point.statistics.mean);
  });
  m_empty->setText(whyEmpty);
  m_empty->setVisible(m_points.empty());
  m_plot->setVisible(!m_points.empty());
  m_navigator->setWhole(0, std::max(1.0, endStep));
  redraw();
}

/// Returns the sample whose step is nearest. Requires: there is one.
const DistributionPlot::Point& DistributionPlot::nearest(double step) const {
  const auto after = std::ranges::upper_bound(m_points, step, {}, &Point::step);
  if (after == m_points.begin()) return m_points.front();
  const auto before = std::prev(after);
  return after != m_points.end() && after->step - step < step - before->step ? *after : *before;
}

/// Colours each place by the part of the values that is there.
void DistributionPlot::fillMap(double from, double to, double low, double high) {
  constexpr int kRows = 96;
  const int columns = std::clamp(m_plot->axisRect()->width() / 2, 16, 512);
  m_map->data()->setSize(columns, kRows);
  m_map->data()->setRange(QCPRange(from, to), QCPRange(low, high));
  m_map->data()->fill(0);
  double most = 0;
  for (int column = 0; column < columns; ++column) {
    const double step = from + (column + 0.5) * (to - from) / columns;
    // Nothing is known before the first sample and after the last one
    const double half = 0.5 * (to - from) / columns;
    if (m_points.empty() || step < m_points.front().step - half ||
        step > m_points.back().step + half)
      continue;
    const TensorStatistics& each = nearest(step).statistics;
    const double width = (each.high - each.low) / static_cast<double>(TensorStatistics::kBins);
    for (int row = 0; row < kRows; ++row) {
      const double begin = low + row * (high - low) / kRows, end = begin + (high - low) / kRows;
      double inside = 0;
      for (size_t bin = 0; bin < TensorStatistics::kBins; ++bin) {
        const double left = each.low + static_cast<double>(bin) * width;
        const double overlap = width > 0
                                   ? (std::min(end, left + width) - std::max(begin, left)) / width
                                   : static_cast<double>(bin == 0 && left >= begin && left < end);
        if (overlap > 0) inside += std::min(1.0, overlap) * each.bins[bin];
      }
      const double density = inside / static_cast<double>(each.count);
      m_map->data()->setCell(column, row, std::sqrt(density));
      most = std::max(most, std::sqrt(density));
    }
  }
  m_map->setDataRange(QCPRange(0, most > 0 ? most : 1));
}

void DistributionPlot::redraw() {
  const double from = m_navigator->from(), to = m_navigator->to();
  QVector<double> steps, mean, above, below;
  double low = 1e300, high = -1e300;
  for (const Point& point : m_points) {
    const TensorStatistics& each = point.statistics;
    steps << point.step;
    mean << each.mean;
    above << each.mean + each.deviation;
    below << each.mean - each.deviation;
    low = std::min<double>(low, each.low);
    high = std::max<double>(high, each.high);
  }
  if (low > high) low = high = 0;
  if (low == high) {
    low -= 1e-3;
    high += 1e-3;
  }
  m_mean->setData(steps, mean, true);
  m_above->setData(steps, above, true);
  m_below->setData(steps, below, true);
  m_plot->xAxis->setRange(from, to);
  m_plot->yAxis->setRange(low, high);
  if (!m_plot->isVisible() || m_plot->viewport().isEmpty()) return;
  fillMap(from, to, low, high);
  m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

/// Describes the sample at the line that follows the mouse, as a tooltip.
void DistributionPlot::updateReading() {
  const std::optional<double> at = m_navigator->cursor();
  if (!at || m_points.empty()) {
    m_plot->setToolTip({});
    return;
  }
  const Point& point = nearest(*at);
  const TensorStatistics& each = point.statistics;
  QStringList lines{
      tr("Step %1").arg(formatCount(static_cast<int64_t>(point.step))),
      tr("mean %1, deviation %2").arg(formatValue(each.mean, 3), formatValue(each.deviation, 3)),
      tr("from %1 to %2").arg(formatValue(each.minimum, 3), formatValue(each.maximum, 3)),
      tr("zeros %1").arg(formatPercent(each.zeroShare()))};
  if (each.nonFinite > 0) lines << tr("%1 not finite").arg(formatCount(each.nonFinite));
  m_plot->setToolTip(lines.join(u'\n'));
  setAccessibleDescription(lines.join(u", "_s));
}

void DistributionPlot::applyColors() {
  const Colors& colors = colorsOf(this);
  QCPColorGradient gradient;
  gradient.clearColorStops();
  gradient.setColorStopAt(0, colors.card);
  gradient.setColorStopAt(1, colors.accent);
  m_map->setGradient(gradient);
  m_mean->setPen(QPen(colors.text, 1));
  for (QCPGraph* graph : {m_above, m_below})
    graph->setPen(QPen(colors.muted, 1, Qt::DashLine));
  colorRunAxes(*m_plot);
  m_navigator->applyColors();
}

void DistributionPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || !m_navigator) return;
  applyColors();
  redraw();
}

void DistributionPlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  redraw();
}

}  // namespace strata::ui

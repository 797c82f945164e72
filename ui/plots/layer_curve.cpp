// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/layer_curve.h"

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

LayerCurve::LayerCurve(const QString& title, QWidget* parent) : QWidget(parent), m_title(title) {
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
  m_plot->setMinimumHeight(120);
  layout->addWidget(m_plot, 1);
  m_note = new QLabel(this);
  setRole(m_note, "muted");
  layout->addWidget(m_note);
  m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new CountTicker(m_plot->xAxis)));
  m_plot->xAxis->setLabel(tr("Step"));
  m_plot->axisRect()->setMinimumMargins(QMargins(56, 6, 18, 30));
  tidyRunAxes(*m_plot);
  m_navigator = new PlotNavigator(m_plot, this);
  m_line = m_plot->addGraph();
  m_line->setSelectable(QCP::stNone);
  m_mark = new QCPItemStraightLine(m_plot);
  m_mark->setSelectable(false);
  applyColors();
  connect(m_navigator, &PlotNavigator::viewChanged, this, &LayerCurve::redraw);
  connect(m_navigator, &PlotNavigator::cursorChanged, this, &LayerCurve::updateReading);
  new PlotMenu(
      m_plot,
      [this] {
        return PlotCaption{m_title, {}};
      },
      [this] {
        PlotTable table{{u"step"_s, u"value"_s}, {}};
        for (const auto& [step, value] : m_points)
          table.rows.push_back({cellOf(step), cellOf(value)});
        return table;
      });
}

void LayerCurve::refresh(std::vector<std::pair<double, double>> points, double endStep,
                         std::optional<std::pair<double, QString>> limit, const QString& whyEmpty) {
  m_points = std::move(points);
  std::erase_if(m_points, [](const auto& point) { return !std::isfinite(point.second); });
  m_limit = std::move(limit);
  m_empty->setText(whyEmpty);
  m_empty->setVisible(m_points.empty());
  m_plot->setVisible(!m_points.empty());
  m_note->setVisible(m_limit && !m_points.empty());
  if (m_limit) m_note->setText(m_limit->second);
  m_navigator->setWhole(0, std::max(1.0, endStep));
  redraw();
}

void LayerCurve::redraw() {
  QVector<double> steps, values;
  double low = 1e300, high = -1e300;
  for (const auto& [step, value] : m_points) {
    steps << step;
    values << value;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  m_line->setData(steps, values, true);
  m_mark->setVisible(m_limit.has_value());
  if (m_limit) {
    low = std::min(low, m_limit->first);
    high = std::max(high, m_limit->first);
    m_mark->point1->setCoords(0, m_limit->first);
    m_mark->point2->setCoords(1, m_limit->first);
  }
  if (low > high) low = high = 0;
  const double room = std::max(1e-6, 0.08 * (high - low));
  m_plot->xAxis->setRange(m_navigator->from(), m_navigator->to());
  m_plot->yAxis->setRange(low - room, high + room);
  if (m_plot->isVisible() && !m_plot->viewport().isEmpty())
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

/// Describes the point at the line that follows the mouse, as a tooltip.
void LayerCurve::updateReading() {
  const std::optional<double> at = m_navigator->cursor();
  QString words;
  if (at && !m_points.empty()) {
    const auto nearest = std::ranges::min_element(
        m_points, {}, [&](const auto& point) { return std::abs(point.first - *at); });
    words = tr("Step %1: %2")
                .arg(formatCount(static_cast<int64_t>(nearest->first)),
                     formatValue(nearest->second, 4));
  }
  m_plot->setToolTip(words);
  setAccessibleDescription(words);
}

void LayerCurve::applyColors() {
  const Colors& colors = colorsOf(this);
  m_line->setPen(QPen(colors.accent, 1));
  m_mark->setPen(QPen(colors.warning, 1, Qt::DashLine));
  colorRunAxes(*m_plot);
  m_navigator->applyColors();
}

void LayerCurve::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || !m_navigator) return;
  applyColors();
  redraw();
}

void LayerCurve::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  redraw();
}

}  // namespace strata::ui

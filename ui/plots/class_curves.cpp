// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/class_curves.h"

#include <QEvent>
#include <QLabel>
#include <QLocale>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/format.h"
#include "ui/plots/axis_tickers.h"
#include "ui/plots/legend.h"
#include "ui/plots/plain_axes.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"
#include "ui/plots/run_axis.h"
#include "ui/plots/series_colors.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

ClassCurves::ClassCurves(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  setFocusPolicy(Qt::StrongFocus);
  const QString title = tr("Accuracy of the chosen classes");
  setAccessibleName(title);
  m_legend = new QLabel(this);
  setRole(m_legend, "muted");
  m_legend->setTextFormat(Qt::RichText);
  m_legend->setWordWrap(true);
  layout->addWidget(m_legend);
  m_plot = new QCustomPlot(this);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->setAccessibleName(title);
  m_plot->setMinimumHeight(120);
  layout->addWidget(m_plot, 1);
  m_plot->xAxis->setLabel(RunAxis().title());
  m_plot->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new PercentTicker));
  m_plot->yAxis->ticker()->setTickCount(4);
  m_plot->axisRect()->setMinimumMargins(QMargins(44, 6, 18, 30));
  tidyRunAxes(*m_plot);
  m_navigator = new PlotNavigator(m_plot, this);
  connect(m_navigator, &PlotNavigator::viewChanged, this, &ClassCurves::redraw);
  connect(m_navigator, &PlotNavigator::cursorChanged, this, &ClassCurves::updateReading);
  new PlotMenu(
      m_plot,
      [this, title] {
        PlotCaption caption{title, {}};
        for (size_t i = 0; i < m_curves.size(); ++i)
          caption.legend.push_back({m_curves[i].name, seriesColor(i, colorsOf(this))});
        return caption;
      },
      [this] {
        PlotTable table{{u"class"_s, u"step"_s, u"accuracy"_s}, {}};
        for (const Curve& curve : m_curves)
          for (const auto& [step, value] : curve.points)
            table.rows.push_back({curve.name, cellOf(step), cellOf(value)});
        return table;
      });
  applyColors();
}

void ClassCurves::refresh(std::vector<Curve> curves, double endStep, double stepsPerEpoch) {
  m_curves = std::move(curves);
  for (Curve& curve : m_curves)
    std::erase_if(curve.points, [](const auto& point) { return !std::isfinite(point.second); });
  RunAxis axis;
  axis.stepsPerEpoch = m_stepsPerEpoch = std::max(1.0, stepsPerEpoch);
  m_plot->xAxis->setTicker(axis.makeTicker());
  // Room for the marker of the last validation
  constexpr double kRoom = 1.015;
  m_navigator->setWhole(0, std::max(1.0, endStep) * kRoom);
  while (m_lines.size() < m_curves.size()) {
    m_lines.push_back(m_plot->addGraph());
    m_lines.back()->setSelectable(QCP::stNone);
  }
  QStringList entries;
  for (size_t i = 0; i < m_curves.size(); ++i)
    entries << legendEntry(m_curves[i].name, seriesColor(i, colorsOf(this)), false, u'●');
  m_legend->setText(legendOf(entries));
  applyColors();
  redraw();
}

void ClassCurves::redraw() {
  double low = 1;
  for (size_t i = 0; i < m_lines.size(); ++i) {
    QVector<double> steps, values;
    if (i < m_curves.size())
      for (const auto& [step, value] : m_curves[i].points) {
        steps << step;
        values << value;
        if (step >= m_navigator->from() && step <= m_navigator->to()) low = std::min(low, value);
      }
    m_lines[i]->setData(steps, values, true);
  }
  m_plot->xAxis->setRange(m_navigator->from(), m_navigator->to());
  const double from = std::max(0.0, std::floor((low - 0.02) * 20) / 20);
  m_plot->yAxis->setRange(from, 1 + 0.01 * (1 - from));
  if (m_plot->isVisible() && !m_plot->viewport().isEmpty())
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

/// Describes the validation at the line that follows the mouse, as a tooltip.
void ClassCurves::updateReading() {
  const std::optional<double> at = m_navigator->cursor();
  QStringList lines;
  for (const Curve& curve : m_curves) {
    if (!at || curve.points.empty()) break;
    const auto nearest = std::ranges::min_element(
        curve.points, {}, [&](const auto& point) { return std::abs(point.first - *at); });
    if (lines.isEmpty())
      lines << tr("Step %1, epoch %2")
                   .arg(formatCount(static_cast<int64_t>(nearest->first)),
                        QLocale().toString(nearest->first / m_stepsPerEpoch, 'g', 4));
    lines << tr("%1: %2").arg(curve.name, formatPercent(nearest->second));
  }
  m_plot->setToolTip(lines.join(u'\n'));
  setAccessibleDescription(lines.join(u", "_s));
}

void ClassCurves::applyColors() {
  const Colors& colors = colorsOf(this);
  for (size_t i = 0; i < m_lines.size(); ++i) {
    const QColor color = seriesColor(i, colors);
    m_lines[i]->setPen(QPen(color, 1));
    m_lines[i]->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(color, 1), QBrush(color), 5));
  }
  colorRunAxes(*m_plot);
  m_navigator->applyColors();
}

void ClassCurves::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || !m_navigator) return;
  applyColors();
  redraw();
}

void ClassCurves::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  redraw();
}

}  // namespace strata::ui

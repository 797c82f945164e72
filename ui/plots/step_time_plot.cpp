// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/step_time_plot.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/format.h"
#include "ui/plots/axis_tickers.h"
#include "ui/plots/legend.h"
#include "ui/plots/plain_axes.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"
#include "ui/plots/series_colors.h"
#include "ui/run/metric_history.h"
#include "ui/run/run_text.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

StepTimePlot::StepTimePlot(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(4);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Step time over the run"));
  m_plot = new QCustomPlot(this);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->setAccessibleName(tr("Step time over the run"));
  m_plot->setMinimumHeight(150);
  layout->addWidget(m_plot, 1);
  m_legend = new QLabel(this);
  m_legend->setWordWrap(true);
  m_legend->setTextFormat(Qt::RichText);
  setRole(m_legend, "muted");
  layout->addWidget(m_legend);
  m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new DurationTicker));
  m_plot->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new SecondsTicker));
  m_plot->xAxis->setLabel(tr("Training time"));
  m_plot->yAxis->setLabel(tr("Time of a step"));
  m_plot->axisRect()->setMinimumMargins(QMargins(64, 6, 18, 30));
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setSubTicks(false);
    axis->setTickLength(0, 0);
    axis->setTickPen(Qt::NoPen);
  }
  m_plot->xAxis->grid()->setVisible(false);
  m_navigator = new PlotNavigator(m_plot, this);
  m_floor = m_plot->addGraph();
  m_floor->setSelectable(QCP::stNone);
  QCPGraph* below = m_floor;
  for (size_t i = 0; i < kNumStepParts; ++i) {
    QCPGraph* band = m_plot->addGraph();
    band->setChannelFillGraph(below);
    band->setSelectable(QCP::stNone);
    m_bands.push_back(band);
    below = band;
  }
  applyColors();
  connect(m_navigator, &PlotNavigator::viewChanged, this, &StepTimePlot::redraw);
  connect(m_navigator, &PlotNavigator::cursorChanged, this, &StepTimePlot::updateReading);
  new PlotMenu(
      m_plot,
      [this] {
        PlotCaption caption{tr("Step time over the run"), {}};
        for (size_t i = 0; i < kNumStepParts; ++i)
          if (m_present.parts[i] > 0)
            caption.legend.push_back({RunText::partTitle(static_cast<StepPart>(i)), m_colors[i]});
        return caption;
      },
      [this] {
        PlotTable table{{u"step"_s, u"seconds"_s, u"step_us"_s}, {}};
        for (size_t i = 0; i < kNumStepParts; ++i)
          table.columns << text(std::string(stepPartName(static_cast<StepPart>(i)))) + u"_us"_s;
        for (const Point& point : m_points) {
          QStringList row{QString::number(point.breakdown.lastStep), cellOf(point.seconds),
                          cellOf(point.breakdown.step)};
          for (const double part : point.breakdown.parts)
            row << cellOf(part);
          table.rows.push_back(row);
        }
        return table;
      });
}

void StepTimePlot::refresh(const std::vector<StepBreakdown>& overTime, const StepClock& clock,
                           double endSeconds, const StepBreakdown& present, bool isPredicted) {
  m_points.clear();
  for (const StepBreakdown& breakdown : overTime)
    m_points.push_back({clock.secondsAt(static_cast<double>(breakdown.lastStep)), breakdown});
  // Older runs know their mean alone
  if (m_points.empty() && present.step > 0) m_points.push_back({endSeconds, present});
  m_present = present;
  m_isPredicted = isPredicted;
  const double last = m_points.empty() ? 0.0 : m_points.back().seconds;
  const double end = std::max({0.1, endSeconds, last});
  m_navigator->setWhole(0, end, 1e-3 * end);
  updateLegend();
  redraw();
}

void StepTimePlot::clear() { refresh({}, StepClock(), 1, {}, false); }

void StepTimePlot::redraw() {
  QVector<double> places, sums;
  for (const Point& point : m_points)
    places << point.seconds;
  sums.fill(0, places.size());
  // A single breakdown fills the axis
  const bool isAlone = places.size() == 1;
  if (isAlone) {
    places = {m_navigator->from(), m_navigator->to()};
    sums = {0, 0};
  }
  m_floor->setData(places, sums, true);
  std::vector<double> heights;
  for (size_t part = 0; part < kNumStepParts; ++part) {
    for (qsizetype i = 0; i < sums.size(); ++i)
      sums[i] += 1e-6 * m_points[isAlone ? 0 : static_cast<size_t>(i)].breakdown.parts[part];
    m_bands[part]->setData(places, sums, true);
  }
  for (const Point& point : m_points)
    heights.push_back(1e-6 * point.breakdown.step);
  double top = 1e-6;
  if (!heights.empty()) {
    // A single slow moment would make everything else a line
    std::ranges::sort(heights);
    const double usual = heights[(heights.size() - 1) * 95 / 100];
    top = std::min(heights.back(), 2 * usual);
  }
  m_plot->xAxis->setRange(m_navigator->from(), m_navigator->to());
  m_plot->yAxis->setRange(0, 1.08 * top);
  if (m_plot->isVisible() && !m_plot->viewport().isEmpty())
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

void StepTimePlot::updateLegend() {
  QStringList entries, words;
  for (size_t i = 0; i < kNumStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    if (m_present.of(part) <= 0) continue;
    const QString entry =
        tr("%1 %2, %3")
            .arg(RunText::partTitle(part), formatSeconds(1e-6 * m_present.of(part)),
                 formatShare(m_present.shareOf(part)));
    words << entry;
    entries << legendEntry(entry, m_colors[i], m_isPredicted);
  }
  const QString legend = legendOf(entries);
  if (legend == m_legend->text()) return;
  m_legend->setText(legend);
  m_plot->setAccessibleDescription(words.join(u"; "_s));
}

/// Describes the step at the line that follows the mouse, as a tooltip.
void StepTimePlot::updateReading() {
  const std::optional<double> at = m_navigator->cursor();
  if (!at || m_points.empty()) {
    m_plot->setToolTip({});
    return;
  }
  const auto after = std::ranges::lower_bound(m_points, *at, {}, &Point::seconds);
  const Point& point = after == m_points.end() ? m_points.back() : *after;
  QStringList lines{
      tr("Step %1: %2")
          .arg(formatCount(point.breakdown.lastStep), formatSeconds(1e-6 * point.breakdown.step))};
  for (size_t i = 0; i < kNumStepParts; ++i) {
    const auto part = static_cast<StepPart>(i);
    if (point.breakdown.of(part) > 0)
      lines << tr("%1 %2, %3")
                   .arg(RunText::partTitle(part), formatSeconds(1e-6 * point.breakdown.of(part)),
                        formatPercent(point.breakdown.shareOf(part)));
  }
  m_plot->setToolTip(lines.join(u'\n'));
  setAccessibleDescription(lines.join(u", "_s));
}

void StepTimePlot::applyColors() {
  const Colors& colors = colorsOf(this);
  m_colors.assign(kNumStepParts, colors.faint);
  const auto set = [&](StepPart part, const QColor& color) {
    m_colors[static_cast<size_t>(part)] = color;
  };
  set(StepPart::Waiting, colors.warning);
  set(StepPart::Copies, seriesColor(5, colors));
  set(StepPart::Forward, colors.accent);
  set(StepPart::Backward, seriesColor(1, colors));
  set(StepPart::Update, seriesColor(2, colors));
  set(StepPart::Communication, seriesColor(0, colors));
  for (size_t i = 0; i < m_bands.size(); ++i) {
    m_bands[i]->setPen(Qt::NoPen);
    m_bands[i]->setBrush(m_colors[i]);
  }
  m_floor->setPen(Qt::NoPen);
  colorRunAxes(*m_plot);
  m_navigator->applyColors();
}

void StepTimePlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || m_bands.empty()) return;
  applyColors();
  updateLegend();
  redraw();
}

void StepTimePlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  redraw();
}

}  // namespace strata::ui

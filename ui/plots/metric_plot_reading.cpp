// SPDX-License-Identifier: GPL-3.0-or-later
// The legend of a MetricPlot and the values at the line that follows the mouse.
#include <QBoxLayout>
#include <QFontMetrics>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <algorithm>
#include <cmath>

#include "ui/format.h"
#include "ui/plots/legend.h"
#include "ui/plots/metric_plot.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"
#include "ui/plots/series_colors.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

QString MetricPlot::validationText(const QString& value) const {
  return (m_isAveraged ? tr("validation of averaged weights %1") : tr("validation %1")).arg(value);
}

/// Gives the legend the width of the longest usual values, so that the curves stay where they are.
void MetricPlot::reserveLegend() {
  const QString longest = valueText(m_scale == Scale::Percent ? 1.0 : 0.00088888);
  QString words = u"● "_s + (m_validationName.empty() ? longest : tr("training %1").arg(longest));
  if (!m_validationName.empty()) words += u"   ● "_s + validationText(longest);
  m_legend->ensurePolished();
  m_legend->setMinimumWidth(m_legend->fontMetrics().horizontalAdvance(words));
  layOutHead();
}

QString MetricPlot::valueText(double value) const {
  if (!std::isfinite(value)) return std::isnan(value) ? u"NaN"_s : u"∞"_s;
  if (m_scale == Scale::Seconds) return formatSeconds(value);
  return m_scale == Scale::Percent ? formatPercent(value) : formatValue(value, 3);
}

/// Shows the name and the latest value of each curve, in the colour of the curve.
void MetricPlot::updateLegend() {
  const MetricSeries* training = m_history->find(m_trainingName);
  const MetricSeries* validation =
      m_validationName.empty() ? nullptr : m_history->find(m_validationName);
  const Colors& colors = colorsOf(this);
  QStringList entries, words;
  const auto add = [&](const QColor& color, const QString& entry) {
    words << entry;
    entries << legendEntry(entry, color, m_isPredicted, u'●');
  };
  if (training && training->count() > 0) {
    const bool isBroken = !training->nonFiniteSteps().empty() &&
                          training->lastStep() == training->nonFiniteSteps().back();
    const QString form = m_isPredicted                            ? tr("predicted %1")
                         : m_trainingName == "samples_per_second" ? tr("%1 samples/s")
                                                                  : u"%1"_s;
    add(colors.accent,
        (m_validationName.empty() ? form : tr("training %1"))
            .arg(valueText(isBroken ? training->lastValue()
                                    : training->lastSmoothed(m_smoothing.isNone() ? Smoothing()
                                                                                  : m_smoothing))));
  }
  if (validation && validation->count() > 0)
    add(validationColor(colors), validationText(valueText(validation->lastValue())));
  for (const OtherRun& other : m_others)
    add(other.color, other.title);
  const QString legend = legendOf(entries);
  if (legend == m_legend->text()) return;
  m_legend->setText(legend);
  m_plot->setAccessibleDescription(words.join(u", "_s));
  layOutHead();
}

/// Puts the legend next to the title if there is room, and below it otherwise.
void MetricPlot::layOutHead() {
  const int others = m_more->sizeHint().width() +
                     (m_navigator->isZoomed() ? m_whole->sizeHint().width() + 6 : 0) + 6;
  const QMargins margins = layout()->contentsMargins();
  const int room = width() - margins.left() - margins.right() - others;
  const int legend = std::max(m_legend->minimumWidth(), m_legend->sizeHint().width());
  const bool isInLine = m_title->sizeHint().width() + 12 + legend <= room;
  m_head->setDirection(isInLine ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  m_legend->setAlignment((isInLine ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

/// Returns the lines about the values at a place of the x axis.
QStringList MetricPlot::readingLines(double at, const CurveReading& reading) const {
  const auto steps = [](const CurveReading& r) {
    const QString last = formatCount(static_cast<int64_t>(r.lastStep));
    return r.firstStep == r.lastStep
               ? last
               : tr("%1 to %2").arg(formatCount(static_cast<int64_t>(r.firstStep)), last);
  };
  const auto values = [this](const CurveReading& r) {
    return r.minimum == r.maximum ? valueText(r.minimum)
                                  : tr("%1 to %2").arg(valueText(r.minimum), valueText(r.maximum));
  };
  const QString epoch =
      QLocale().toString(std::floor(reading.lastStep / m_axis.stepsPerEpoch * 100) / 100, 'g', 5);
  QStringList lines{tr("Step %1, epoch %2").arg(steps(reading), epoch)};
  if (m_axis.unit == RunAxis::Unit::Time)
    lines << tr("After %1").arg(formatSeconds(clock().secondsAt(reading.lastStep)));
  lines << (!m_validationName.empty() ? tr("Training: %1").arg(values(reading))
            : m_isPredicted           ? tr("predicted %1").arg(values(reading))
                                      : values(reading));
  if (!m_smoothing.isNone()) lines << tr("Smoothed: %1").arg(valueText(reading.smoothed));
  const double step = m_axis.stepOf(at, clock());
  const MetricSeries* validation =
      m_validationName.empty() ? nullptr : m_history->find(m_validationName);
  if (const auto measured = validation ? validation->near(step) : std::nullopt)
    lines << tr("Validation: %1 (step %2)").arg(values(*measured), steps(*measured));
  for (const OtherRun& other : m_others)
    if (const MetricSeries* series = other.history->find(m_trainingName))
      if (const auto there = series->near(
              m_axis.forRun(other.stepsPerEpoch).stepOf(at, other.history->clock()), m_smoothing))
        lines << tr("%1: %2").arg(other.title, valueText(there->smoothed));
  return lines + m_marks->wordsNear(at);
}

/// Shows the values at the line that follows the mouse or the keys.
void MetricPlot::updateReading() {
  const std::optional<double> at = m_navigator->cursor();
  const MetricSeries* training = m_history ? m_history->find(m_trainingName) : nullptr;
  const auto reading =
      at && training ? training->near(m_axis.stepOf(*at, clock()), m_smoothing) : std::nullopt;
  m_reading->setVisible(reading.has_value());
  if (!reading) {
    m_plot->setToolTip({});
    return;
  }
  const QStringList lines = readingLines(*at, *reading);
  m_reading->setText(lines.join(u'\n'));
  const QRect area = m_plot->axisRect()->rect();
  const double x = m_plot->xAxis->coordToPixel(*at);
  constexpr double kReadingGap = 8;
  int width = 0;
  for (const QString& line : lines)
    width = std::max(width, QFontMetrics(m_reading->font()).horizontalAdvance(line));
  width += m_reading->padding().left() + m_reading->padding().right() + 2;
  // The reading is to the right of the line, or to its left if there is not enough room.
  const bool isRight = x + kReadingGap + width <= m_plot->viewport().right();
  m_reading->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
  m_reading->position->setCoords(isRight ? x + kReadingGap : std::max(0.0, x - kReadingGap - width),
                                 area.top() + 4);
  setAccessibleDescription(lines.join(u", "_s));
}

PlotCaption MetricPlot::caption() const {
  const Colors& colors = colorsOf(this);
  PlotCaption caption{m_title->text(), {}};
  if (!m_validationName.empty() || !m_others.empty())
    caption.legend.push_back({tr("training"), colors.accent});
  if (m_validation->dataCount() > 0)
    caption.legend.push_back({tr("validation"), validationColor(colors)});
  for (const OtherRun& other : m_others)
    caption.legend.push_back({other.title, other.color});
  return caption;
}

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/axis_tickers.h"

#include <QFontMetrics>
#include <algorithm>
#include <cmath>

#include "ui/format.h"

namespace strata::ui {

double EpochTicker::getTickStep(const QCPRange& range) {
  const double wanted = range.size() / m_stepsPerEpoch / 6;
  const bool isOneEpoch = range.size() > 0.9 * m_stepsPerEpoch;
  if (wanted < 0.25 && isOneEpoch) return m_stepsPerEpoch / 4;
  if (wanted < 0.25) return std::max(1.0, m_stepsPerEpoch * cleanMantissa(wanted));
  return m_stepsPerEpoch * (wanted <= 1 ? 1.0 : cleanMantissa(wanted));
}

QString EpochTicker::getTickLabel(double tick, const QLocale& locale, QChar, int) {
  const double epochs = std::round(tick / m_stepsPerEpoch * 1e4) / 1e4;
  return epochs == std::round(epochs) ? locale.toString(static_cast<qlonglong>(epochs))
                                      : locale.toString(epochs, 'g', 6);
}

QString PercentTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  return formatPercent(tick, std::abs(tick * 100 - std::round(tick * 100)) < 1e-6 ? 0 : 1);
}

QString SecondsTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  return tick == 0 ? QStringLiteral("0") : formatSeconds(tick);
}

double BytesTicker::getTickStep(const QCPRange& range) {
  return std::exp2(std::ceil(std::log2(std::max(1.0, range.size() / 5))));
}

QString BytesTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  return tick == 0 ? QStringLiteral("0") : formatBytes(tick);
}

double CountTicker::getTickStep(const QCPRange& range) {
  constexpr int kMost = 5;
  if (!m_axis) return std::max(1.0, cleanMantissa(range.size() / kMost));
  const QFontMetrics metrics(m_axis->tickLabelFont());
  const int label =
      metrics.horizontalAdvance(formatCount(static_cast<int64_t>(std::llround(range.upper)))) +
      2 * metrics.averageCharWidth();
  const int count = std::clamp(m_axis->axisRect()->width() / std::max(1, label), 1, kMost);
  const double wanted = std::max(1.0, range.size() / count);
  // The next larger of 1, 2, 5, 10, ...
  const double power = std::pow(10, std::floor(std::log10(wanted)));
  for (const double mantissa : {1, 2, 5})
    if (wanted <= mantissa * power) return mantissa * power;
  return 10 * power;
}

QString CountTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
  return formatCount(static_cast<int64_t>(std::llround(tick)));
}

double DurationTicker::getTickStep(const QCPRange& range) {
  const double wanted = range.size() / 5;
  if (wanted < 1) return cleanMantissa(wanted);
  for (const double step : {1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600})
    if (wanted <= step) return step;
  return 43200 * std::ceil(wanted / 43200);
}

QString DurationTicker::getTickLabel(double tick, const QLocale& locale, QChar, int) {
  if (tick != std::floor(tick)) return QStringLiteral("%1 s").arg(locale.toString(tick, 'g', 4));
  return formatClock(tick);
}

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/axis_tickers.h"

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

}  // namespace strata::ui

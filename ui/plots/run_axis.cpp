// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/run_axis.h"

#include <QCoreApplication>

#include "ui/plots/axis_tickers.h"

namespace strata::ui {

QString RunAxis::title() const {
  switch (unit) {
    case Unit::Epoch: return QCoreApplication::translate("RunAxis", "Epoch");
    case Unit::Step: return QCoreApplication::translate("RunAxis", "Step");
    case Unit::Time: return QCoreApplication::translate("RunAxis", "Training time");
  }
  return {};
}

QSharedPointer<QCPAxisTicker> RunAxis::makeTicker() const {
  if (isLogarithmic && unit != Unit::Epoch)
    return QSharedPointer<QCPAxisTicker>(new QCPAxisTickerLog);
  if (unit == Unit::Time) return QSharedPointer<QCPAxisTicker>(new DurationTicker);
  if (unit == Unit::Step) return QSharedPointer<QCPAxisTicker>(new CountTicker);
  const auto ticker = QSharedPointer<EpochTicker>(new EpochTicker);
  ticker->setStepsPerEpoch(stepsPerEpoch);
  return ticker;
}

}  // namespace strata::ui

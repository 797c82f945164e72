// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/smoothing_setting.h"

#include <QSettings>
#include <algorithm>

namespace strata::ui {

// A negative weight stands for automatic smoothing
static constexpr QLatin1String kKey("plots/smoothing_weight");
static constexpr QLatin1String kOutliersKey("plots/ignore_outliers");

Smoothing storedSmoothing() {
  constexpr double kMaxWeight = 0.9999;
  const double weight = QSettings().value(kKey, -1.0).toDouble();
  return weight < 0 ? Smoothing::automatic() : Smoothing::ofWeight(std::min(weight, kMaxWeight));
}

void storeSmoothing(Smoothing smoothing) {
  QSettings().setValue(kKey, smoothing.isAutomatic ? -1.0 : smoothing.weight);
}

bool storedIgnoresOutliers() { return QSettings().value(kOutliersKey, true).toBool(); }
void storeIgnoresOutliers(bool on) { QSettings().setValue(kOutliersKey, on); }

}  // namespace strata::ui

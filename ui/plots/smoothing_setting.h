// SPDX-License-Identifier: GPL-3.0-or-later
// What the window remembers for all curves: their smoothing, and whether outliers decide the range
// of the axis. Thread: GUI thread.
#pragma once

#include "ui/run/metric_history.h"

namespace strata::ui {

Smoothing storedSmoothing();
void storeSmoothing(Smoothing smoothing);

bool storedIgnoresOutliers();
void storeIgnoresOutliers(bool on);

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The smoothing of all curves, which the window remembers. Thread: GUI thread.
#pragma once

#include "ui/run/metric_history.h"

namespace strata::ui {

Smoothing storedSmoothing();
void storeSmoothing(Smoothing smoothing);

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The time of each layer as a run measured it, and whether the open design still has the layer that was measured. Not the prediction (document/estimate).
// Thread: values.
#pragma once

#include <QString>
#include <map>

#include "core/runs/events.h"
#include "ui/run/design_changes.h"

namespace strata::ui {

struct MeasuredTimes {
  QString run;                               // "Run 3"
  std::map<QString, double> secondsOfLayer;  // of one step, forward and backward
  DesignChanges changes;                     // of the open design since the run
};

MeasuredTimes measuredTimes(const ProfileSnapshot& profile);

}  // namespace strata::ui

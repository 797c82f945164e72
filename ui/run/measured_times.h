// SPDX-License-Identifier: GPL-3.0-or-later
// The time of each layer as a run measured it, and whether the open design still has that layer.
// Not the prediction (document/estimate). Thread: values.
#pragma once

#include <QString>
#include <map>

#include "core/runs/events.h"
#include "ui/run/design_changes.h"

namespace strata::ui {

struct MeasuredTimes {
  // "Run 3"
  QString run;
  // Time of one step, forward and backward
  std::map<QString, double> secondsOfLayer;
  // Changes of the open design since the run
  DesignChanges changes;
};

MeasuredTimes measuredTimes(const ProfileSnapshot& profile);

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The times of layers that a run measured, and the changes of the open project since then. Not
// here: estimated times (ui/document/estimate.h). Thread: a value type.
#pragma once

#include <QString>
#include <map>

#include "core/runs/events.h"
#include "ui/run/design_changes.h"

namespace strata::ui {

struct MeasuredTimes {
  // The title of the run, such as "Run 3"
  QString run;
  // Time of the forward and backward passes in one step, by layer
  std::map<QString, double> secondsOfLayer;
  // Changes of the open project since the run
  DesignChanges changes;
};

/// Returns the times in a profile. The caller fills in the title and the changes.
MeasuredTimes measuredTimes(const ProfileSnapshot& profile);

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// The times of layers that a run measured, and the changes of the open design since then. Predicted
// times are in document/estimate. Thread: values.
#pragma once

#include <QString>
#include <map>

#include "core/runs/events.h"
#include "ui/run/design_changes.h"

namespace strata::ui {

struct MeasuredTimes {
  // The title of the run, such as "Run 3".
  QString run;
  // Time of the forward and backward passes in one step.
  std::map<QString, double> secondsOfLayer;
  // Changes of the open design since the run.
  DesignChanges changes;
};

MeasuredTimes measuredTimes(const ProfileSnapshot& profile);

}  // namespace strata::ui

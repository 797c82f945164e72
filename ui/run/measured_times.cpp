// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/measured_times.h"

#include "ui/format.h"

namespace strata::ui {

MeasuredTimes measuredTimes(const ProfileSnapshot& profile) {
  MeasuredTimes times;
  if (profile.steps < 1) return times;
  for (const ProfileRow& row : profile.rows) {
    if (row.phase == Phase::Update || row.layer.empty()) continue;
    times.secondsOfLayer[text(row.layer)] += std::chrono::duration<double>(row.total).count() / static_cast<double>(profile.steps);
  }
  return times;
}

}  // namespace strata::ui

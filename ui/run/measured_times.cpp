// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/measured_times.h"

#include "core/model/model.h"
#include "ui/format.h"

namespace strata::ui {

MeasuredTimes measuredTimes(const ProfileSnapshot& profile) {
  MeasuredTimes times;
  if (profile.steps < 1) return times;
  for (const ProfileRow& row : profile.rows) {
    if (row.phase == Phase::Update || row.layer.empty()) continue;
    // All repetitions of a layer in a Block share one row. The row of the Block includes the rows
    // of its layers.
    const QString path = text(pathOfLayer(row.layer));
    const double seconds =
        std::chrono::duration<double>(row.total).count() / static_cast<double>(profile.steps);
    for (qsizetype end = path.indexOf(u'/'); end >= 0; end = path.indexOf(u'/', end + 1))
      times.secondsOfLayer[path.left(end)] += seconds;
    times.secondsOfLayer[path] += seconds;
  }
  return times;
}

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the range of the y axis of a metric plot from the points that are visible. It does not
// draw. Thread: a value.
#pragma once

#include <vector>

#include "ui/run/metric_history.h"

namespace strata::ui {

/// The visible points of each curve.
struct VisibleCurves {
  std::vector<CurvePoint> raw, smooth, validation;
  // Those of other runs
  std::vector<CurvePoint> others;
};

class ValueRange {
 public:
  double low() const { return m_low; }
  double high() const { return m_high; }
  /// Makes the next call of follow() choose its range at once.
  void reset() { m_isReset = true; }

  /// Chooses a range that contains all visible points, for a zoomed plot.
  void fit(const VisibleCurves& visible);
  /// Chooses a range that contains all visible points above 0.
  void fitLogarithmic(const VisibleCurves& visible);
  /// Follows the curves of a whole run. The range expands at once but shrinks slowly, because a
  /// sudden change of the axis looks like a sudden change of the loss. `training` and `validation`
  /// may be null. With `isPercent`, the range ends just above 100%.
  void follow(const VisibleCurves& visible, const MetricSeries* training,
              const MetricSeries* validation, bool isPercent);

 private:
  double m_low = 0, m_high = 1;
  bool m_isReset = true;
};

}  // namespace strata::ui

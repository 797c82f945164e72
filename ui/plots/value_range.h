// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the range of the y axis of a metric plot from the points that are visible. It does not
// draw. Thread: a value.
#pragma once

#include <optional>
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
  /// Sets whether outliers do not decide the range: the largest and the smallest 5% of the points
  /// of a curve, as in TensorBoard, whose default this is too. A curve with few points has none.
  void setIgnoresOutliers(bool on) {
    m_ignoresOutliers = on;
    reset();
  }
  bool ignoresOutliers() const { return m_ignoresOutliers; }
  /// Makes the next call of follow() choose its range at once.
  void reset() { m_isReset = true; }

  /// Chooses a range that contains all visible points but outliers, for a zoomed plot.
  void fit(const VisibleCurves& visible);
  /// Chooses a range that contains all visible points above 0 but outliers.
  void fitLogarithmic(const VisibleCurves& visible);
  /// Follows the curves of a whole run. The range expands at once but shrinks slowly, because a
  /// sudden change of the axis looks like a sudden change of the loss. `training` and `validation`
  /// may be null. With `isPercent`, the range ends just above 100%.
  void follow(const VisibleCurves& visible, const MetricSeries* training,
              const MetricSeries* validation, bool isPercent);

 private:
  double m_low = 0, m_high = 1;
  bool m_isReset = true, m_ignoresOutliers = true;
};

/// The largest value above a range and the smallest one below it; nullopt if there is none.
struct ValuesOutside {
  std::optional<double> highest, lowest;
  bool operator==(const ValuesOutside&) const = default;
};
ValuesOutside valuesOutside(const VisibleCurves& visible, double low, double high);

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/value_range.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>

namespace strata::ui {

namespace {

/// The smallest and the largest value; empty as long as low > high.
struct Extremes {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool isEmpty() const { return low > high; }
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

/// Adds the values of a curve, but not its outliers.
void addCurve(Extremes& extremes, std::vector<double> values, bool ignoresOutliers) {
  // With fewer points, 5% are none of them
  constexpr size_t kFewest = 20;
  if (values.empty()) return;
  std::ranges::sort(values);
  const size_t cut = ignoresOutliers && values.size() >= kFewest ? values.size() / kFewest : 0;
  extremes.add(values[cut]);
  extremes.add(values[values.size() - 1 - cut]);
}

std::vector<double> valuesOf(std::span<const CurvePoint> points) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const CurvePoint& point : points)
    values.push_back(point.value);
  return values;
}

auto curvesOf(const VisibleCurves& visible) {
  return std::array{&visible.raw, &visible.smooth, &visible.validation, &visible.others};
}

}  // namespace

void ValueRange::fit(const VisibleCurves& visible) {
  Extremes extremes;
  for (const auto* points : curvesOf(visible))
    addCurve(extremes, valuesOf(*points), m_ignoresOutliers);
  m_low = extremes.isEmpty() ? 0 : extremes.low;
  m_high = extremes.isEmpty() ? 1 : extremes.high;
  const double room =
      m_high > m_low ? 0.06 * (m_high - m_low) : std::max(0.01, 0.1 * std::abs(m_high));
  m_low -= room;
  m_high += room;
}

void ValueRange::fitLogarithmic(const VisibleCurves& visible) {
  Extremes extremes;
  for (const auto* points : curvesOf(visible)) {
    std::vector<double> values = valuesOf(*points);
    std::erase_if(values, [](double value) { return !(value > 0); });
    addCurve(extremes, std::move(values), m_ignoresOutliers);
  }
  m_low = (extremes.isEmpty() ? 0.1 : extremes.low) / 1.25;
  m_high = (extremes.isEmpty() ? 1 : extremes.high) * 1.25;
}

void ValueRange::follow(const VisibleCurves& visible, const MetricSeries* training,
                        const MetricSeries* validation, bool isPercent) {
  // The average after the steep start determines the range, so that the interesting part of the
  // curve fills the plot. Points outside the range are clipped.
  const auto& decisive = visible.smooth.empty() ? visible.raw : visible.smooth;
  const size_t skipped =
      decisive.size() > 20 ? std::min(decisive.size() / 4, decisive.size() - 20) : 0;
  Extremes extremes;
  addCurve(extremes, valuesOf(std::span(decisive).subspan(skipped)), m_ignoresOutliers);
  if (validation && validation->count() > 0) {
    std::vector<double> values{validation->minimum(), validation->maximum()};
    // Outliers are known only among the visible points
    if (m_ignoresOutliers && !visible.validation.empty()) values = valuesOf(visible.validation);
    addCurve(extremes, std::move(values), m_ignoresOutliers);
  }
  double low = extremes.isEmpty() ? 0 : extremes.low;
  double high = extremes.isEmpty() ? 1 : extremes.high;
  if (isPercent) {
    const double room = std::max(0.02, 1 - low);
    low = std::max(0.0, std::floor((1 - room * 1.6) * 20) / 20);
    // The label 100% needs some room above it.
    high = 1 + 0.01 * (1 - low);
  }
  else {
    low = std::min(0.0, low);
    high = high <= 0 ? 1 : high * 1.35;
  }
  const bool isImmediate = !training || training->count() < 3 || std::exchange(m_isReset, false);
  m_low = low < m_low || isImmediate ? low : m_low + 0.2 * (low - m_low);
  m_high = high > m_high || isImmediate ? high : m_high + 0.2 * (high - m_high);
}

ValuesOutside valuesOutside(const VisibleCurves& visible, double low, double high) {
  ValuesOutside outside;
  for (const auto* points : curvesOf(visible))
    for (const CurvePoint& point : *points) {
      if (point.value > high)
        outside.highest = std::max(outside.highest.value_or(high), point.value);
      if (point.value < low) outside.lowest = std::min(outside.lowest.value_or(low), point.value);
    }
  return outside;
}

}  // namespace strata::ui

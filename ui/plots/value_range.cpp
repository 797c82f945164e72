// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/value_range.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace strata::ui {

namespace {

std::vector<double> allValues(const VisibleCurves& visible) {
  std::vector<double> values;
  for (const auto* points : {&visible.raw, &visible.smooth, &visible.validation, &visible.others})
    for (const CurvePoint& point : *points)
      values.push_back(point.value);
  return values;
}

}  // namespace

void ValueRange::fit(const VisibleCurves& visible) {
  const std::vector<double> values = allValues(visible);
  m_low = values.empty() ? 0 : *std::min_element(values.begin(), values.end());
  m_high = values.empty() ? 1 : *std::max_element(values.begin(), values.end());
  const double room =
      m_high > m_low ? 0.06 * (m_high - m_low) : std::max(0.01, 0.1 * std::abs(m_high));
  m_low -= room;
  m_high += room;
}

void ValueRange::fitLogarithmic(const VisibleCurves& visible) {
  std::vector<double> values = allValues(visible);
  std::erase_if(values, [](double value) { return !(value > 0); });
  m_low = values.empty() ? 0.1 : *std::min_element(values.begin(), values.end());
  m_high = values.empty() ? 1 : *std::max_element(values.begin(), values.end());
  m_low /= 1.25;
  m_high *= 1.25;
}

void ValueRange::follow(const VisibleCurves& visible, const MetricSeries* training,
                        const MetricSeries* validation, bool isPercent) {
  // The average after the steep start determines the range, so that the interesting part of the
  // curve fills the plot. Points outside the range are clipped.
  const auto& decisive = visible.smooth.empty() ? visible.raw : visible.smooth;
  const size_t skipped =
      decisive.size() > 20 ? std::min(decisive.size() / 4, decisive.size() - 20) : 0;
  std::vector<double> values;
  for (size_t i = skipped; i < decisive.size(); ++i)
    values.push_back(decisive[i].value);
  if (validation && validation->count() > 0) {
    values.push_back(validation->minimum());
    values.push_back(validation->maximum());
  }
  double low = values.empty() ? 0 : *std::min_element(values.begin(), values.end());
  double high = values.empty() ? 1 : *std::max_element(values.begin(), values.end());
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

}  // namespace strata::ui

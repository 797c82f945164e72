// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/metric_history.h"

#include <algorithm>
#include <cmath>

namespace strata::ui {

// The weights of Smoothing::Weight60, Weight90 and Weight99
static constexpr std::array kWeights{0.6, 0.9, 0.99};

/// Updates the moving averages. They have no bias towards the initial 0: the automatic average
/// starts as a plain mean, and append() corrects the others as TensorBoard does.
void MetricSeries::updateAverages(double value) {
  const double weight =
      std::max(1.0 / static_cast<double>(m_count + 1), 1.0 / std::max(1.0, m_smoothingSteps));
  m_smoothed = m_count == 0 ? value : m_smoothed + weight * (value - m_smoothed);
  for (size_t i = 0; i < kWeights.size(); ++i) {
    m_weighted[i] = kWeights[i] * m_weighted[i] + (1 - kWeights[i]) * value;
    m_pastWeight[i] *= kWeights[i];
  }
}

void MetricSeries::append(double step, double value) {
  m_lastStep = step;
  m_lastValue = value;
  if (!std::isfinite(value)) {
    if (m_nonFinite.size() < 100) m_nonFinite.push_back(step);
    return;
  }
  updateAverages(value);
  m_minimum = m_count == 0 ? value : std::min(m_minimum, value);
  m_maximum = m_count == 0 ? value : std::max(m_maximum, value);
  ++m_count;
  const auto s = static_cast<float>(step), v = static_cast<float>(value);
  std::array<float, kNumAverages> smooth{};
  for (size_t i = 0; i < kWeights.size(); ++i)
    smooth[i] = static_cast<float>(m_weighted[i] / (1 - m_pastWeight[i]));
  smooth.back() = static_cast<float>(m_smoothed);
  if (m_buckets.empty() || m_buckets.back().count >= m_stepsPerBucket) {
    if (m_buckets.size() == kMaxBuckets) merge();
    if (m_buckets.empty() || m_buckets.back().count >= m_stepsPerBucket) {
      m_buckets.push_back({s, s, v, v, true, smooth, 1});
      return;
    }
  }
  Bucket& bucket = m_buckets.back();
  bucket.lastStep = s;
  bucket.smoothed = smooth;
  ++bucket.count;
  if (v < bucket.minimum) {
    bucket.minimum = v;
    bucket.isMinimumFirst = false;
  }
  else if (v > bucket.maximum) {
    bucket.maximum = v;
    bucket.isMinimumFirst = true;
  }
}

/// Merges pairs of neighbouring buckets.
void MetricSeries::merge() {
  m_stepsPerBucket *= 2;
  const size_t half = m_buckets.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    const Bucket a = m_buckets[2 * i], b = m_buckets[2 * i + 1];
    const bool isMinimumInA = a.minimum <= b.minimum, isMaximumInA = a.maximum >= b.maximum;
    // If both extremes are in the same bucket, this bucket stores their order.
    bool isMinimumFirst = isMinimumInA;
    if (isMinimumInA == isMaximumInA)
      isMinimumFirst = isMinimumInA ? a.isMinimumFirst : b.isMinimumFirst;
    m_buckets[i] = {a.firstStep,
                    b.lastStep,
                    std::min(a.minimum, b.minimum),
                    std::max(a.maximum, b.maximum),
                    isMinimumFirst,
                    b.smoothed,
                    a.count + b.count};
  }
  m_buckets.resize(half);
}

/// Returns the index of the last bucket before the one with this step, or 0.
size_t MetricSeries::lowerBucket(double step) const {
  const auto found = std::lower_bound(
      m_buckets.begin(), m_buckets.end(), step,
      [](const Bucket& bucket, double wanted) { return bucket.lastStep < wanted; });
  const auto index = static_cast<size_t>(found - m_buckets.begin());
  // The previous bucket is included, so that the line begins at the left edge of the plot.
  return index > 0 ? index - 1 : 0;
}

std::vector<CurvePoint> MetricSeries::envelope(double from, double to, int columns) const {
  std::vector<CurvePoint> points;
  if (m_buckets.empty() || columns < 1) return points;
  const size_t begin = lowerBucket(from), end = std::min(m_buckets.size(), lowerBucket(to) + 3);
  const size_t group = std::max<size_t>(
      1, (end - begin + static_cast<size_t>(columns) - 1) / static_cast<size_t>(columns));
  for (size_t i = begin; i < end; i += group) {
    Bucket bucket = m_buckets[i];
    for (size_t k = i + 1; k < std::min(end, i + group); ++k) {
      const Bucket& next = m_buckets[k];
      if (next.minimum < bucket.minimum) {
        bucket.minimum = next.minimum;
        bucket.isMinimumFirst = false;
      }
      if (next.maximum > bucket.maximum) {
        bucket.maximum = next.maximum;
        bucket.isMinimumFirst = true;
      }
      bucket.lastStep = next.lastStep;
    }
    const double first = bucket.isMinimumFirst ? bucket.minimum : bucket.maximum,
                 second = bucket.isMinimumFirst ? bucket.maximum : bucket.minimum;
    points.push_back({bucket.firstStep, first});
    if (second != first || bucket.lastStep != bucket.firstStep)
      points.push_back({bucket.lastStep, second});
  }
  return points;
}

float MetricSeries::averageIn(const Bucket& bucket, Smoothing smoothing) {
  if (smoothing == Smoothing::None) return (bucket.minimum + bucket.maximum) / 2;
  return bucket.smoothed[static_cast<size_t>(smoothing) - 1];
}

std::vector<CurvePoint> MetricSeries::smoothed(double from, double to, int columns,
                                               Smoothing smoothing) const {
  std::vector<CurvePoint> points;
  if (m_buckets.empty() || columns < 1) return points;
  const size_t begin = lowerBucket(from), end = std::min(m_buckets.size(), lowerBucket(to) + 3);
  const size_t group = std::max<size_t>(
      1, (end - begin + static_cast<size_t>(columns) - 1) / static_cast<size_t>(columns));
  for (size_t i = begin; i < end; i += group) {
    const Bucket& bucket = m_buckets[std::min(end, i + group) - 1];
    points.push_back({bucket.lastStep, averageIn(bucket, smoothing)});
  }
  return points;
}

std::optional<CurveReading> MetricSeries::near(double step, Smoothing smoothing) const {
  if (m_buckets.empty()) return std::nullopt;
  const auto distance = [step](const Bucket& bucket) {
    return std::max({0.0, static_cast<double>(bucket.firstStep) - step,
                     step - static_cast<double>(bucket.lastStep)});
  };
  const size_t begin = lowerBucket(step), end = std::min(m_buckets.size(), begin + 3);
  size_t nearest = begin;
  for (size_t i = begin; i < end; ++i)
    if (distance(m_buckets[i]) < distance(m_buckets[nearest])) nearest = i;
  const Bucket& found = m_buckets[nearest];
  return CurveReading{found.firstStep, found.lastStep, found.minimum, found.maximum,
                      averageIn(found, smoothing)};
}

MetricSeries& MetricHistory::series(std::string_view name) {
  const auto found = m_series.find(name);
  return found != m_series.end() ? found->second
                                 : m_series.try_emplace(std::string(name)).first->second;
}

const MetricSeries* MetricHistory::find(std::string_view name) const {
  const auto found = m_series.find(name);
  return found == m_series.end() ? nullptr : &found->second;
}

std::vector<std::string> MetricHistory::names() const {
  std::vector<std::string> result;
  for (const auto& [name, series] : m_series)
    result.push_back(name);
  return result;
}

void StagedSteps::reset(size_t columns) {
  const std::lock_guard lock(m_mutex);
  m_columns = columns;
  m_rows.clear();
}

void StagedSteps::append(const double* row) {
  const std::lock_guard lock(m_mutex);
  m_rows.insert(m_rows.end(), row, row + m_columns);
}

size_t StagedSteps::take(std::vector<double>& rows) {
  rows.clear();
  const std::lock_guard lock(m_mutex);
  rows.swap(m_rows);
  return m_columns;
}

}  // namespace strata::ui

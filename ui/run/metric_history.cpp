// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/metric_history.h"

#include <algorithm>
#include <cmath>

namespace strata::ui {

void MetricSeries::append(double step, double value) {
  m_lastStep = step;
  m_lastValue = value;
  if (!std::isfinite(value)) {
    if (m_nonFinite.size() < 100) m_nonFinite.push_back(step);
    return;
  }
  // The automatic average has no bias towards the initial 0, because it starts as a plain mean. At
  // the beginning of a long run it covers fewer steps, so that it follows the curve there.
  constexpr double kFewest = 10, kPart = 0.1;
  const auto count = static_cast<double>(m_count + 1);
  const double steps = std::clamp(kPart * count, kFewest, std::max(kFewest, m_smoothingSteps));
  const double weight = std::max(1 / count, 1 / steps);
  m_smoothed = m_count == 0 ? value : m_smoothed + weight * (value - m_smoothed);
  m_minimum = m_count == 0 ? value : std::min(m_minimum, value);
  m_maximum = m_count == 0 ? value : std::max(m_maximum, value);
  ++m_count;
  const auto s = static_cast<float>(step), v = static_cast<float>(value);
  const auto smooth = static_cast<float>(m_smoothed);
  if (m_buckets.empty() || m_buckets.back().count >= m_stepsPerBucket) {
    if (m_buckets.size() == kMaxBuckets) merge();
    if (m_buckets.empty() || m_buckets.back().count >= m_stepsPerBucket) {
      m_buckets.push_back({s, s, v, v, v, smooth, 1, 1});
      return;
    }
  }
  Bucket& bucket = m_buckets.back();
  bucket.lastStep = s;
  bucket.smoothed = smooth;
  ++bucket.count;
  bucket.mean += (v - bucket.mean) / static_cast<float>(bucket.count);
  if (v < bucket.minimum) {
    bucket.minimum = v;
    bucket.isMinimumFirst = 0;
  }
  else if (v > bucket.maximum) {
    bucket.maximum = v;
    bucket.isMinimumFirst = 1;
  }
}

/// Merges pairs of neighbouring buckets.
void MetricSeries::merge() {
  m_averages = {};
  m_stepsPerBucket *= 2;
  const size_t half = m_buckets.size() / 2;
  for (size_t i = 0; i < half; ++i) {
    const Bucket a = m_buckets[2 * i], b = m_buckets[2 * i + 1];
    const bool isMinimumInA = a.minimum <= b.minimum, isMaximumInA = a.maximum >= b.maximum;
    // If both extremes are in the same bucket, this bucket stores their order.
    bool isMinimumFirst = isMinimumInA;
    if (isMinimumInA == isMaximumInA) isMinimumFirst = (isMinimumInA ? a : b).isMinimumFirst != 0;
    const uint32_t count = a.count + b.count;
    m_buckets[i] = {
        a.firstStep,
        b.lastStep,
        std::min(a.minimum, b.minimum),
        std::max(a.maximum, b.maximum),
        a.mean + (b.mean - a.mean) * static_cast<float>(b.count) / static_cast<float>(count),
        b.smoothed,
        count,
        isMinimumFirst ? 1U : 0U};
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
        bucket.isMinimumFirst = 0;
      }
      if (next.maximum > bucket.maximum) {
        bucket.maximum = next.maximum;
        bucket.isMinimumFirst = 1;
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

/// Adds a bucket as if each of its steps had the mean value.
void MetricSeries::Averages::add(const Bucket& bucket) {
  const double past = bucket.count == 1 ? weight : std::pow(weight, bucket.count);
  sum = past * sum + (1 - past) * static_cast<double>(bucket.mean);
  pastWeight *= past;
  values.push_back(static_cast<float>(sum / (1 - pastWeight)));
}

const MetricSeries::Averages& MetricSeries::averagesOf(double weight) const {
  if (m_averages.weight != weight) m_averages = {weight, {}, 0, 1};
  for (size_t i = m_averages.values.size(); i + 1 < m_buckets.size(); ++i)
    m_averages.add(m_buckets[i]);
  return m_averages;
}

float MetricSeries::averageAt(size_t bucket, Smoothing smoothing) const {
  if (smoothing.isAutomatic) return m_buckets[bucket].smoothed;
  if (smoothing.isNone()) return (m_buckets[bucket].minimum + m_buckets[bucket].maximum) / 2;
  const Averages& known = averagesOf(smoothing.weight);
  if (bucket < known.values.size()) return known.values[bucket];
  Averages last{known.weight, {}, known.sum, known.pastWeight};
  last.add(m_buckets.back());
  return last.values.back();
}

double MetricSeries::lastSmoothed(Smoothing smoothing) const {
  if (m_buckets.empty()) return 0;
  if (smoothing.isAutomatic) return m_smoothed;
  return smoothing.isNone() ? m_lastValue
                            : static_cast<double>(averageAt(m_buckets.size() - 1, smoothing));
}

std::vector<CurvePoint> MetricSeries::smoothed(double from, double to, int columns,
                                               Smoothing smoothing) const {
  std::vector<CurvePoint> points;
  if (m_buckets.empty() || columns < 1) return points;
  const size_t begin = lowerBucket(from), end = std::min(m_buckets.size(), lowerBucket(to) + 3);
  const size_t group = std::max<size_t>(
      1, (end - begin + static_cast<size_t>(columns) - 1) / static_cast<size_t>(columns));
  for (size_t i = begin; i < end; i += group) {
    const size_t last = std::min(end, i + group) - 1;
    points.push_back({m_buckets[last].lastStep, averageAt(last, smoothing)});
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
                      averageAt(nearest, smoothing)};
}

void StepClock::append(double step, double seconds) {
  if (!m_points.empty() && (step <= m_points.back().first || seconds < m_points.back().second))
    return;
  // Points that are multiples of the stride stay, and the last one always stays for now
  if (m_count > 0 && (m_count - 1) % m_stride != 0) m_points.pop_back();
  m_points.emplace_back(step, seconds);
  ++m_count;
  if (m_points.size() < kMaxPoints) return;
  for (size_t i = 0; 2 * i < m_points.size(); ++i)
    m_points[i] = m_points[2 * i];
  m_points.resize((m_points.size() + 1) / 2);
  m_stride *= 2;
  if ((m_count - 1) % m_stride != 0) m_points.emplace_back(step, seconds);
}

/// Returns the place of `value` on the line through the points (from, to).
template <class From, class To>
static double onLine(const std::vector<std::pair<double, double>>& points, double value, From from,
                     To to) {
  if (points.empty()) return 0;
  const auto found =
      std::ranges::lower_bound(points, value, {}, [&](const auto& point) { return from(point); });
  std::pair<double, double> before{0, 0}, after = points.back();
  if (found == points.end()) {
    if (points.size() > 1) before = points.front();
  }
  else {
    after = *found;
    if (found != points.begin()) before = *(found - 1);
  }
  const double width = from(after) - from(before);
  if (width <= 0) return to(after);
  return to(before) + (value - from(before)) / width * (to(after) - to(before));
}

static double stepOf(const std::pair<double, double>& point) { return point.first; }
static double secondsOf(const std::pair<double, double>& point) { return point.second; }

double StepClock::secondsAt(double step) const { return onLine(m_points, step, stepOf, secondsOf); }
double StepClock::stepAt(double seconds) const {
  return onLine(m_points, seconds, secondsOf, stepOf);
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

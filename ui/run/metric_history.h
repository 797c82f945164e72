// SPDX-License-Identifier: GPL-3.0-or-later
// Stores the metrics of a run in bounded memory. If a series has too many steps, each bucket keeps
// only the minimum and the maximum of several steps. The exact values are in the run's history
// file. This file does not use Qt, so that the thread sanitizer can check it. Thread: values
// without locks. Two threads may use StagedSteps.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace strata::ui {

struct CurvePoint {
  double step = 0, value = 0;
};

/// The smoothing of a curve: an exponential moving average. The previous average has `weight`, from
/// 0 (no smoothing) to below 1. Automatic averages over about a hundredth of the run,
/// and over a tenth of the steps so far if these are fewer.
struct Smoothing {
  bool isAutomatic = true;
  double weight = 0;
  static Smoothing automatic() { return {}; }
  static Smoothing none() { return {false, 0}; }
  static Smoothing ofWeight(double weight) { return {false, weight}; }
  bool isNone() const { return !isAutomatic && weight <= 0; }
  bool operator==(const Smoothing&) const = default;
};

/// The values of one bucket. If it has one step, the first and the last step are equal, and so are
/// the minimum and the maximum.
struct CurveReading {
  double firstStep = 0, lastStep = 0, minimum = 0, maximum = 0, smoothed = 0;
};

/// Stores the values of one metric by step.
class MetricSeries {
 public:
  static constexpr size_t kMaxBuckets = 65536;

  /// Appends a value. A value that is not finite does not enter the buckets, and its step is added
  /// to nonFiniteSteps(). Requires: increasing steps.
  void append(double step, double value);
  bool isEmpty() const { return m_buckets.empty(); }
  /// Returns the number of finite values.
  size_t count() const { return m_count; }
  double lastStep() const { return m_lastStep; }
  double lastValue() const { return m_lastValue; }
  double minimum() const { return m_minimum; }
  double maximum() const { return m_maximum; }

  /// Returns at most 2 * columns points: the smallest and the largest value in each column, in the
  /// order of their steps. The points cover the steps from `from` to `to`, and the nearest buckets
  /// outside this range, so that lines reach the edges of a plot.
  std::vector<CurvePoint> envelope(double from, double to, int columns) const;
  /// Returns at most `columns` points of the moving average for the same steps as envelope().
  std::vector<CurvePoint> smoothed(double from, double to, int columns,
                                   Smoothing smoothing = {}) const;
  /// Returns the values of the bucket nearest to the step, or nullopt if the series is empty.
  std::optional<CurveReading> near(double step, Smoothing smoothing = {}) const;
  /// Returns the last value of the moving average.
  double lastSmoothed(Smoothing smoothing = {}) const;
  /// Sets the number of steps over which Automatic averages at most. Ten are the fewest.
  void setSmoothingSteps(double steps) { m_smoothingSteps = steps; }
  /// Returns the first steps with a value that is not finite, at most 100.
  const std::vector<double>& nonFiniteSteps() const { return m_nonFinite; }

 private:
  struct Bucket {
    float firstStep, lastStep;
    float minimum, maximum, mean;
    // The automatic average at the last step of the bucket
    float smoothed;
    uint32_t count : 31;
    uint32_t isMinimumFirst : 1;
  };
  /// A moving average at the last step of each bucket but the last one, which still changes.
  struct Averages {
    double weight = -1;
    std::vector<float> values;
    // Before the bias correction, and the weight of its initial value 0
    double sum = 0, pastWeight = 1;
    void add(const Bucket& bucket);
  };
  const Averages& averagesOf(double weight) const;
  float averageAt(size_t bucket, Smoothing smoothing) const;
  void merge();
  size_t lowerBucket(double step) const;

  std::vector<Bucket> m_buckets;
  std::vector<double> m_nonFinite;
  uint32_t m_stepsPerBucket = 1;
  size_t m_count = 0;
  double m_lastStep = 0, m_lastValue = 0, m_smoothed = 0, m_smoothingSteps = 50;
  double m_minimum = 0, m_maximum = 0;
  // That of the weight that was asked for last
  mutable Averages m_averages;
};

/// The time of each step in seconds, as a line through some of the steps. Steps and times increase.
class StepClock {
 public:
  void append(double step, double seconds);
  bool isEmpty() const { return m_points.empty(); }
  double lastSeconds() const { return m_points.empty() ? 0 : m_points.back().second; }
  /// Return the time of a step, and the step of a time. Outside the known steps, the mean speed
  /// goes on.
  double secondsAt(double step) const;
  double stepAt(double seconds) const;

 private:
  static constexpr size_t kMaxPoints = 8192;
  // Step and seconds
  std::vector<std::pair<double, double>> m_points;
  // Every m_stride-th of m_count points is kept
  size_t m_stride = 1, m_count = 0;
};

/// The series of a run by name, such as "loss", "val_loss", "accuracy" and "learning_rate".
class MetricHistory {
 public:
  /// Returns the series with this name, and creates it if it does not exist.
  MetricSeries& series(std::string_view name);
  /// Returns null if there is no series with this name.
  const MetricSeries* find(std::string_view name) const;
  std::vector<std::string> names() const;
  StepClock& clock() { return m_clock; }
  const StepClock& clock() const { return m_clock; }

 private:
  StepClock m_clock;
  std::map<std::string, MetricSeries, std::less<>> m_series;
};

/// Passes rows of numbers from the training thread to the GUI thread. Thread: the training thread
/// calls append(), and the GUI thread calls take(). A call waits at most until the other thread has
/// copied a row or swapped two vectors.
class StagedSteps {
 public:
  /// Removes all rows. Later rows have `columns` columns.
  void reset(size_t columns);
  /// Appends a row. Requires: `row` has the number of columns that was passed to reset().
  void append(const double* row);
  /// Moves all waiting rows to `rows`, and reuses its capacity. Returns the number of columns.
  size_t take(std::vector<double>& rows);

 private:
  std::mutex m_mutex;
  std::vector<double> m_rows;
  size_t m_columns = 0;
};

}  // namespace strata::ui

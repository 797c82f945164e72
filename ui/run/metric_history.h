// SPDX-License-Identifier: GPL-3.0-or-later
// Stores the metrics of a run in bounded memory. If a series has too many steps, each bucket keeps
// only the minimum and the maximum of several steps. The exact values are in the run's history
// file. This file does not use Qt, so that the thread sanitizer can check it. Thread: values
// without locks. Two threads may use StagedSteps.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata::ui {

struct CurvePoint {
  double step = 0, value = 0;
};

/// The smoothing of a curve. Weight60, Weight90 and Weight99 are exponential moving averages that
/// give the previous average a weight of 0.6, 0.9 or 0.99. Automatic averages over about a
/// hundredth of the run.
enum class Smoothing { None, Weight60, Weight90, Weight99, Automatic };

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
  double lastSmoothed() const { return m_smoothed; }
  double minimum() const { return m_minimum; }
  double maximum() const { return m_maximum; }

  /// Returns at most 2 * columns points: the smallest and the largest value in each column, in the
  /// order of their steps. The points cover the steps from `from` to `to`, and the nearest buckets
  /// outside this range, so that lines reach the edges of a plot.
  std::vector<CurvePoint> envelope(double from, double to, int columns) const;
  /// Returns at most `columns` points of the moving average for the same steps as envelope().
  std::vector<CurvePoint> smoothed(double from, double to, int columns,
                                   Smoothing smoothing = Smoothing::Automatic) const;
  /// Returns the values of the bucket nearest to the step, or nullopt if the series is empty.
  std::optional<CurveReading> near(double step, Smoothing smoothing = Smoothing::Automatic) const;
  /// Sets the number of steps over which Automatic averages.
  void setSmoothingSteps(double steps) { m_smoothingSteps = steps; }
  /// Returns the first steps with a value that is not finite, at most 100.
  const std::vector<double>& nonFiniteSteps() const { return m_nonFinite; }

 private:
  // The number of Smoothing values except None
  static constexpr size_t kNumAverages = 4;
  struct Bucket {
    float firstStep, lastStep;
    float minimum, maximum;
    bool isMinimumFirst;
    // The averages at the last step of the bucket
    std::array<float, kNumAverages> smoothed;
    uint32_t count;
  };
  void updateAverages(double value);
  static float averageIn(const Bucket& bucket, Smoothing smoothing);
  void merge();
  size_t lowerBucket(double step) const;

  std::vector<Bucket> m_buckets;
  std::vector<double> m_nonFinite;
  uint32_t m_stepsPerBucket = 1;
  size_t m_count = 0;
  double m_lastStep = 0, m_lastValue = 0, m_smoothed = 0, m_smoothingSteps = 50;
  // The averages with fixed weights before the bias correction
  std::array<double, kNumAverages - 1> m_weighted{};
  // For each of these averages, the weight of its initial value 0
  std::array<double, kNumAverages - 1> m_pastWeight{1, 1, 1};
  double m_minimum = 0, m_maximum = 0;
};

/// The series of a run by name, such as "loss", "val_loss", "accuracy" and "learning_rate".
class MetricHistory {
 public:
  /// Returns the series with this name, and creates it if it does not exist.
  MetricSeries& series(std::string_view name);
  /// Returns null if there is no series with this name.
  const MetricSeries* find(std::string_view name) const;
  std::vector<std::string> names() const;
  void clear() { m_series.clear(); }

 private:
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

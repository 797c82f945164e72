// SPDX-License-Identifier: GPL-3.0-or-later
// Stores the metrics of a run in memory. A series has at most kMaxBuckets buckets with minimum and
// maximum, regardless of the number of steps. The exact values are in the run's history file. This
// file does not use Qt, so that the thread sanitizer can check it. Thread: the GUI thread only,
// except for StagedSteps.
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

/// The weight of the past in an exponential moving average: 0, 0.6, 0.9 or 0.99. Automatic averages
/// over a hundredth of the run.
enum class Smoothing { None, Weight60, Weight90, Weight99, Automatic };

/// A metric near a step: one value, or the range of several values stored together.
struct CurveReading {
  double firstStep = 0, lastStep = 0, minimum = 0, maximum = 0, smoothed = 0;
};

/// Stores one metric by step, in bounded memory.
class MetricSeries {
 public:
  static constexpr size_t kMaxBuckets = 65536;

  /// Requires increasing steps. Values that are not finite are stored separately as marks.
  void append(double step, double value);
  bool isEmpty() const { return m_buckets.empty(); }
  size_t count() const { return m_count; }
  double lastStep() const { return m_lastStep; }
  double lastValue() const { return m_lastValue; }
  double lastSmoothed() const { return m_smoothed; }
  double minimum() const { return m_minimum; }
  double maximum() const { return m_maximum; }

  /// Returns at most 2 * columns points of the range [from, to]. These are the smallest and the
  /// largest value of each column, ordered by step.
  std::vector<CurvePoint> envelope(double from, double to, int columns) const;
  /// Returns the moving average of every step, reduced to at most `columns` points.
  std::vector<CurvePoint> smoothed(double from, double to, int columns,
                                   Smoothing smoothing = Smoothing::Automatic) const;
  /// Returns the value nearest to the step, or nullopt for an empty series.
  std::optional<CurveReading> near(double step, Smoothing smoothing = Smoothing::Automatic) const;
  /// Sets the number of steps over which Automatic averages.
  void setSmoothingSteps(double steps) { m_smoothingSteps = steps; }
  /// Returns at most the first 100 steps with a value that is not finite.
  const std::vector<double>& nonFiniteSteps() const { return m_nonFinite; }

 private:
  // The number of Smoothing values without None.
  static constexpr size_t kNumAverages = 4;
  struct Bucket {
    float firstStep, lastStep;
    float minimum, maximum;
    bool isMinimumFirst;
    // The averages at the last step of the bucket.
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
  // The averages before the bias correction for the first steps.
  std::array<double, kNumAverages - 1> m_weighted{}, m_pastWeight{1, 1, 1};
  double m_minimum = 0, m_maximum = 0;
};

/// The series of a run by name, such as "loss", "accuracy", "val_loss", "val_accuracy",
/// "samples_per_second", "memory" and "learning_rate".
class MetricHistory {
 public:
  MetricSeries& series(std::string_view name);
  const MetricSeries* find(std::string_view name) const;
  std::vector<std::string> names() const;
  void clear() { m_series.clear(); }

 private:
  std::map<std::string, MetricSeries, std::less<>> m_series;
};

/// Passes rows of doubles from the training thread to the window. Thread: the training thread calls
/// append(), and the GUI thread calls take(). Neither waits longer than the other takes to copy a
/// row or swap two vectors.
class StagedSteps {
 public:
  void reset(size_t columns);
  /// `row` must have the number of columns given to reset().
  void append(const double* row);
  /// Swaps the waiting rows into `rows`, so that the capacity of `rows` is reused. Returns the
  /// number of columns.
  size_t take(std::vector<double>& rows);

 private:
  std::mutex m_mutex;
  std::vector<double> m_rows;
  size_t m_columns = 0;
};

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// Adds the steps and validations of a run to its series. A run that trains and one that is read
// from files fill their series here, so that both have the same ones:
// - "loss", the metrics, and "val_" before their names for validation;
// - "learning_rate", "samples_per_second", and those of measureName() in core/runs/history.h.
// Not here: the series themselves (metric_history.h). Thread: a value.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/runs/history.h"
#include "core/runs/rate_meter.h"
#include "ui/run/metric_history.h"

namespace strata::ui {

/// Returns the number of steps over which an automatic Smoothing averages in a run of `totalSteps`
/// steps.
double smoothingSteps(int64_t totalSteps);

/// The values of a step. Measures are in the order of Measure, and NaN where they are unknown.
struct HistoryStep {
  double step = 0, seconds = 0, loss = 0, learningRate = 0, samplesPerSecond = 0;
  std::span<const double> metrics;
  std::span<const float> measures;
};
struct HistoryValidation {
  double step = 0, loss = 0;
  std::span<const double> metrics;
};

/// Visits the records of a file in their order, as far as wanted.
class HistoryCursor {
 public:
  using OnStep = std::function<void(const HistoryStep&)>;
  using OnValidation = std::function<void(const HistoryValidation&)>;
  /// `reader` must outlive the cursor.
  explicit HistoryCursor(const HistoryReader& reader);
  bool isAtEnd() const { return m_next >= m_reader.size(); }
  int64_t nextStep() const { return m_reader[m_next].step; }
  /// Returns the training time of the next record. It never decreases, also in a damaged file.
  double nextSeconds() const;
  /// Visits the next record. Requires: !isAtEnd().
  void visit(const OnStep& onStep, const OnValidation& onValidation);
  /// Goes to the next record without visiting this one.
  void skip();
  double seconds() const { return m_seconds; }

 private:
  const HistoryReader& m_reader;
  // Where this version's measures are in the file
  std::array<size_t, kNumMeasures> m_places{};
  size_t m_next = 0;
  RateMeter m_rate;
  // The time at the end of the last step
  double m_seconds = 0;
  // Whether a validation followed it, whose time the next step contains
  bool m_isAfterEpoch = false;
};

/// Visits the steps and validations of a file up to `lastStep`, in their order. Fails: Stopped.
void visitHistory(const HistoryReader& reader, int64_t lastStep, const std::stop_token& stop,
                  const HistoryCursor::OnStep& onStep,
                  const HistoryCursor::OnValidation& onValidation);

class HistoryFiller {
 public:
  /// `history` must outlive the filler.
  HistoryFiller(MetricHistory& history, const std::vector<std::string>& metricNames,
                int64_t totalSteps);
  /// Adds a step. Unknown measures leave no point.
  void add(const HistoryStep& step);
  void add(const HistoryValidation& validation);

 private:
  struct Pair {
    MetricSeries* training;
    MetricSeries* validation;
  };
  MetricHistory& m_history;
  Pair m_loss;
  std::vector<Pair> m_metrics;
  MetricSeries& m_rate;
  MetricSeries& m_speed;
  std::vector<MetricSeries*> m_measures;
};

}  // namespace strata::ui

// SPDX-License-Identifier: GPL-3.0-or-later
// Adds the steps and validations of a run to its series. A run that trains and one that is read
// from files fill their series here, so that both have the same ones:
// - "loss", the metrics, and "val_" before their names for validation;
// - "learning_rate", "samples_per_second", and those of measureName() in core/runs/history.h.
// Not here: the series themselves (metric_history.h). Thread: a value.
#pragma once

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/runs/history.h"
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

/// Visits the steps and validations of a file up to `lastStep`, in their order. Fails: Stopped.
void visitHistory(const HistoryReader& reader, int64_t lastStep, const std::stop_token& stop,
                  const std::function<void(const HistoryStep&)>& onStep,
                  const std::function<void(const HistoryValidation&)>& onValidation);

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

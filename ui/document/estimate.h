// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates the memory and the time of a project. The memory comes from its plan, and the time from
// a few trial steps on this machine, or from the clock of a simulated card. Not here: measurements
// of a run (ui/run). Thread: Estimate is a value. Only the document's estimation thread may use an
// Estimator.
#pragma once

#include <QString>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/check/checked_project.h"
#include "core/project/project.h"
#include "core/train/plan.h"

namespace strata::ui {

struct EstimateRequest {
  quint64 revision = 0;
  Project project;
  bool withTime = true;
};

struct Estimate {
  quint64 revision = 0;
  bool hasMemory = false;
  // The name of the device
  std::string device;
  MemoryFigures memory;
  // Those of `memory` that most views show, and the lower bound of the network
  double peakBytes = 0, lowerBoundBytes = 0, limitBytes = 0;
  bool fits = true;
  // The largest batch size that fits. It is estimated after the memory, so it is absent at first.
  std::optional<int64_t> largestBatch;
  // Bytes at the peak by category
  std::vector<std::pair<std::string, double>> byCategory;
  // Bytes at the peak by layer
  std::map<std::string, double> bytesByLayer;
  // What is live at the peak, largest first; at most kMaxHolders
  std::vector<PlanHolder> atPeak;
  static constexpr size_t kMaxHolders = 20;
  // The reason if hasMemory is false
  QString whyNoMemory;
  // The time for each memory budget; empty until it is estimated
  std::vector<PlanBudget> curve;
  // Changes that make the step fit, if it does not fit; empty until they are estimated
  std::vector<PlanRemedy> remedies;
  // Peak bytes with one sample, if there are no remedies; 0 until it is estimated
  double smallestPeakBytes = 0;
  bool hasTime = false;
  double stepSeconds = 0, totalSeconds = 0;
  // Whether the time leaves out what devices send each other
  bool isPart = false;
  // The times of the step by layer
  LayerTimes times;
  // Whether other programs were busy while times were measured, which are then too long
  bool isBusy = false;
  // The reason if hasTime is false
  QString whyNoTime;
  // The batch size of the plan
  int64_t batchSize = 0;
  // The number of the trial that measured the time. The first trial is 1.
  int64_t trial = 0;
};

/// Returns the warning about times that were measured on a busy machine, or "" if it was not busy.
/// Every view with predicted times shows it.
QString busyWarning(bool wasBusy);

/// Plans a project, and runs trial steps only if an edit affects the memory or the time of a step.
/// The last few results are kept. Therefore a new number of epochs needs no trial, and an undo
/// shows the costs immediately.
class Estimator {
 public:
  using Deliver = std::function<void(const Estimate& estimate)>;
  /// Calls `deliver` with the estimate. If the time is not known yet, calls it first with the
  /// memory alone. Requires: a project without errors.
  void run(const EstimateRequest& request, const std::stop_token& stop, const Deliver& deliver);

 private:
  struct Known {
    std::string key;
    Estimate estimate;
    // Whether the estimate contains the time, or the final reason why there is none
    bool isComplete = false;
  };
  void plan(const CheckedProject& project, const EstimateRequest& request,
            const std::stop_token& stop, const Deliver& deliver, Known& known);
  void keep(Known known);

  // Known results. The most recently used one is first.
  std::deque<Known> m_known;
  int64_t m_trials = 0;
};

}  // namespace strata::ui

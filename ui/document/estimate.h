// SPDX-License-Identifier: GPL-3.0-or-later
// Estimates what a design needs: the memory from its plan, the time from three trial steps on this
// machine. The measurements of a run are in run_controller. Thread: Estimate is a value. An
// Estimator belongs to the document's estimation thread.
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
  double peakBytes = 0, lowerBoundBytes = 0, limitBytes = 0;
  bool fits = true;
  // Available together with the time.
  std::optional<int64_t> largestBatch;
  // Bytes by category at the peak of memory.
  std::vector<std::pair<std::string, double>> byCategory;
  // Bytes by layer at the peak of memory.
  std::map<std::string, double> bytesByLayer;
  // A sentence that gives the reason if hasMemory is false.
  QString whyNoMemory;
  // The time that each memory budget costs. Available together with the time.
  std::vector<PlanBudget> curve;
  // Changes that make a step fit if it does not. Available together with the time.
  std::vector<PlanRemedy> remedies;
  // The peak for one sample, if no remedy fits. Available together with the time.
  double smallestPeakBytes = 0;
  bool hasTime = false;
  double stepSeconds = 0, totalSeconds = 0;
  // Time of the forward and backward passes in one step.
  std::map<std::string, double> secondsByLayer;
  QString whyNoTime;
  // The batch size of the plan.
  int64_t batchSize = 0;
  // The number of the trial that measured the time, counted from 1.
  int64_t trial = 0;
};

/// Plans a design and runs trial steps only if an edit affects the memory or time. The last few
/// results are kept. Therefore editing the epochs repeats no trial, and an undo shows the costs at
/// once.
class Estimator {
 public:
  using Deliver = std::function<void(const Estimate& estimate)>;
  /// Requires a project without errors. Delivers the memory first if the time needs a trial.
  void run(const EstimateRequest& request, const std::stop_token& stop, const Deliver& deliver);

 private:
  struct Known {
    std::string key;
    Estimate estimate;
    // True if the estimate has the time, or the reason why it is missing.
    bool isComplete = false;
  };
  void plan(const CheckedProject& project, const EstimateRequest& request,
            const std::stop_token& stop, const Deliver& deliver, Known& known);
  void keep(Known known);

  // The newest result is first.
  std::deque<Known> m_known;
  int64_t m_trials = 0;
};

}  // namespace strata::ui

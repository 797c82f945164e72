// SPDX-License-Identifier: GPL-3.0-or-later
// What a design needs: memory from its plan, time from three trial steps on this machine. Not the
// run's measurements (run_controller). Thread: values; an Estimator belongs to the document's
// estimating thread.
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
  std::optional<int64_t> largestBatch;                     // known together with the time
  std::vector<std::pair<std::string, double>> byCategory;  // at the peak
  std::map<std::string, double> bytesByLayer;              // at the peak
  QString whyNoMemory;                                     // a sentence, where !hasMemory
  std::vector<PlanBudget> curve;                           // what less memory costs; known together with the time
  std::vector<PlanRemedy> remedies;                        // where it does not fit, likewise
  double smallestPeakBytes = 0;                            // of one sample, where nothing would fit, likewise
  bool hasTime = false;
  double stepSeconds = 0, totalSeconds = 0;
  std::map<std::string, double> secondsByLayer;  // of one step, forward and backward
  QString whyNoTime;
  int64_t batchSize = 0;  // of the plan
  int64_t trial = 0;      // the trial that measured the time, counted from 1
};

/// Plans and tries a design only where something that decides its memory or time was edited: the
/// last few are kept, so that an edit of epochs repeats no trial, and an undo has its figures at
/// once.
class Estimator {
 public:
  using Deliver = std::function<void(const Estimate& estimate)>;
  /// Requires: a project without errors. Delivers memory alone first where the time takes a trial.
  void run(const EstimateRequest& request, const std::stop_token& stop, const Deliver& deliver);

 private:
  struct Known {
    std::string key;
    Estimate estimate;
    bool isComplete = false;  // with time, or with the reason that there is none
  };
  void plan(const EstimateRequest& request, const std::stop_token& stop, const Deliver& deliver, Known& known);
  void keep(Known known);

  std::deque<Known> m_known;  // newest first
  int64_t m_trials = 0;
};

}  // namespace strata::ui

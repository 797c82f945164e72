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
  // Known together with the time
  std::optional<int64_t> largestBatch;
  // At the peak
  std::vector<std::pair<std::string, double>> byCategory;
  // At the peak
  std::map<std::string, double> bytesByLayer;
  // A sentence, where !hasMemory
  QString whyNoMemory;
  // What less memory costs; known together with the time
  std::vector<PlanBudget> curve;
  // Where it does not fit, likewise
  std::vector<PlanRemedy> remedies;
  // Of one sample, where nothing would fit, likewise
  double smallestPeakBytes = 0;
  bool hasTime = false;
  double stepSeconds = 0, totalSeconds = 0;
  // Of one step, forward and backward
  std::map<std::string, double> secondsByLayer;
  QString whyNoTime;
  // Of the plan
  int64_t batchSize = 0;
  // The trial that measured the time, counted from 1
  int64_t trial = 0;
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
    // With time, or with the reason that there is none
    bool isComplete = false;
  };
  void plan(const CheckedProject& project, const EstimateRequest& request,
            const std::stop_token& stop, const Deliver& deliver, Known& known);
  void keep(Known known);

  // Newest first
  std::deque<Known> m_known;
  int64_t m_trials = 0;
};

}  // namespace strata::ui

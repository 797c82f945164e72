// SPDX-License-Identifier: GPL-3.0-or-later
// What a design needs: memory from its plan, time from three trial steps on this machine. Not the run's measurements (run_controller).
// Thread: values; makeEstimate is called on the document's estimating thread.
#pragma once

#include <QString>
#include <cstdint>
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
};

/// Requires: a project without errors. `deliver` is called once with memory alone and, where asked, again with time.
void makeEstimate(const EstimateRequest& request, const std::stop_token& stop, const std::function<void(const Estimate&)>& deliver);

}  // namespace strata::ui

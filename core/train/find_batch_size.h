// SPDX-License-Identifier: Apache-2.0
// Finds the largest batch size for this machine, from the memory plan, and confirms it by a real
// step on the data of the project. Smaller sizes are timed to find the fastest one. Not here: the
// search itself (batch_search.h).
// Thread: blocks the caller; do not call it on the thread of the window.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/project/project.h"

namespace strata {

struct FindBatchRequest {
  std::string device;
  int threads = 0, niceness = 0;
  // Absent: the project's, or else the available memory of the device
  std::optional<size_t> memoryLimitBytes;
  // After this time, only the largest of the remaining sizes is tried, with one step
  double seconds = 20;
  // Fails: Stopped
  std::stop_token stop;
};

struct TriedBatch {
  int64_t batchSize = 0;
  // Memory that was planned, and memory that was allocated
  size_t plannedBytes = 0, peakBytes = 0;
  // The fastest of a few steps
  double stepMicroseconds = 0;
  double samplesPerSecond = 0;
  // Why the step could not run; "": it ran
  std::string problem;
};

struct FoundBatch {
  size_t limitBytes = 0;
  // By the memory plan, regardless of the number of samples; absent: no batch fits
  std::optional<int64_t> largestPlanned;
  // Powers of two up to that size, and the size itself
  std::vector<TriedBatch> tried;
  // The largest size whose step ran
  std::optional<int64_t> largestConfirmed;
  // The size with the most samples per second; of nearly equal ones the smallest
  std::optional<int64_t> fastest;
};

/// Requires: a valid project. Fails like Network; Stopped.
FoundBatch findBatchSize(const CheckedProject& project, const FindBatchRequest& request,
                         const std::function<void(const TriedBatch&)>& onTried = {});

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// The largest batch that trains here: by the memory plan, then confirmed by a real step on the
// project's data; with what smaller ones take, so that the fastest is known, too. Thread: blocks
// the caller; call it off the window's thread.
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
  // Else the project's, else what the device has available
  std::optional<size_t> memoryLimitBytes;
  // Once all steps took this long, of those left only the largest is tried, with one step
  double seconds = 20;
  // Fails: Stopped
  std::stop_token stop;
};

struct TriedBatch {
  int64_t batchSize = 0;
  // What the step was planned for, and what it held
  size_t plannedBytes = 0, peakBytes = 0;
  // Best of a few
  double stepMicroseconds = 0;
  double samplesPerSecond = 0;
  // Why its step could not be run, "" it ran
  std::string problem;
};

struct FoundBatch {
  size_t limitBytes = 0;
  // By the plan, however many samples there are; absent: none fits
  std::optional<int64_t> largestPlanned;
  // Powers of two up to it, and itself
  std::vector<TriedBatch> tried;
  // Whose step ran
  std::optional<int64_t> largestConfirmed;
  // Most samples a second among those that ran; of nearly equal ones the smaller
  std::optional<int64_t> fastest;
};

/// Requires: a valid project. Fails: as Network; Stopped.
FoundBatch findBatchSize(const CheckedProject& project, const FindBatchRequest& request,
                         const std::function<void(const TriedBatch&)>& onTried = {});

}  // namespace strata

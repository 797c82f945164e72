// SPDX-License-Identifier: Apache-2.0
// The largest batch that trains here: by the memory plan, then confirmed by a real step on the project's data; with what smaller ones take, so that the
// fastest is known, too. Thread: blocks the caller; call it off the window's thread.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/project/project.h"

namespace strata {

struct FindBatchRequest {
  std::string device;
  int threads = 0, niceness = 0;
  std::optional<size_t> memoryLimitBytes;  // else the project's, else what the device has available
  double seconds = 20;                     // once all steps took this long, of those left only the largest is tried, with one step
  std::stop_token stop;                    // Fails: Stopped
};

struct TriedBatch {
  int64_t batchSize = 0;
  size_t plannedBytes = 0, peakBytes = 0;  // what the step was planned for, and what it held
  double stepMicroseconds = 0;             // best of a few
  double samplesPerSecond = 0;
  std::string problem;  // why its step could not be run, "" it ran
};

struct FoundBatch {
  size_t limitBytes = 0;
  std::optional<int64_t> largestPlanned;    // by the plan, however many samples there are; absent: none fits
  std::vector<TriedBatch> tried;            // powers of two up to it, and itself
  std::optional<int64_t> largestConfirmed;  // whose step ran
  std::optional<int64_t> fastest;           // most samples a second among those that ran; of nearly equal ones the smaller
};

/// Requires: a valid project. Fails: as Network; Stopped.
FoundBatch findBatchSize(const Project& project, const FindBatchRequest& request,
                         const std::function<void(const TriedBatch&)>& onTried = {});

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Finds the largest batch size for this machine from the memory plan, and confirms it with a real
// step on the data of the project. Smaller sizes are timed to find the fastest one. Not here: the
// search itself (batch_search.h).
// Thread: the function blocks the calling thread, so do not call it on the GUI thread.
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
  // Memory limit; absent to use the project's limit or the available memory of the device
  std::optional<size_t> memoryLimitBytes;
  // After this time, only the largest remaining size is tried, with a single step.
  double seconds = 20;
  // A stop request ends the search, which then fails with Stopped.
  std::stop_token stop;
};

struct TriedBatch {
  int64_t batchSize = 0;
  // Bytes according to the memory plan, and allocated bytes
  size_t plannedBytes = 0, peakBytes = 0;
  // Time of the fastest step
  double stepMicroseconds = 0;
  double samplesPerSecond = 0;
  // The reason why the step could not run; "" if it ran
  std::string problem;
};

struct FoundBatch {
  size_t limitBytes = 0;
  // The largest batch size according to the memory plan, regardless of the number of samples;
  // absent if no batch fits
  std::optional<int64_t> largestPlanned;
  // The tried sizes: powers of two from 8 on, and the largest size
  std::vector<TriedBatch> tried;
  // The largest size whose step ran
  std::optional<int64_t> largestConfirmed;
  // The size with the most samples per second. Among nearly equal throughputs, it is the smallest
  // size.
  std::optional<int64_t> fastest;
};

/// Finds the largest and the fastest batch size. Calls `onTried` after each size. Requires: a valid
/// project. Fails with the errors of Network, or with Stopped.
FoundBatch findBatchSize(const CheckedProject& project, const FindBatchRequest& request,
                         const std::function<void(const TriedBatch&)>& onTried = {});

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// What a training step will need, before training: shapes, parameters, multiply-adds, memory by category, the largest batch that fits, step time.
// Thread: blocks the caller; call it off the window's thread.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/model/model.h"
#include "gpu/memory/liveness.h"

namespace strata {

struct PlanOptions {
  std::string device = "auto";
  int threads = 0;
  int64_t batchSize = 0;                   // 0: the project's
  std::optional<size_t> memoryLimitBytes;  // else the project's, else what the device has
  bool findsLargestBatch = true;
  bool measuresStepTime = true;  // three trial steps on data of zeros after a warm-up
  int niceness = 0;
  std::stop_token stop;  // Fails: Stopped
};

struct PlanLayer {
  LayerSummary summary;
  size_t bytesAtPeak = 0;
  std::optional<double> stepMicroseconds;  // measured on the trial steps
};

struct TrainingPlan {
  std::string device;
  int64_t batchSize = 0;
  MemoryPlan memory;  // of the training step
  size_t peakBytes = 0, lowerBoundBytes = 0, limitBytes = 0;
  bool fits = false;
  std::optional<int64_t> largestBatch;  // absent: none fits, or not asked
  std::vector<PlanLayer> layers;
  int64_t parameters = 0;
  double multiplyAdds = 0;
  std::optional<double> stepMicroseconds;  // absent: whyNoStepTime
  std::string whyNoStepTime;
};

/// Requires: a valid project. Fails: as compile; Stopped.
TrainingPlan planTraining(const Project& project, const PlanOptions& options);

}  // namespace strata

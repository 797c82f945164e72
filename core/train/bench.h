// SPDX-License-Identifier: Apache-2.0
// Steady training throughput from memory: forward, backward, update; set-up apart. Thread: blocks
// the caller.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/project/project.h"
#include "core/recipe/options.h"
#include "gpu/cost/machine_limits.h"

namespace strata {

struct BenchOptions {
  std::string device = "auto";
  int threads = 0;
  // Of first_loss, last_loss and weights_hash; the timed windows run apart from them
  int64_t steps = 20;
  // 0: the project's
  int64_t batchSize = 0;
  // These two: else the project's
  std::optional<size_t> memoryLimitBytes;
  std::optional<Recompute> recompute;
  // At least 7 of at least windowSeconds
  int windows = 7;
  double windowSeconds = 0.3;
};

struct BenchOp {
  std::string op, layer, implementation;
  // A step
  int64_t calls = 0;
  // A step
  double microseconds = 0;
  // Nominal arithmetic, and operands read and written: a step
  double flops = 0, bytes = 0;
};

struct BenchReport {
  std::string project, device;
  int threads = 1;
  int64_t batchSize = 0, steps = 0;
  // Of the project, whose first one is timed
  int64_t stages = 1;
  double setupSeconds = 0, wallSeconds = 0;
  // Of window means
  double stepMicrosecondsMedian = 0, stepMicrosecondsMin = 0, stepMicrosecondsMax = 0;
  double samplesPerSecond = 0;
  size_t peakBytes = 0;
  double firstLoss = 0, lastLoss = 0;
  // Equal to `train --steps N` with the same seed, where no setting changes and no stage begins
  // before that
  std::string weightsHash;
  // Of a step: nominal arithmetic (a multiply-add is two), and operands read and written by all
  // nodes
  double flops = 0, bytes = 0;
  // Measured between the windows
  MachineLimits limits;
  // Of plain steps
  double forwardFraction = 0, backwardFraction = 0, updateFraction = 0;
  // How much longer a step takes that is measured node by node
  double watchingFraction = 0;
  std::vector<BenchOp> byOp;

  /// Shares of the machine's limits that a step reaches. Fast convolutions do less than the nominal
  /// arithmetic, and operands in caches count as well, so both may pass 1.
  double shareOfFlops() const {
    return flops / stepMicrosecondsMedian * 1e6 / limits.flopsPerSecond;
  }
  double shareOfBandwidth() const {
    return bytes / stepMicrosecondsMedian * 1e6 / limits.memory.bytesPerSecond;
  }
};

/// Requires: a valid project. Fails: as compile and data loading.
BenchReport benchProject(const CheckedProject& project, const BenchOptions& options);

}  // namespace strata

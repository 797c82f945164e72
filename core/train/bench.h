// SPDX-License-Identifier: Apache-2.0
// Measures the steady training throughput with all batches in memory: forward, backward and update,
// without set-up. Not here: timing single kernels (gpu/cost). Thread: blocks the caller.
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
  // Steps that give first_loss, last_loss and weights_hash; the timed windows run afterwards
  int64_t steps = 20;
  // 0: the project's
  int64_t batchSize = 0;
  // Absent: the project's
  std::optional<size_t> memoryLimitBytes;
  std::optional<Recompute> recompute;
  // Number of timed windows, and their minimum length
  int windows = 7;
  double windowSeconds = 0.3;
};

struct BenchOp {
  std::string op, layer, implementation;
  // All of these per step
  int64_t calls = 0;
  double microseconds = 0;
  // Nominal arithmetic, and bytes of operands read and written
  double flops = 0, bytes = 0;
};

struct BenchReport {
  std::string project, device;
  int threads = 1;
  int64_t batchSize = 0, steps = 0;
  // Number of stages of the project; the first one is timed
  int64_t stages = 1;
  double setupSeconds = 0, wallSeconds = 0;
  // Over the means of the windows
  double stepMicrosecondsMedian = 0, stepMicrosecondsMin = 0, stepMicrosecondsMax = 0;
  double samplesPerSecond = 0;
  size_t peakBytes = 0;
  double firstLoss = 0, lastLoss = 0;
  // Equals that of `train --steps N` with the same seed, unless a setting changes or a stage begins
  // before step N
  std::string weightsHash;
  // Per step: nominal arithmetic (a multiply-add counts as two), and bytes of operands read and
  // written by all nodes
  double flops = 0, bytes = 0;
  // Measured between the windows
  MachineLimits limits;
  // In steps without profiling
  double forwardFraction = 0, backwardFraction = 0, updateFraction = 0;
  // Profiling overhead: the slowdown of a step measured node by node
  double watchingFraction = 0;
  std::vector<BenchOp> byOp;

  /// Fractions of the machine's limits that a step reaches. Both may exceed 1: fast convolutions do
  /// less than the nominal arithmetic, and operands found in caches count.
  double shareOfFlops() const {
    return flops / stepMicrosecondsMedian * 1e6 / limits.flopsPerSecond;
  }
  double shareOfBandwidth() const {
    return bytes / stepMicrosecondsMedian * 1e6 / limits.memory.bytesPerSecond;
  }
};

/// Requires: a valid project. Fails like compiling and loading data.
BenchReport benchProject(const CheckedProject& project, const BenchOptions& options);

}  // namespace strata

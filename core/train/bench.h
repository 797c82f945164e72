// SPDX-License-Identifier: Apache-2.0
// Measures the training throughput with all batches in memory. The times include forward, backward
// and update, but not the set-up. Not here: timing single kernels (gpu/cost). Thread: the function
// blocks the calling thread.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/project/project.h"
#include "core/recipe/options.h"
#include "core/train/memory_figures.h"
#include "gpu/cost/machine_limits.h"

namespace strata {

struct BenchOptions {
  // Name of the device; "" for the project's
  std::string device = {};
  int threads = 0;
  // Number of steps that produce first_loss, last_loss and weights_hash. The timed windows run
  // after these steps.
  int64_t steps = 20;
  // Batch size; 0 for the project's batch size
  int64_t batchSize = 0;
  // These members override values of the project; absent to use the project's values.
  std::optional<size_t> memoryLimitBytes;
  std::optional<Recompute> recompute;
  // Number of timed windows, and the minimum length of a window
  int windows = 7;
  double windowSeconds = 0.3;
  // Asks to end early. Fails then: Stopped
  std::stop_token stop;
};

struct BenchOp {
  std::string op, layer, implementation;
  // Number of calls, and time in one step
  int64_t calls = 0;
  double microseconds = 0;
  // Nominal floating-point operations, and bytes of operands read and written
  double flops = 0, bytes = 0;
};

struct BenchReport {
  std::string project, device;
  int threads = 1;
  int64_t batchSize = 0, steps = 0;
  // Number of the project's stages. Only the first stage is timed.
  int64_t stages = 1;
  double setupSeconds = 0, wallSeconds = 0;
  // Whether all times are predictions from a data sheet, because the card is simulated
  bool isPredicted = false;
  // Statistics of the mean step times of the windows
  double stepMicrosecondsMedian = 0, stepMicrosecondsMin = 0, stepMicrosecondsMax = 0;
  double samplesPerSecond = 0;
  int replicas = 1;
  // The speed of one of several replicas that trains alone on its share of the batches
  double oneReplicaSamplesPerSecond = 0;
  // The speed of 1, 2, .. replicas that share the same batches; empty with one device
  struct Scaling {
    int replicas = 1;
    double samplesPerSecond = 0;
    // Of as many times the speed of one device
    double efficiency = 1;
  };
  std::vector<Scaling> scaling;
  size_t peakBytes = 0;
  // The memory of a device that has its own, after the first steps, and what all programs use of it
  std::optional<MemoryFigures> deviceMemory;
  size_t usedBytes = 0;
  double firstLoss = 0, lastLoss = 0;
  // Hash of the weights after `steps` steps. It equals the hash of `train --steps N` with the same
  // seed, unless a setting changes or a stage begins before step N.
  std::string weightsHash;
  // Values per step: nominal floating-point operations (a multiply-add counts as two), and bytes of
  // operands that all nodes read and write
  double flops = 0, bytes = 0;
  // Limits measured between the windows, or those of the data sheet
  MachineLimits limits;
  // Fractions of the step time, measured without profiling
  double forwardFraction = 0, backwardFraction = 0, updateFraction = 0;
  // Profiling overhead, as the slowdown of a step that is measured node by node
  double watchingFraction = 0;
  std::vector<BenchOp> byOp;

  /// Returns how much of the speed of N replicas that train alone they reach side by side.
  double efficiency() const {
    if (oneReplicaSamplesPerSecond == 0) return 1;
    return samplesPerSecond / (replicas * oneReplicaSamplesPerSecond);
  }
  /// These functions return the fractions of the machine's limits that a step reaches. Both may
  /// exceed 1: fast convolutions need less than the nominal number of operations, and some operands
  /// come from caches.
  double shareOfFlops() const {
    if (limits.flopsPerSecond == 0) return 0;
    return flops / stepMicrosecondsMedian * 1e6 / limits.flopsPerSecond;
  }
  double shareOfBandwidth() const {
    if (limits.memory.bytesPerSecond == 0) return 0;
    return bytes / stepMicrosecondsMedian * 1e6 / limits.memory.bytesPerSecond;
  }
};

/// Measures the first stage of a project. Requires: a valid project. Fails with the errors of
/// Network and loadDataset(), or with NonFinite.
BenchReport benchProject(const CheckedProject& project, const BenchOptions& options);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Plans the memory of a training step with all micro-batches of an update, under a limit. Allocates
// no memory on the device. Not here: times and remedies (planner.h).
// Thread: only the thread of the StepBuilder may call these functions.
#pragma once

#include <vector>

#include "core/train/step_builder.h"

namespace strata {

MemoryPlan planGraph(StepBuilder& steps, const Graph& graph);

/// Memory of another step that a step has to reserve.
struct ReservedBytes {
  size_t inputs = 0, constants = 0;
};
/// Adds reserved memory to the plan `memory` of a step. The step uses the inputs of the largest
/// step, `first`, and the constants of `first` stay allocated. Additional inputs count for the
/// layer `input`, and additional constants for no layer. Returns the added bytes.
ReservedBytes reserve(MemoryPlan& memory, const MemoryPlan& first, const std::string& input);

/// The step of a micro-batch without recomputation, with the workspaces of the device's kernels.
struct KeptMicroBatch {
  MicroBatch piece;
  Graph graph;
  MemoryPlan memory;
  /// Whether the batch cannot be divided into micro-batches, because its loss is not a mean over
  /// samples or it takes state from the previous batch.
  bool isCountedOver = false;
};

/// Returns the steps of the micro-batches, with one entry for each size and kind of micro-batch.
/// The step of the first entry updates the weights.
std::vector<KeptMicroBatch> keptMicroBatches(StepBuilder& steps,
                                             const std::vector<MicroBatch>& pieces);

struct PlannedMicroBatch {
  // Nodes that recompute values have ids from keptNodes on.
  Graph graph;
  int keptNodes = 0;
  RecomputeChoice choice;
  MemoryPlan memory;
  // Bytes reserved for other steps, which `memory` includes
  ReservedBytes reserved;
};

struct PlannedStep {
  // Micro-batches in the given order
  std::vector<PlannedMicroBatch> pieces;
  // Index of the micro-batch with the highest peak
  size_t largest = 0;
  // The peak of the micro-batch `largest`
  size_t peakBytes = 0;
  // The highest peak without recomputation
  size_t keptPeakBytes = 0;
  const PlannedMicroBatch& updating() const { return pieces.front(); }
  bool changesSomething() const;
  /// Returns the largest number of recomputed operations in a micro-batch.
  size_t maxRecomputed() const;
};

PlannedStep planStep(StepBuilder& steps, const std::vector<KeptMicroBatch>& pieces, Recompute how,
                     size_t limitBytes);

/// Returns the layers whose operations a step recomputes, in the order of the step. Each occurs
/// once. `pieces` are those that the step was planned for.
std::vector<std::string> repeatedLayers(const PlannedStep& step,
                                        const std::vector<KeptMicroBatch>& pieces);

}  // namespace strata

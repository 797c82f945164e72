// SPDX-License-Identifier: Apache-2.0
// Plans the memory of a training step as it will run: under a limit, with all micro-batches of an
// update. Nothing is allocated. Not here: times, remedies, texts (plan.cpp).
// Thread: that of the StepBuilder.
#pragma once

#include <vector>

#include "core/train/step_builder.h"

namespace strata {

MemoryPlan planGraph(StepBuilder& steps, const Graph& graph);

/// Memory of another step that a step has to reserve.
struct ReservedBytes {
  size_t inputs = 0, constants = 0;
};
/// A step uses the inputs of the largest step, `first`, while the constants of that step stay
/// allocated. Adds these bytes to the peak, inputs to the layer `input` and constants to no layer.
ReservedBytes reserve(MemoryPlan& memory, const MemoryPlan& first, const std::string& input);

/// The step of a micro-batch without recomputation, with the workspaces of the device's kernels.
struct KeptPiece {
  MicroBatch piece;
  Graph graph;
  MemoryPlan memory;
  /// The batch can't be cut into micro-batches: its loss is not a mean over samples, or it carries
  /// states from the previous batch.
  bool isCountedOver = false;
};

/// One for each size and kind of micro-batch; the first one updates the weights.
std::vector<KeptPiece> keptPiecesOf(StepBuilder& steps, const std::vector<MicroBatch>& pieces);

struct PlannedPiece {
  // Recomputing nodes have ids from keptNodes on
  Graph graph;
  int keptNodes = 0;
  RecomputeChoice choice;
  MemoryPlan memory;
  // Included in `memory`
  ReservedBytes reserved;
};

struct PlannedStep {
  // In the given order
  std::vector<PlannedPiece> pieces;
  // Index of the piece with the highest peak
  size_t largest = 0;
  // The peak of that piece
  size_t peakBytes = 0;
  // The highest peak without recomputation
  size_t keptPeakBytes = 0;
  const PlannedPiece& updating() const { return pieces.front(); }
  bool changesSomething() const;
  /// The largest number of recomputed operations in a piece.
  size_t mostRepeated() const;
};

PlannedStep planStep(StepBuilder& steps, const std::vector<KeptPiece>& pieces, Recompute how,
                     size_t limitBytes);

}  // namespace strata

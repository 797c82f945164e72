// SPDX-License-Identifier: Apache-2.0
// The memory of a training step before training: as it will run, under a limit, in all pieces of an
// update. Nothing is allocated.
// Not here: times, remedies, what a person is told (plan.cpp). Thread: as StepBuilder.
#pragma once

#include <vector>

#include "core/train/step_builder.h"

namespace strata {

MemoryPlan planGraph(StepBuilder& steps, const Graph& graph);

/// What a step holds besides its own.
struct ReservedBytes {
  size_t inputs = 0, constants = 0;
};
/// A step runs in the inputs of the largest one, `first`, and beside its constants: that is counted
/// at the peak, under the Input layer `input` and no layer.
ReservedBytes reserve(MemoryPlan& memory, const MemoryPlan& first, const std::string& input);

/// A piece with nothing recomputed. Workspaces are those of the kernels the device makes.
struct KeptPiece {
  MicroBatch piece;
  Graph graph;
  MemoryPlan memory;
  /// Its loss is counted by more than samples, or a batch goes on from the one before: no piece may
  /// be taken by itself.
  bool isCountedOver = false;
};

/// Each size and kind among the pieces, that which updates first.
std::vector<KeptPiece> keptPiecesOf(StepBuilder& steps, const std::vector<MicroBatch>& pieces);

struct PlannedPiece {
  // Nodes that were added have the ids from keptNodes on
  Graph graph;
  int keptNodes = 0;
  RecomputeChoice choice;
  MemoryPlan memory;
  // Counted in `memory`
  ReservedBytes reserved;
};

struct PlannedStep {
  // As they were given
  std::vector<PlannedPiece> pieces;
  // Whose values take the most
  size_t largest = 0;
  // Of all together
  size_t peakBytes = 0;
  // With nothing recomputed
  size_t keptPeakBytes = 0;
  const PlannedPiece& updating() const { return pieces.front(); }
  bool changesSomething() const;
  // Operations of a piece
  size_t mostRepeated() const;
};

PlannedStep planStep(StepBuilder& steps, const std::vector<KeptPiece>& pieces, Recompute how,
                     size_t limitBytes);

}  // namespace strata

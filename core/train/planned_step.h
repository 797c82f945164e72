// SPDX-License-Identifier: Apache-2.0
// The memory of a training step before training: as it will run, under a limit, in all pieces and batches of an update. Nothing is allocated.
// Not here: times, remedies, what a person is told (plan.cpp). Thread: as Network.
#pragma once

#include <optional>
#include <vector>

#include "core/train/network.h"

namespace strata {

/// A piece of an update with nothing recomputed. Workspaces are those of the kernels the device makes.
struct KeptPiece {
  MicroBatch piece;
  Graph graph;
  MemoryPlan memory;
};

/// The piece of a batch of `samples` that updates, then those of other sizes and kinds, those of a ragged last batch of `ragged` samples (0: none) among them.
std::vector<KeptPiece> keptPiecesOf(Network& network, int64_t samples, int64_t ragged);

struct PlannedStep {
  Graph graph;  // of the first piece, as it will run
  RecomputeChoice choice;
  MemoryPlan memory;
  size_t peakBytes = 0;      // of all pieces together
  size_t keptPeakBytes = 0;  // with nothing recomputed
  /// The piece whose values take more than those of the first one, which the rest is said of.
  struct Piece {
    int keptNodes = 0;
    Graph graph;
    MemoryPlan memory;
  };
  std::optional<Piece> largest;
};

PlannedStep planStep(Network& network, const std::vector<KeptPiece>& pieces, Recompute how, size_t limitBytes);

MemoryPlan planGraph(Network& network, const Graph& graph);

}  // namespace strata

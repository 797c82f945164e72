// SPDX-License-Identifier: Apache-2.0
// Computes how many batches are gathered ahead, and how much memory they take. Not here: gathering
// them (core/train/feeder.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/dataset.h"

namespace strata {

/// Returns the number of batches in `samples` samples. The last batch may be smaller.
inline int64_t batchesIn(int64_t samples, int64_t batchSize) {
  return (samples + batchSize - 1) / batchSize;
}

/// Returns how many batches with arrays of these sizes are gathered at once. The batches are few
/// enough to stay in the second-level cache of a core until their step. Returns 1 if a batch is
/// split into micro-batches.
int64_t batchesGatheredAhead(const std::vector<size_t>& arrayBytes, int64_t stepsPerEpoch,
                             int64_t accumulationSteps);
/// The number of batches that are gathered at once, and their memory. If samples are decoded for
/// each batch, memory contains the batch of the current step and the next one.
struct BatchesAhead {
  int64_t batches = 1;
  // Bytes of one batch in the type of the network's inputs
  double batchBytes = 0;
  // Bytes of both batches; 0 if samples are not decoded for each batch
  double decodedBytes = 0;
};
BatchesAhead batchesAhead(const DatasetInfo& info, int64_t batchSize, int64_t accumulationSteps);

/// Returns BatchesAhead::decodedBytes for this batch size, or for the size of the training set if
/// the batch is larger.
double decodedForSteps(const DatasetInfo& info, int64_t batchSize, int64_t accumulationSteps);

}  // namespace strata

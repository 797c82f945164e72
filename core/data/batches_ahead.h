// SPDX-License-Identifier: Apache-2.0
// How many batches are gathered at once, and what that holds in memory. Not here: gathering them
// (core/train/batches.h). Thread: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/dataset.h"

namespace strata {

/// How many batches so many samples make, the last one ragged.
inline int64_t batchesIn(int64_t samples, int64_t batchSize) {
  return (samples + batchSize - 1) / batchSize;
}

/// How many batches of arrays of these sizes are gathered at once: those that still lie in a core's
/// second-level cache when their step comes.
int64_t batchesGatheredAhead(const std::vector<size_t>& arrayBytes, int64_t stepsPerEpoch,
                             int64_t accumulationSteps);
/// What is gathered at once with batches of this size; of samples that are decoded for their
/// batches as much is in memory twice.
struct BatchesAhead {
  int64_t batches = 1;
  // Of one, as the network takes it
  double batchBytes = 0;
  // Of the samples that are decoded for this step and the next; 0: all are in memory
  double decodedBytes = 0;
};
BatchesAhead batchesAhead(const DatasetInfo& info, int64_t batchSize, int64_t accumulationSteps);

/// BatchesAhead::decodedBytes; a batch larger than the data is cut to it.
double decodedForSteps(const DatasetInfo& info, int64_t batchSize, int64_t accumulationSteps);

}  // namespace strata

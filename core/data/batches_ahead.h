// SPDX-License-Identifier: Apache-2.0
// The number of batches gathered ahead, and the memory that they take. Not here: gathering them
// (core/train/feeder.h).
// Thread: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/dataset.h"

namespace strata {

/// The number of batches of so many samples; the last one may be smaller.
inline int64_t batchesIn(int64_t samples, int64_t batchSize) {
  return (samples + batchSize - 1) / batchSize;
}

/// The number of batches of arrays of these sizes that are gathered at once: as many as stay in the
/// second-level cache of a core until their step.
int64_t batchesGatheredAhead(const std::vector<size_t>& arrayBytes, int64_t stepsPerEpoch,
                             int64_t accumulationSteps);
/// What is gathered at once with batches of this size. Samples that are decoded for each batch are
/// in memory for two steps.
struct BatchesAhead {
  int64_t batches = 1;
  // Bytes of one batch, in the type of the network's inputs
  double batchBytes = 0;
  // Bytes of the samples decoded for this step and the next; 0: all samples are in memory
  double decodedBytes = 0;
};
BatchesAhead batchesAhead(const DatasetInfo& info, int64_t batchSize, int64_t accumulationSteps);

/// BatchesAhead::decodedBytes; a batch is at most as large as the data.
double decodedForSteps(const DatasetInfo& info, int64_t batchSize, int64_t accumulationSteps);

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Computes how many batches are gathered ahead, and how much memory they take. Not here: gathering
// them (core/train/feeder.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/dataset.h"

namespace strata {

/// Returns the number of batches. The last one may be smaller.
inline int64_t batchesIn(int64_t samples, int64_t batchSize) {
  return (samples + batchSize - 1) / batchSize;
}

/// Returns how many batches with arrays of these sizes are gathered at once. They must stay in the
/// second-level cache of a core until their step.
int64_t batchesGatheredAhead(const std::vector<size_t>& arrayBytes, int64_t stepsPerEpoch,
                             int64_t accumulationSteps);
/// The batches that are gathered at once, and their memory. Samples that are decoded for each batch
/// are in memory for two steps.
struct BatchesAhead {
  int64_t batches = 1;
  // Bytes of one batch in the type of the network's inputs
  double batchBytes = 0;
  // Bytes of the samples decoded for this step and the next one; 0 if all samples are in memory
  double decodedBytes = 0;
};
BatchesAhead batchesAhead(const DatasetInfo& info, int64_t batchSize, int64_t accumulationSteps);

/// Returns BatchesAhead::decodedBytes. A batch is at most as large as the data.
double decodedForSteps(const DatasetInfo& info, int64_t batchSize, int64_t accumulationSteps);

}  // namespace strata

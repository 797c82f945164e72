// SPDX-License-Identifier: Apache-2.0
#include "core/data/batches_ahead.h"

#include <algorithm>
#include <numeric>

namespace strata {

namespace {

// Batches gathered ahead should still be in the second-level cache of a core when their step
// starts.
constexpr size_t kAheadBytes = 256 * 1024;
constexpr int64_t kMaxBatchesAhead = 64;

}  // namespace

int64_t batchesGatheredAhead(const std::vector<size_t>& arrayBytes, int64_t stepsPerEpoch,
                             int64_t accumulationSteps) {
  // Programs need aligned inputs, but a micro-batch may start anywhere in a batch. Therefore
  // batches are not gathered ahead.
  if (accumulationSteps > 1) return 1;
  size_t bytes = 0;
  for (const size_t each : arrayBytes)
    bytes += (each + 63) / 64 * 64;
  const auto fitting = static_cast<int64_t>(kAheadBytes / std::max<size_t>(1, bytes));
  return std::clamp<int64_t>(std::min(fitting, stepsPerEpoch), 1, kMaxBatchesAhead);
}

BatchesAhead batchesAhead(const DatasetInfo& info, int64_t batchSize, int64_t accumulationSteps) {
  const auto batch = static_cast<size_t>(batchSize);
  std::vector<size_t> arrayBytes;
  for (const DataInput& input : info.inputs)
    arrayBytes.push_back(TensorType{DType::F32, input.shape}.bytes() * batch);
  for (const DataTarget& target : info.targets)
    arrayBytes.push_back(TensorType{DType::F32, target.shape}.bytes() * batch);
  BatchesAhead ahead;
  ahead.batches =
      batchesGatheredAhead(arrayBytes, batchesIn(info.trainCount, batchSize), accumulationSteps);
  ahead.batchBytes =
      static_cast<double>(std::accumulate(arrayBytes.begin(), arrayBytes.end(), size_t{0}));
  if (info.dataset && info.dataset->train->decode) {
    // One batch is used while the next one is decoded
    ahead.batches = 1;
    ahead.decodedBytes = 2 * ahead.batchBytes;
  }
  return ahead;
}

double decodedForSteps(const DatasetInfo& info, int64_t batchSize, int64_t accumulationSteps) {
  const int64_t batch = std::min(batchSize, info.trainCount);
  return batchesAhead(info, std::max<int64_t>(1, batch), accumulationSteps).decodedBytes;
}

}  // namespace strata

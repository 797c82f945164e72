// SPDX-License-Identifier: Apache-2.0
// Kernels at the end of a step: they gather its results in a ring, and stop the stream after a bad
// step (gpu/cuda/cuda_stream.h).
#include "gpu/cuda/kernels/device.cuh"

namespace strata::cuda {

/// Copies result `i` into a record, with the threads of a block.
__device__ inline void copyResult(const ResultList& results, int32_t i, float* record) {
  const float* from = pointerOf<const float>(results.from[i]);
  float* to = record + results.at[i];
  for (auto word = static_cast<int32_t>(threadIdx.x); word < results.words[i];
       word += static_cast<int32_t>(blockDim.x))
    to[word] = from[word];
}

}  // namespace strata::cuda

/// Makes updates do nothing where the stream has stopped.
STRATA_GLOBAL apply_if_running(float* apply, const float* running) {
  if (*running == 0) *apply = 0;
}
STRATA_KERNEL(apply_if_running)

/// Copies result number blockIdx.x into the next record of the ring.
STRATA_GLOBAL gather_results(strata::cuda::ResultList results, float* ring, const int32_t* counter,
                             int64_t recordWords) {
  const auto i = static_cast<int32_t>(blockIdx.x);
  strata::cuda::copyResult(results, i, ring + *counter * recordWords);
}
STRATA_KERNEL(gather_results)

/// Copies results into the next record, writes its head (StepRecord), and stops the stream if the
/// guard is 0. One block.
STRATA_GLOBAL finish_step(strata::cuda::ResultList results, const float* guard, float* running,
                          float* ring, int32_t* counter, int64_t recordWords, int32_t entries) {
  const int32_t entry = *counter;
  float* record = ring + entry * recordWords;
  for (int32_t i = 0; i < results.count; ++i)
    strata::cuda::copyResult(results, i, record);
  // All threads have read the counter before it changes
  __syncthreads();
  if (threadIdx.x != 0) return;
  const float value = guard ? *guard : 1.0f;
  record[0] = value;
  reinterpret_cast<int32_t*>(record)[1] = *running == 0 ? 1 : 0;
  if (value == 0) *running = 0;
  *counter = (entry + 1) % entries;
}
STRATA_COOPERATIVE_KERNEL(finish_step)

// SPDX-License-Identifier: Apache-2.0
// Attention without the matrix of all pairs of steps in memory (Dao et al., "FlashAttention: fast
// and memory-efficient exact attention with IO-awareness", 2022): a block computes the results of
// 64 query steps of one head, and goes through tiles of 64 key steps. The formulas are in
// gpu/ops/attention.cpp.
#include "gpu/cuda/kernels/attention.cuh"

namespace strata::cuda {

/// blockIdx.y chooses the columns of the result.
template <class T>
__device__ void attention(const T* q, const T* k, const T* v, const T* mask, const RandomKey& key,
                          T* y, float* logSums, const AttentionSizes& a) {
  STRATA_SHARED(float, tile, kTileFloats);
  STRATA_SHARED(float, chunk, kChunkFloats);
  // The score of a hidden key step. A query step that sees nothing has equal weights with it.
  constexpr float kHidden = -FLT_MAX;
  const int tx = tileX(), ty = tileY();
  const int64_t head = blockIdx.x / a.queryTiles(), n = head / a.heads, h = head % a.heads,
                g = h / (a.heads / a.keyHeads), query = blockIdx.x % a.queryTiles() * kTile,
                first = static_cast<int64_t>(blockIdx.y) * kColumns;
  const AttentionPairs<T> pairs{a, mask, key, n, h};
  const StepRows<T> queries(q, n, h, query, a.steps, a.queryPitch, a.size);
  int64_t end = a.keySteps;
  if (a.skipsLaterKeys() && query + kTile < end) end = query + kTile;

  float result[kEach][kColumnsEach] = {}, largest[kEach], sum[kEach] = {};
  for (float& each : largest)
    each = -INFINITY;
  for (int64_t step = 0; step < end; step += kTile) {
    if (a.rate > 0) {
      // The product of the step before reads the tile; the one below waits before the tile is read
      __syncthreads();
      pairs.fillFactors(tile, query, step);
    }
    float scores[kEach][kEach] = {};
    addTileProduct(queries, StepRows<T>(k, n, g, step, a.keySteps, a.keyPitch, a.size), chunk,
                   scores);
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int64_t t = query + ty + kSide * i;
      float most = largest[i];
#pragma unroll
      for (int j = 0; j < kEach; ++j) {
        const int64_t s = step + tx + kSide * j;
        float score = -INFINITY;
        if (s < a.keySteps)
          score = t < a.steps && pairs.sees(t, s) ? a.scale * scores[i][j] : kHidden;
        scores[i][j] = score;
        most = Maximum::join(most, score);
      }
      most = reduceTileRow<Maximum>(most);
      const float correction = expf(largest[i] - most);
      largest[i] = most;
      float tileSum = 0;
#pragma unroll
      for (int j = 0; j < kEach; ++j) {
        const int at = (ty + kSide * i) * kPitch + tx + kSide * j;
        float weight = expf(scores[i][j] - most);
        tileSum += weight;
        if (a.rate > 0) weight *= tile[at];
        tile[at] = weight;
      }
      sum[i] = sum[i] * correction + reduceTileRow<Sum>(tileSum);
#pragma unroll
      for (int j = 0; j < kColumnsEach; ++j)
        result[i][j] *= correction;
    }
    addProductWithTile<false>(tile,
                              StepRows<T>(v, n, g, step, a.keySteps, a.valuePitch, a.valueSize),
                              first, chunk, result);
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int64_t t = query + ty + kSide * i;
    if (t >= a.steps) continue;
    const bool seesNone = largest[i] == kHidden;
    const float scale = seesNone && a.dropsHidden ? 0.0f : 1.0f / sum[i];
#pragma unroll
    for (int j = 0; j < kColumnsEach; ++j) {
      const int64_t column = first + tx + kSide * j;
      if (column < a.valueSize)
        y[((n * a.steps + t) * a.heads + h) * a.valueSize + column] =
            fromFloat<T>(result[i][j] * scale);
    }
    if (tx == 0 && blockIdx.y == 0)
      logSums[head * a.steps + t] = seesNone ? INFINITY : largest[i] + logf(sum[i]);
  }
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                  \
  STRATA_GLOBAL attention_##suffix(                                                                \
      const T* q, const T* k, const T* v, const T* mask, const int64_t* seed, const int64_t* step, \
      const int64_t* firstSample, T* y, float* logSums, strata::cuda::AttentionSizes sizes) {      \
    strata::cuda::attention(q, k, v, mask, {seed, step, firstSample}, y, logSums, sizes);          \
  }                                                                                                \
  STRATA_COOPERATIVE_KERNEL(attention_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

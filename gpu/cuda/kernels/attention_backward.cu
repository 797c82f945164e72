// SPDX-License-Identifier: Apache-2.0
// The gradients of attention. Weights are computed again from log_sums. One kernel computes the
// gradient of the query in tiles of query steps, another one those of key and value in tiles of key
// steps, so that no two blocks add to the same element.
#include "gpu/cuda/kernels/attention.cuh"

namespace strata::cuda {

/// deltas[n, h, t] = dy y for each query step, one warp per step.
template <class T>
__device__ void attentionDeltas(const T* y, const T* dy, float* deltas, const AttentionSizes& a) {
  const int64_t row = globalThread() / kWarp;
  if (row >= a.samples * a.steps * a.heads) return;
  float sum = 0;
  for (int64_t i = static_cast<int64_t>(threadIdx.x) % kWarp; i < a.valueSize; i += kWarp)
    sum += toFloat(y[row * a.valueSize + i]) * toFloat(dy[row * a.valueSize + i]);
  sum = reduceWarp<Sum>(sum);
  const int64_t h = row % a.heads, t = row / a.heads % a.steps, n = row / a.heads / a.steps;
  if (threadIdx.x % kWarp == 0) deltas[(n * a.heads + h) * a.steps + t] = sum;
}

template <class T>
struct AttentionOperands {
  const T* q;
  const T* k;
  const T* v;
  const float* logSums;
  const T* dy;
  const float* deltas;
};

/// The weights of a tile with dropout, and the gradients of its scaled products q k.
struct TileGradients {
  float weights[kEach][kEach], scores[kEach][kEach];
};

/// `tile` has space for the factors of dropout.
template <class T, class Shared>
__device__ inline void tileGradients(const AttentionOperands<T>& of, const AttentionPairs<T>& pairs,
                                     int64_t keyHead, int64_t query, int64_t step, Shared tile,
                                     Shared chunk, TileGradients& result) {
  const AttentionSizes& a = pairs.a;
  const int64_t n = pairs.sample, h = pairs.head;
  if (a.rate > 0) {
    // The product before reads the tile; those below wait before it is read
    __syncthreads();
    pairs.fillFactors(tile, query, step);
  }
  float scores[kEach][kEach] = {}, changes[kEach][kEach] = {};
  addTileProduct(StepRows<T>(of.q, n, h, query, a.steps, a.queryPitch, a.size),
                 StepRows<T>(of.k, n, keyHead, step, a.keySteps, a.keyPitch, a.size), chunk,
                 scores);
  addTileProduct(StepRows<T>(of.dy, n, h, query, a.steps, a.heads * a.valueSize, a.valueSize),
                 StepRows<T>(of.v, n, keyHead, step, a.keySteps, a.valuePitch, a.valueSize), chunk,
                 changes);
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int64_t t = query + tileY() + kSide * i;
    const bool isInside = t < a.steps;
    const float logSum = isInside ? of.logSums[(n * a.heads + h) * a.steps + t] : 0.0f,
                delta = isInside ? of.deltas[(n * a.heads + h) * a.steps + t] : 0.0f;
    const bool seesNone = logSum == INFINITY;
#pragma unroll
    for (int j = 0; j < kEach; ++j) {
      const int64_t s = step + tileX() + kSide * j;
      float weight = 0, factor = 1;
      if (isInside && s < a.keySteps) {
        if (seesNone)
          weight = a.dropsHidden ? 0.0f : 1.0f / static_cast<float>(a.keySteps);
        else if (pairs.sees(t, s))
          weight = expf(a.scale * scores[i][j] - logSum);
      }
      if (a.rate > 0) factor = tile[(tileY() + kSide * i) * kPitch + tileX() + kSide * j];
      result.weights[i][j] = weight * factor;
      result.scores[i][j] =
          seesNone || weight == 0 ? 0.0f : a.scale * weight * (factor * changes[i][j] - delta);
    }
  }
}

template <class Shared>
__device__ inline void storeTile(Shared tile, const float (&values)[kEach][kEach]) {
#pragma unroll
  for (int i = 0; i < kEach; ++i)
#pragma unroll
    for (int j = 0; j < kEach; ++j)
      tile[(tileY() + kSide * i) * kPitch + tileX() + kSide * j] = values[i][j];
}

/// Writes rows ty + 16 i of a result [samples, steps, heads, size] from `step` on. A step has
/// `pitch` elements.
template <class T>
__device__ inline void storeRows(T* to, const float (&values)[kEach][kColumnsEach], int64_t n,
                                 int64_t head, int64_t step, int64_t first, int64_t steps,
                                 int64_t pitch, int64_t size) {
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int64_t row = step + tileY() + kSide * i;
    if (row >= steps) continue;
#pragma unroll
    for (int j = 0; j < kColumnsEach; ++j) {
      const int64_t column = first + tileX() + kSide * j;
      if (column < size)
        to[(n * steps + row) * pitch + head * size + column] = fromFloat<T>(values[i][j]);
    }
  }
}

/// A block computes dq for 64 query steps of a head. blockIdx.y chooses the columns.
template <class T>
__device__ void attentionQueryGradient(const AttentionOperands<T>& of, const T* mask,
                                       const RandomKey& key, T* dq, const AttentionSizes& a) {
  STRATA_SHARED(float, tile, kTileFloats);
  STRATA_SHARED(float, chunk, kChunkFloats);
  const int64_t head = blockIdx.x / a.queryTiles(), n = head / a.heads, h = head % a.heads,
                g = h / (a.heads / a.keyHeads), query = blockIdx.x % a.queryTiles() * kTile,
                first = static_cast<int64_t>(blockIdx.y) * kColumns;
  const AttentionPairs<T> pairs{a, mask, key, n, h};
  int64_t end = a.keySteps;
  if (a.isCausal && query + kTile < end) end = query + kTile;
  float result[kEach][kColumnsEach] = {};
  for (int64_t step = 0; step < end; step += kTile) {
    TileGradients gradients;
    tileGradients(of, pairs, g, query, step, tile, chunk, gradients);
    storeTile(tile, gradients.scores);
    addProductWithTile<false>(tile, StepRows<T>(of.k, n, g, step, a.keySteps, a.keyPitch, a.size),
                              first, chunk, result);
  }
  storeRows(dq, result, n, h, query, first, a.steps, a.queryPitch, a.size);
}

/// A block computes dk and dv for 64 key steps of a key head. blockIdx.y chooses the columns.
template <class T>
__device__ void attentionKeyGradients(const AttentionOperands<T>& of, const T* mask,
                                      const RandomKey& key, T* dk, T* dv, const AttentionSizes& a) {
  STRATA_SHARED(float, tile, kTileFloats);
  STRATA_SHARED(float, scoreTile, kTileFloats);
  STRATA_SHARED(float, chunk, kChunkFloats);
  const int64_t head = blockIdx.x / a.keyTiles(), n = head / a.keyHeads, g = head % a.keyHeads,
                group = a.heads / a.keyHeads, step = blockIdx.x % a.keyTiles() * kTile,
                first = static_cast<int64_t>(blockIdx.y) * kColumns;
  // The first tile of query steps that sees a key step of the block
  const int64_t begin = a.skipsLaterKeys() ? step : 0;
  float keyResult[kEach][kColumnsEach] = {}, valueResult[kEach][kColumnsEach] = {};
  for (int64_t h = g * group; h < (g + 1) * group; ++h) {
    const AttentionPairs<T> pairs{a, mask, key, n, h};
    for (int64_t query = begin; query < a.steps; query += kTile) {
      TileGradients gradients;
      tileGradients(of, pairs, g, query, step, tile, chunk, gradients);
      storeTile(tile, gradients.weights);
      storeTile(scoreTile, gradients.scores);
      addProductWithTile<true>(
          tile, StepRows<T>(of.dy, n, h, query, a.steps, a.heads * a.valueSize, a.valueSize), first,
          chunk, valueResult);
      addProductWithTile<true>(scoreTile,
                               StepRows<T>(of.q, n, h, query, a.steps, a.queryPitch, a.size), first,
                               chunk, keyResult);
    }
  }
  storeRows(dk, keyResult, n, g, step, first, a.keySteps, a.keyPitch, a.size);
  storeRows(dv, valueResult, n, g, step, first, a.keySteps, a.valuePitch, a.valueSize);
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                 \
  STRATA_GLOBAL attention_deltas_##suffix(const T* y, const T* dy, float* deltas,                 \
                                          strata::cuda::AttentionSizes sizes) {                   \
    strata::cuda::attentionDeltas(y, dy, deltas, sizes);                                          \
  }                                                                                               \
  STRATA_COOPERATIVE_KERNEL(attention_deltas_##suffix)                                            \
  STRATA_GLOBAL attention_query_gradient_##suffix(                                                \
      const T* q, const T* k, const T* v, const float* logSums, const T* dy, const float* deltas, \
      const T* mask, const int64_t* seed, const int64_t* step, const int64_t* firstSample, T* dq, \
      strata::cuda::AttentionSizes sizes) {                                                       \
    strata::cuda::attentionQueryGradient({q, k, v, logSums, dy, deltas}, mask,                    \
                                         {seed, step, firstSample}, dq, sizes);                   \
  }                                                                                               \
  STRATA_COOPERATIVE_KERNEL(attention_query_gradient_##suffix)                                    \
  STRATA_GLOBAL attention_key_gradients_##suffix(                                                 \
      const T* q, const T* k, const T* v, const float* logSums, const T* dy, const float* deltas, \
      const T* mask, const int64_t* seed, const int64_t* step, const int64_t* firstSample, T* dk, \
      T* dv, strata::cuda::AttentionSizes sizes) {                                                \
    strata::cuda::attentionKeyGradients({q, k, v, logSums, dy, deltas}, mask,                     \
                                        {seed, step, firstSample}, dk, dv, sizes);                \
  }                                                                                               \
  STRATA_COOPERATIVE_KERNEL(attention_key_gradients_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

// SPDX-License-Identifier: Apache-2.0
// Matrix products that cuBLASLt refuses: any sizes, strides and alignment. A block computes one
// tile of the result. Tiles of the operands pass through shared memory.
#include "gpu/cuda/kernels/matmul.h"

#include "gpu/cuda/kernels/device.cuh"

namespace strata::cuda {

constexpr int kMatmulDepth = 16, kMatmulSide = 16, kMatmulEach = kMatmulTile / kMatmulSide;
// One more than the tile, so that threads that write one column use different banks
constexpr int kMatmulPitch = kMatmulTile + 1;

/// Loads `tile`[depth][row] of an operand with `rows` rows and p.k columns, in float. Neighbouring
/// threads read neighbouring elements. Outside the operand, the tile is 0.
template <class T, class Shared>
__device__ inline void loadTile(Shared tile, const T* STRATA_RESTRICT from, int64_t firstRow,
                                int64_t rows, int64_t firstDepth, int64_t depth, int64_t rowStep,
                                int64_t depthStep) {
  const bool areRowsNeighbours = rowStep == 1;
  for (int e = static_cast<int>(threadIdx.x); e < kMatmulTile * kMatmulDepth; e += kMatmulThreads) {
    const int row = areRowsNeighbours ? e % kMatmulTile : e / kMatmulDepth,
              at = areRowsNeighbours ? e / kMatmulTile : e % kMatmulDepth;
    const int64_t i = firstRow + row, j = firstDepth + at;
    const bool isInside = i < rows && j < depth;
    tile[at * kMatmulPitch + row] = isInside ? toFloat(from[i * rowStep + j * depthStep]) : 0.0f;
  }
}

template <class T, class R>
__device__ void multiplyMatrices(const T* a, const T* b, R* d, const R* bias,
                                 const MatmulShape& p) {
  STRATA_SHARED(float, tileA, kMatmulDepth* kMatmulPitch);
  STRATA_SHARED(float, tileB, kMatmulDepth* kMatmulPitch);
  const int64_t tilesM = (p.m + kMatmulTile - 1) / kMatmulTile,
                tilesN = (p.n + kMatmulTile - 1) / kMatmulTile, block = blockIdx.x,
                batch = block / (tilesM * tilesN), tile = block % (tilesM * tilesN),
                row = tile % tilesM * kMatmulTile, column = tile / tilesM * kMatmulTile;
  const int x = static_cast<int>(threadIdx.x) % kMatmulSide,
            y = static_cast<int>(threadIdx.x) / kMatmulSide;
  a += batch * p.strideA;
  b += batch * p.strideB;
  d += batch * p.strideD;
  float sum[kMatmulEach][kMatmulEach] = {};
  for (int64_t depth = 0; depth < p.k; depth += kMatmulDepth) {
    loadTile(tileA, a, row, p.m, depth, p.k, p.transposeA ? p.lda : 1, p.transposeA ? 1 : p.lda);
    loadTile(tileB, b, column, p.n, depth, p.k, p.transposeB ? 1 : p.ldb, p.transposeB ? p.ldb : 1);
    __syncthreads();
    // Shorter sums have smaller errors
    float part[kMatmulEach][kMatmulEach] = {};
    for (int at = 0; at < kMatmulDepth; ++at) {
      float left[kMatmulEach], right[kMatmulEach];
#pragma unroll
      for (int i = 0; i < kMatmulEach; ++i) {
        left[i] = tileA[at * kMatmulPitch + x + i * kMatmulSide];
        right[i] = tileB[at * kMatmulPitch + y + i * kMatmulSide];
      }
#pragma unroll
      for (int i = 0; i < kMatmulEach; ++i)
#pragma unroll
        for (int j = 0; j < kMatmulEach; ++j)
          part[i][j] += left[i] * right[j];
    }
#pragma unroll
    for (int i = 0; i < kMatmulEach; ++i)
#pragma unroll
      for (int j = 0; j < kMatmulEach; ++j)
        sum[i][j] += part[i][j];
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < kMatmulEach; ++j)
#pragma unroll
    for (int i = 0; i < kMatmulEach; ++i) {
      const int64_t atRow = row + x + i * kMatmulSide, atColumn = column + y + j * kMatmulSide;
      if (atRow >= p.m || atColumn >= p.n) continue;
      const float added = bias ? toFloat(bias[atRow]) : 0.0f;
      d[atColumn * p.ldd + atRow] = fromFloat<R>(bias ? sum[i][j] + added : sum[i][j]);
    }
}

}  // namespace strata::cuda

// From operands of the type T to a result of the type R
#define STRATA_MATMUL(suffix, T, R)                                          \
  STRATA_GLOBAL matmul_##suffix(const T* a, const T* b, R* d, const R* bias, \
                                strata::cuda::MatmulShape shape) {           \
    strata::cuda::multiplyMatrices(a, b, d, bias, shape);                    \
  }                                                                          \
  STRATA_COOPERATIVE_KERNEL(matmul_##suffix)
STRATA_MATMUL(f32_f32, float, float)
STRATA_MATMUL(bf16_bf16, strata::cuda::bf16, strata::cuda::bf16)
STRATA_MATMUL(f16_f16, strata::cuda::f16, strata::cuda::f16)
STRATA_MATMUL(bf16_f32, strata::cuda::bf16, float)
STRATA_MATMUL(f16_f32, strata::cuda::f16, float)
#undef STRATA_MATMUL

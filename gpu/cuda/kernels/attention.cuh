// SPDX-License-Identifier: Apache-2.0
// The parts of attention kernels: products of tiles, which key steps are visible, and dropout.
//
// A block has 16 x 16 threads. In a tile of 64 query steps and 64 key steps, thread (tx, ty)
// computes the pairs of query steps ty + 16 i and key steps tx + 16 j.
#pragma once

#include <cfloat>

#include "gpu/cuda/kernels/attention.h"
#include "gpu/cuda/kernels/philox.cuh"

namespace strata::cuda {

constexpr int kTile = kAttentionTile, kColumns = kAttentionColumns, kSide = 16,
              kEach = kTile / kSide, kColumnsEach = kColumns / kSide, kDepth = 16,
              // One more than a tile, so that the rows of a column lie in different banks
    kPitch = kTile + 1, kTileFloats = kTile * kPitch, kChunkFloats = 2 * kDepth * kPitch;
static_assert(kDepth * kColumns <= kChunkFloats);

__device__ inline int tileX() { return static_cast<int>(threadIdx.x) % kSide; }
__device__ inline int tileY() { return static_cast<int>(threadIdx.x) / kSide; }

/// Some steps of one sample and head of an operand. Steps and columns behind the end are zeros.
template <class T>
struct StepRows {
  const T* data;
  int64_t count, pitch, width;

  __device__ StepRows(const T* operand, int64_t sample, int64_t head, int64_t first, int64_t steps,
                      int64_t elementsPerStep, int64_t size)
      : data(operand + (sample * steps + first) * elementsPerStep + head * size),
        count(steps - first),
        pitch(elementsPerStep),
        width(size) {}
  __device__ float at(int64_t row, int64_t column) const {
    return row < count && column < width ? toFloat(data[row * pitch + column]) : 0.0f;
  }
};

/// sums += a b^T for the steps of a tile. `chunk` is shared memory.
template <class T, class Shared>
__device__ inline void addTileProduct(const StepRows<T>& a, const StepRows<T>& b, Shared chunk,
                                      float (&sums)[kEach][kEach]) {
  const int tx = tileX(), ty = tileY();
  for (int64_t begin = 0; begin < a.width; begin += kDepth) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kTile * kDepth; i += kAttentionThreads) {
      const int row = i / kDepth, d = i % kDepth;
      chunk[d * kPitch + row] = a.at(row, begin + d);
      chunk[(kDepth + d) * kPitch + row] = b.at(row, begin + d);
    }
    __syncthreads();
    const int depth = a.width - begin < kDepth ? static_cast<int>(a.width - begin) : kDepth;
    for (int d = 0; d < depth; ++d) {
      float left[kEach], right[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i) {
        left[i] = chunk[d * kPitch + ty + kSide * i];
        right[i] = chunk[(kDepth + d) * kPitch + tx + kSide * i];
      }
#pragma unroll
      for (int i = 0; i < kEach; ++i)
#pragma unroll
        for (int j = 0; j < kEach; ++j)
          sums[i][j] += left[i] * right[j];
    }
  }
}

/// sums += tile b, or tile^T b if kIsTransposed, for the columns of b from `first` on. Row i of a
/// thread is ty + 16 i, column j is first + tx + 16 j. `tile` and `chunk` are shared memory.
template <bool kIsTransposed, class T, class Shared>
__device__ inline void addProductWithTile(Shared tile, const StepRows<T>& b, int64_t first,
                                          Shared chunk, float (&sums)[kEach][kColumnsEach]) {
  const int tx = tileX(), ty = tileY();
  const int64_t columns = b.width - first < kColumns ? b.width - first : kColumns;
  for (int begin = 0; begin < kTile && begin < b.count; begin += kDepth) {
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < kDepth * kColumns; i += kAttentionThreads)
      chunk[i] = b.at(begin + i / kColumns, first + i % kColumns);
    __syncthreads();
    for (int row = 0; row < kDepth; ++row) {
      float left[kEach];
#pragma unroll
      for (int i = 0; i < kEach; ++i)
        left[i] = kIsTransposed ? tile[(begin + row) * kPitch + ty + kSide * i]
                                : tile[(ty + kSide * i) * kPitch + begin + row];
#pragma unroll
      for (int j = 0; j < kColumnsEach; ++j) {
        if (j * kSide >= columns) continue;
        const float right = chunk[row * kColumns + tx + kSide * j];
#pragma unroll
        for (int i = 0; i < kEach; ++i)
          sums[i][j] += left[i] * right;
      }
    }
  }
}

/// Reduces one value per thread over the 16 threads with the same ty.
template <class Op>
__device__ inline float reduceTileRow(float value) {
  for (int distance = kSide / 2; distance > 0; distance /= 2)
    value = Op::join(value, __shfl_xor_sync(kAllLanes, value, distance));
  return value;
}

/// The numbers of the random key, which are null without dropout.
struct RandomKey {
  const int64_t* seed;
  const int64_t* step;
  const int64_t* firstSample;
};

/// One sample and head: which key steps are visible, and which weights dropout keeps.
template <class T>
struct AttentionPairs {
  const AttentionSizes& a;
  const T* mask;
  RandomKey key;
  int64_t sample, head;

  __device__ bool sees(int64_t query, int64_t step) const {
    if (a.isCausal && step > query) return false;
    return !mask ||
           toFloat(
               mask[(sample * a.maskSteps + (a.maskSteps == 1 ? 0 : query)) * a.keySteps + step]) !=
               0;
  }
  /// Writes the factors by which dropout multiplies the weights of a tile.
  template <class Shared>
  __device__ void fillFactors(Shared tile, int64_t query, int64_t step) const {
    constexpr int kGroup = 4;
    const auto seed = static_cast<uint64_t>(*key.seed);
    const uint64_t stream = streamAtStep(a.stream, *key.step);
    for (int i = static_cast<int>(threadIdx.x); i < kTile * kTile / kGroup;
         i += kAttentionThreads) {
      const int row = i / (kTile / kGroup), column = i % (kTile / kGroup) * kGroup;
      const int64_t first =
          (((*key.firstSample + sample) * a.heads + head) * a.steps + query + row) * a.keySteps +
          step + column;
      int64_t block = -1;
      PhiloxWords words{};
      for (int j = 0; j < kGroup; ++j) {
        const int64_t element = first + j;
        if (element / 4 != block) {
          block = element / 4;
          words = philoxWords(seed, stream, static_cast<uint64_t>(block));
        }
        tile[row * kPitch + column + j] =
            keepsWord(words.at(element % 4), a.rate) ? a.keptScale : 0.0f;
      }
    }
  }
};

}  // namespace strata::cuda

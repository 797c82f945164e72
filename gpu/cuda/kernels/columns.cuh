// SPDX-License-Identifier: Apache-2.0
// Reductions of the columns of a matrix in two stages (columns.h). The order of a sum depends only
// on the sizes.
#pragma once

#include "gpu/cuda/kernels/columns.h"
#include "gpu/cuda/kernels/device.cuh"

namespace strata::cuda {

/// The column of a thread, and its rows in the part of its block.
struct ColumnPlace {
  int64_t column, row, end, step;
  int rowLane, rowLanes;

  __device__ explicit ColumnPlace(const ColumnParts& p) {
    const int lanes = static_cast<int>(p.lanes), thread = static_cast<int>(threadIdx.x);
    column = static_cast<int64_t>(blockIdx.x) * lanes + thread % lanes;
    rowLane = thread / lanes;
    rowLanes = static_cast<int>(blockDim.x) / lanes;
    const int64_t begin = static_cast<int64_t>(blockIdx.y) * p.partRows;
    row = begin + rowLane;
    end = begin + p.partRows < p.rows ? begin + p.partRows : p.rows;
    step = rowLanes;
    // Threads behind the last column have no rows
    if (column >= p.columns) row = end;
  }
  /// Lets the thread read the partial results of its column instead of rows.
  __device__ void toParts(const ColumnParts& p) {
    row = rowLane;
    end = column < p.columns ? p.parts : row;
  }
  /// Returns whether the thread writes the result of its column.
  __device__ bool isFirst(const ColumnParts& p) const { return rowLane == 0 && column < p.columns; }
};

/// Sums one value of each thread over the threads on the same column. The first of them gets the
/// sum. Every thread of the block must call it.
__device__ inline float sumOverRows(float value, const ColumnPlace& place, const ColumnParts& p) {
  STRATA_SHARED(float, sums, kColumnThreads);
  const int thread = static_cast<int>(threadIdx.x), lanes = static_cast<int>(p.lanes);
  sums[thread] = value;
  for (int distance = place.rowLanes / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (place.rowLane < distance) {
      value += sums[thread + distance * lanes];
      sums[thread] = value;
    }
  }
  // The next call writes `sums` again
  __syncthreads();
  return value;
}

struct Pair {
  float first = 0, second = 0;
};

/// Sums valueAt(row, column), a Pair, over the rows of each part. Part blockIdx.y writes its rows
/// of partial[2, parts, columns].
template <class Values>
__device__ void sumColumnPairs(const ColumnParts& p, float* partial, const Values& valueAt) {
  const ColumnPlace place(p);
  float first = 0, second = 0;
#pragma unroll 4
  for (int64_t row = place.row; row < place.end; row += place.step) {
    const Pair value = valueAt(row, place.column);
    first += value.first;
    second += value.second;
  }
  first = sumOverRows(first, place, p);
  second = sumOverRows(second, place, p);
  if (!place.isFirst(p)) return;
  const int64_t at = static_cast<int64_t>(blockIdx.y) * p.columns + place.column;
  partial[at] = first;
  partial[p.parts * p.columns + at] = second;
}

/// Returns whether this block is the last one of its columns that comes here. It may then read what
/// the others have written. `counters` has a 0 for each blockIdx.x, before and after the kernel.
/// Every thread of the block must call it.
__device__ inline bool isLastPart(unsigned int* counters, const ColumnParts& p) {
  if (p.parts == 1) return true;
  STRATA_SHARED(int32_t, isLast, 1);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned int before = atomicAdd(&counters[blockIdx.x], 1u);
    isLast[0] = before + 1 == static_cast<unsigned int>(p.parts) ? 1 : 0;
    if (isLast[0]) counters[blockIdx.x] = 0;
  }
  __syncthreads();
  __threadfence();
  return isLast[0] != 0;
}

/// Sums valueAt(row, column) over all rows. The last block of the columns joins the parts, always
/// in the same order.
template <class Values>
__device__ void sumAllColumnPairs(const ColumnParts& p, float* partial, unsigned int* counters,
                                  float* first, float* second, const Values& valueAt) {
  sumColumnPairs(p, partial, valueAt);
  if (!isLastPart(counters, p)) return;
  ColumnPlace place(p);
  place.toParts(p);
  float sums[2] = {};
  for (int which = 0; which < 2; ++which) {
    const float* from = partial + which * p.parts * p.columns;
    for (int64_t part = place.row; part < place.end; part += place.step)
      sums[which] += from[part * p.columns + place.column];
    sums[which] = sumOverRows(sums[which], place, p);
  }
  if (!place.isFirst(p)) return;
  first[place.column] = sums[0];
  second[place.column] = sums[1];
}

}  // namespace strata::cuda

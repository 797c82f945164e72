// SPDX-License-Identifier: Apache-2.0
// The second stage of sums over the rows of a matrix: joins the sums of its parts.
#include "gpu/cuda/kernels/columns.cuh"

namespace strata::cuda {

template <class T>
__device__ void joinColumns(const float* partial, T* y, const ColumnParts& p) {
  const ColumnPlace place(p);
  float sum = 0;
#pragma unroll 4
  for (int64_t row = place.row; row < place.end; row += place.step)
    sum += partial[row * p.columns + place.column];
  sum = sumOverRows(sum, place, p);
  if (place.isFirst(p)) y[place.column] = fromFloat<T>(sum);
}

}  // namespace strata::cuda

/// Joins partial[2, parts, columns]. blockIdx.y chooses the sum.
STRATA_GLOBAL join_column_pairs(const float* partial, float* first, float* second,
                                strata::cuda::ColumnParts parts) {
  const strata::cuda::ColumnPlace place(parts);
  const bool isSecond = blockIdx.y == 1;
  const float* from = partial + (isSecond ? parts.rows * parts.columns : 0);
  float sum = 0;
  if (place.column < parts.columns)
    for (int64_t row = place.rowLane; row < parts.rows; row += place.step)
      sum += from[row * parts.columns + place.column];
  sum = strata::cuda::sumOverRows(sum, place, parts);
  if (place.isFirst(parts)) (isSecond ? second : first)[place.column] = sum;
}
STRATA_COOPERATIVE_KERNEL(join_column_pairs)

#define STRATA_KERNELS(suffix, T)                                        \
  STRATA_GLOBAL join_columns_##suffix(const float* partial, T* y,        \
                                      strata::cuda::ColumnParts parts) { \
    strata::cuda::joinColumns(partial, y, parts);                        \
  }                                                                      \
  STRATA_COOPERATIVE_KERNEL(join_columns_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

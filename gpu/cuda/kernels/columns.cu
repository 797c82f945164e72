// SPDX-License-Identifier: Apache-2.0
// Sums over the rows of a matrix, and the second stage of such sums.
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

/// Sums x[rows, columns] over its rows.
template <class T>
__device__ void columnSums(const T* STRATA_RESTRICT x, float* y, float* partial,
                           unsigned int* counters, const ColumnParts& p) {
  const ColumnPlace place(p);
  float sum = 0;
#pragma unroll 4
  for (int64_t row = place.row; row < place.end; row += place.step)
    sum += toFloat(x[row * p.columns + place.column]);
  sum = sumOverRows(sum, place, p);
  if (p.parts == 1) {
    if (place.isFirst(p)) y[place.column] = sum;
    return;
  }
  if (place.isFirst(p)) partial[static_cast<int64_t>(blockIdx.y) * p.columns + place.column] = sum;
  if (!isLastPart(counters, p)) return;
  ColumnPlace join(p);
  join.toParts(p);
  sum = 0;
  for (int64_t part = join.row; part < join.end; part += join.step)
    sum += partial[part * p.columns + join.column];
  sum = sumOverRows(sum, join, p);
  if (join.isFirst(p)) y[join.column] = sum;
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                  \
  STRATA_GLOBAL join_columns_##suffix(const float* partial, T* y,                                  \
                                      strata::cuda::ColumnParts parts) {                           \
    strata::cuda::joinColumns(partial, y, parts);                                                  \
  }                                                                                                \
  STRATA_COOPERATIVE_KERNEL(join_columns_##suffix)                                                 \
  STRATA_GLOBAL column_sums_##suffix(const T* x, float* y, float* partial, unsigned int* counters, \
                                     strata::cuda::ColumnParts parts) {                            \
    strata::cuda::columnSums(x, y, partial, counters, parts);                                      \
  }                                                                                                \
  STRATA_COOPERATIVE_KERNEL(column_sums_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

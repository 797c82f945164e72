// SPDX-License-Identifier: Apache-2.0
// Sums and maxima. The order of a sum depends only on the shapes.
#include "gpu/cuda/kernels/device.cuh"

namespace strata::cuda {

/// One block per output: reduces the elements of `reduced` from the place that `kept` gives.
template <class Op, class T>
__device__ void reduceWalk(const T* STRATA_RESTRICT x, T* y, const Walk& kept, const Walk& reduced,
                           int64_t perOutput) {
  const int64_t output = blockIdx.x;
  const T* from = x + kept.offset(output, 0);
  float result = Op::identity();
  for (int64_t i = threadIdx.x; i < perOutput; i += blockDim.x)
    result = Op::join(result, toFloat(from[reduced.offset(i, 0)]));
  result = reduceBlock<Op>(result);
  if (threadIdx.x == 0) y[output] = fromFloat<T>(result);
}

/// Reduces the rows of x[rows, columns] in parts of `partRows` rows; part blockIdx.y writes its row
/// of partial[parts, columns].
template <class Op, class T, class P>
__device__ void reduceColumns(const T* STRATA_RESTRICT x, P* partial, int64_t rows, int64_t columns,
                              int64_t partRows) {
  const int64_t column = globalThread();
  if (column >= columns) return;
  const int64_t begin = static_cast<int64_t>(blockIdx.y) * partRows;
  const int64_t end = begin + partRows < rows ? begin + partRows : rows;
  float result = Op::identity();
  for (int64_t row = begin; row < end; ++row)
    result = Op::join(result, toFloat(x[row * columns + column]));
  partial[static_cast<int64_t>(blockIdx.y) * columns + column] = fromFloat<P>(result);
}

}  // namespace strata::cuda

#define STRATA_KERNELS_OF(name, Op, suffix, T)                                                     \
  STRATA_GLOBAL name##_walk_##suffix(const T* x, T* y, strata::cuda::Walk kept,                    \
                                     strata::cuda::Walk reduced, int64_t perOutput) {              \
    strata::cuda::reduceWalk<strata::cuda::Op>(x, y, kept, reduced, perOutput);                    \
  }                                                                                                \
  STRATA_COOPERATIVE_KERNEL(name##_walk_##suffix)                                                  \
  STRATA_GLOBAL name##_columns_##suffix(const T* x, float* partial, int64_t rows, int64_t columns, \
                                        int64_t partRows) {                                        \
    strata::cuda::reduceColumns<strata::cuda::Op>(x, partial, rows, columns, partRows);            \
  }                                                                                                \
  STRATA_KERNEL(name##_columns_##suffix)                                                           \
  STRATA_GLOBAL name##_parts_##suffix(const float* partial, T* y, int64_t parts,                   \
                                      int64_t columns) {                                           \
    strata::cuda::reduceColumns<strata::cuda::Op>(partial, y, parts, columns, parts);              \
  }                                                                                                \
  STRATA_KERNEL(name##_parts_##suffix)
#define STRATA_KERNELS(suffix, T)               \
  STRATA_KERNELS_OF(reduce_sum, Sum, suffix, T) \
  STRATA_KERNELS_OF(reduce_max, Maximum, suffix, T)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS
#undef STRATA_KERNELS_OF

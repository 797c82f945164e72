// SPDX-License-Identifier: Apache-2.0
// Gathers samples that the card keeps into an input of a step, and scales them. The numbers have
// the bits of the host's loops (core/data/batches.cpp), which round each operation.
#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

template <class From, class To>
__device__ void gatherRows(const From* STRATA_RESTRICT rows, const int32_t* indices,
                           const float* shiftAndScale, To* y, int64_t count, int64_t columns,
                           int64_t targetColumns, float scale, float offset) {
  const int64_t i = globalThread();
  if (i >= count) return;
  const int64_t row = quotient(i, targetColumns), column = i - row * targetColumns;
  if (column >= columns) {
    y[i] = To(0);
    return;
  }
  const From value = rows[static_cast<int64_t>(indices[row]) * columns + column];
  if constexpr (std::is_same_v<To, float>) {
    float x = __fadd_rn(__fmul_rn(static_cast<float>(value), scale), offset);
    if (shiftAndScale) x = __fmul_rn(x - shiftAndScale[column], shiftAndScale[columns + column]);
    y[i] = x;
  }
  else {
    y[i] = static_cast<To>(value);
  }
}

}  // namespace strata::cuda

#define STRATA_KERNELS(from, From, to, To)                                                        \
  STRATA_GLOBAL gather_rows_##from##_##to(                                                        \
      const From* rows, const int32_t* indices, const float* shiftAndScale, To* y, int64_t count, \
      int64_t columns, int64_t targetColumns, float scale, float offset) {                        \
    strata::cuda::gatherRows(rows, indices, shiftAndScale, y, count, columns, targetColumns,      \
                             scale, offset);                                                      \
  }                                                                                               \
  STRATA_KERNEL(gather_rows_##from##_##to)
STRATA_KERNELS(u8, uint8_t, f32, float)
STRATA_KERNELS(i32, int32_t, f32, float)
STRATA_KERNELS(f32, float, f32, float)
STRATA_KERNELS(u8, uint8_t, i32, int32_t)
STRATA_KERNELS(i32, int32_t, i32, int32_t)
#undef STRATA_KERNELS

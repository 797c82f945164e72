// SPDX-License-Identifier: Apache-2.0
// Layer normalization of the rows of x[rows, size], and its gradient: one warp per short row, one
// block per long row. Sums run over x minus the first element of the row, so that a large mean
// costs no precision.
#include "gpu/cuda/kernels/columns.cuh"

namespace strata::cuda {

/// The threads that share a row: the lanes of a warp.
struct WarpOfRow {
  int64_t row = globalThread() / kWarp;
  int64_t first = static_cast<int64_t>(threadIdx.x) % kWarp;
  int64_t step = kWarp;
  __device__ float sum(float value) const { return reduceWarp<Sum>(value); }
};

/// The threads that share a row: those of a block.
struct BlockOfRow {
  int64_t row = blockIdx.x;
  int64_t first = threadIdx.x;
  int64_t step = blockDim.x;
  __device__ float sum(float value) const { return reduceBlock<Sum>(value); }
};

/// `gamma` and `beta` may be null. y may be x.
template <class Threads, class T>
__device__ void layerNorm(const T* x, const float* gamma, const float* beta, T* y, float* mean,
                          float* invStd, int64_t rows, int64_t size, float epsilon) {
  const Threads threads;
  if (threads.row >= rows) return;
  x += threads.row * size;
  y += threads.row * size;
  const float count = static_cast<float>(size), shift = toFloat(x[0]);
  float sum = 0, squares = 0;
  for (int64_t i = threads.first; i < size; i += threads.step)
    sum += toFloat(x[i]) - shift;
  const float middle = threads.sum(sum) / count;
  for (int64_t i = threads.first; i < size; i += threads.step) {
    const float distance = toFloat(x[i]) - shift - middle;
    squares += distance * distance;
  }
  const float scale = 1.0f / sqrtf(threads.sum(squares) / count + epsilon);
  for (int64_t i = threads.first; i < size; i += threads.step) {
    float value = (toFloat(x[i]) - shift - middle) * scale;
    if (gamma) value *= gamma[i];
    if (beta) value += beta[i];
    y[i] = fromFloat<T>(value);
  }
  if (threads.first == 0) {
    mean[threads.row] = shift + middle;
    invStd[threads.row] = scale;
  }
}

/// `gamma` and `addend` may be null. dx may be dy or the addend.
template <class Threads, class T>
__device__ void layerNormBackward(const T* dy, const T* STRATA_RESTRICT x, const float* means,
                                  const float* scales, const float* gamma, const T* addend, T* dx,
                                  int64_t rows, int64_t size) {
  const Threads threads;
  if (threads.row >= rows) return;
  dy += threads.row * size;
  x += threads.row * size;
  if (addend) addend += threads.row * size;
  dx += threads.row * size;
  const float mean = means[threads.row], scale = scales[threads.row],
              count = static_cast<float>(size);
  float sum = 0, product = 0;
  for (int64_t i = threads.first; i < size; i += threads.step) {
    const float gradient = toFloat(dy[i]) * (gamma ? gamma[i] : 1.0f);
    sum += gradient;
    product += gradient * ((toFloat(x[i]) - mean) * scale);
  }
  sum = threads.sum(sum) / count;
  product = threads.sum(product) / count;
  for (int64_t i = threads.first; i < size; i += threads.step) {
    const float gradient = toFloat(dy[i]) * (gamma ? gamma[i] : 1.0f),
                normal = (toFloat(x[i]) - mean) * scale;
    const float own = scale * (gradient - sum - normal * product);
    dx[i] = fromFloat<T>(addend ? own + toFloat(addend[i]) : own);
  }
}

/// Sums dy times the normalized x, and dy, over rows.
template <class T>
__device__ void layerGradientSums(const T* dy, const T* x, const float* means, const float* scales,
                                  float* partial, unsigned int* counters, float* products,
                                  float* sums, const ColumnParts& p) {
  sumAllColumnPairs(p, partial, counters, products, sums, [&](int64_t row, int64_t column) {
    const int64_t at = row * p.columns + column;
    const float gradient = toFloat(dy[at]);
    return Pair{gradient * ((toFloat(x[at]) - means[row]) * scales[row]), gradient};
  });
}

}  // namespace strata::cuda

#define STRATA_KERNELS_OF(name, Threads, suffix, T)                                                \
  STRATA_GLOBAL name##_##suffix(const T* x, const float* gamma, const float* beta, T* y,           \
                                float* mean, float* invStd, int64_t rows, int64_t size,            \
                                float epsilon) {                                                   \
    strata::cuda::layerNorm<strata::cuda::Threads>(x, gamma, beta, y, mean, invStd, rows, size,    \
                                                   epsilon);                                       \
  }                                                                                                \
  STRATA_COOPERATIVE_KERNEL(name##_##suffix)                                                       \
  STRATA_GLOBAL name##_backward_##suffix(const T* dy, const T* x, const float* means,              \
                                         const float* scales, const float* gamma, const T* addend, \
                                         T* dx, int64_t rows, int64_t size) {                      \
    strata::cuda::layerNormBackward<strata::cuda::Threads>(dy, x, means, scales, gamma, addend,    \
                                                           dx, rows, size);                        \
  }                                                                                                \
  STRATA_COOPERATIVE_KERNEL(name##_backward_##suffix)
#define STRATA_KERNELS(suffix, T)                                                              \
  STRATA_KERNELS_OF(layer_norm_warp, WarpOfRow, suffix, T)                                     \
  STRATA_KERNELS_OF(layer_norm_block, BlockOfRow, suffix, T)                                   \
  STRATA_GLOBAL layer_gradient_sums_##suffix(                                                  \
      const T* dy, const T* x, const float* means, const float* scales, float* partial,        \
      unsigned int* counters, float* products, float* sums, strata::cuda::ColumnParts parts) { \
    strata::cuda::layerGradientSums(dy, x, means, scales, partial, counters, products, sums,   \
                                    parts);                                                    \
  }                                                                                            \
  STRATA_COOPERATIVE_KERNEL(layer_gradient_sums_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS
#undef STRATA_KERNELS_OF

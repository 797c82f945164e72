// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with weights [R,S,C,M], and its gradients. Output channel c * M + m reads
// input channel c.
#include "gpu/cuda/kernels/activation.cuh"
#include "gpu/cuda/kernels/columns.cuh"
#include "gpu/cuda/kernels/window.h"

namespace strata::cuda {

template <class T>
__device__ void depthwise(const T* STRATA_RESTRICT x, const T* STRATA_RESTRICT w, const T* bias,
                          T* y, const Window& g, int64_t multiplier, int32_t kind, float alpha) {
  const int64_t i = globalThread(), channels = g.outputChannels;
  if (i >= g.n * g.outputH * g.outputW * channels) return;
  const int64_t k = i % channels, pixel = i / channels, q = pixel % g.outputW,
                p = pixel / g.outputW % g.outputH, image = pixel / g.outputW / g.outputH,
                c = k / multiplier;
  float sum = bias ? toFloat(bias[k]) : 0.0f;
  for (int64_t r = 0; r < g.windowH; ++r)
    for (int64_t s = 0; s < g.windowW; ++s) {
      const int64_t h = g.row(p, r), column = g.column(q, s);
      if (!g.isInside(h, column)) continue;
      sum += toFloat(x[((image * g.inputH + h) * g.inputW + column) * g.channels + c]) *
             toFloat(w[(r * g.windowW + s) * channels + k]);
    }
  y[i] = fromFloat<T>(activationValue(kind, sum, alpha));
}

template <class T>
__device__ void depthwiseBackwardData(const T* STRATA_RESTRICT dy, const T* STRATA_RESTRICT w,
                                      T* dx, const Window& g, int64_t multiplier) {
  const int64_t i = globalThread(), channels = g.outputChannels;
  if (i >= g.n * g.inputH * g.inputW * g.channels) return;
  const int64_t c = i % g.channels, pixel = i / g.channels, column = pixel % g.inputW,
                h = pixel / g.inputW % g.inputH, image = pixel / g.inputW / g.inputH;
  float sum = 0;
  for (int64_t r = 0; r < g.windowH; ++r) {
    const int64_t p = g.outputRow(h, r);
    if (p < 0) continue;
    for (int64_t s = 0; s < g.windowW; ++s) {
      const int64_t q = g.outputColumn(column, s);
      if (q < 0) continue;
      const T* from = dy + ((image * g.outputH + p) * g.outputW + q) * channels;
      const T* weights = w + (r * g.windowW + s) * channels;
      for (int64_t k = c * multiplier; k < (c + 1) * multiplier; ++k)
        sum += toFloat(from[k]) * toFloat(weights[k]);
    }
  }
  dx[i] = fromFloat<T>(sum);
}

/// The rows of `p` are output pixels, its columns output channels. Part blockIdx.y writes its sums
/// for window element blockIdx.z into partial[parts, R, S, channels].
template <class T>
__device__ void depthwiseWeightSums(const T* STRATA_RESTRICT x, const T* STRATA_RESTRICT dy,
                                    float* partial, const Window& g, int64_t multiplier,
                                    const ColumnParts& p) {
  const ColumnPlace place(p);
  const int64_t element = blockIdx.z, r = element / g.windowW, s = element % g.windowW,
                c = place.column / multiplier;
  float sum = 0;
  for (int64_t pixel = place.row; pixel < place.end; pixel += place.step) {
    const int64_t h = g.row(pixel / g.outputW % g.outputH, r),
                  column = g.column(pixel % g.outputW, s), image = pixel / g.outputW / g.outputH;
    if (g.isInside(h, column))
      sum += toFloat(x[((image * g.inputH + h) * g.inputW + column) * g.channels + c]) *
             toFloat(dy[pixel * p.columns + place.column]);
  }
  sum = sumOverRows(sum, place, p);
  if (place.isFirst(p))
    partial[(static_cast<int64_t>(blockIdx.y) * g.windowH * g.windowW + element) * p.columns +
            place.column] = sum;
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                               \
  STRATA_GLOBAL depthwise_conv2d_##suffix(const T* x, const T* w, const T* bias, T* y,          \
                                          strata::cuda::Window window, int64_t multiplier,      \
                                          int32_t kind, float alpha) {                          \
    strata::cuda::depthwise(x, w, bias, y, window, multiplier, kind, alpha);                    \
  }                                                                                             \
  STRATA_KERNEL(depthwise_conv2d_##suffix)                                                      \
  STRATA_GLOBAL depthwise_conv2d_backward_data_##suffix(                                        \
      const T* dy, const T* w, T* dx, strata::cuda::Window window, int64_t multiplier) {        \
    strata::cuda::depthwiseBackwardData(dy, w, dx, window, multiplier);                         \
  }                                                                                             \
  STRATA_KERNEL(depthwise_conv2d_backward_data_##suffix)                                        \
  STRATA_GLOBAL depthwise_weight_sums_##suffix(const T* x, const T* dy, float* partial,         \
                                               strata::cuda::Window window, int64_t multiplier, \
                                               strata::cuda::ColumnParts parts) {               \
    strata::cuda::depthwiseWeightSums(x, dy, partial, window, multiplier, parts);               \
  }                                                                                             \
  STRATA_COOPERATIVE_KERNEL(depthwise_weight_sums_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

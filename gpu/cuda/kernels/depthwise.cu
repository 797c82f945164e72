// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution with weights [R,S,C,M], and its gradients. Output channel c * M + m reads
// input channel c.
#include "gpu/cuda/kernels/activation.cuh"
#include "gpu/cuda/kernels/columns.cuh"
#include "gpu/cuda/kernels/window.h"

namespace strata::cuda {

template <class T>
__device__ void depthwise(const T* STRATA_RESTRICT x, const T* STRATA_RESTRICT w, const T* bias,
                          T* y, const Window& g, int32_t multiplier, int32_t kind, float alpha) {
  const int64_t i = globalThread();
  if (i >= g.outputElements()) return;
  const ImagePlace at = g.outputPlace(i);
  x += at.channel / multiplier;
  w += at.channel;
  float sum = bias ? toFloat(bias[at.channel]) : 0.0f;
  for (int32_t r = 0; r < g.windowH; ++r)
    for (int32_t s = 0; s < g.windowW; ++s, w += g.outputChannels) {
      const int32_t h = g.row(at.row, r), column = g.column(at.column, s);
      if (g.isInside(h, column)) sum += toFloat(x[g.inputAt(at.image, h, column)]) * toFloat(*w);
    }
  y[i] = fromFloat<T>(activationValue(kind, sum, alpha));
}

template <class T>
__device__ void depthwiseBackwardData(const T* STRATA_RESTRICT dy, const T* STRATA_RESTRICT w,
                                      T* dx, const Window& g, int32_t multiplier) {
  const int64_t i = globalThread();
  if (i >= g.inputElements()) return;
  const ImagePlace at = g.inputPlace(i);
  dy += at.channel * multiplier;
  w += at.channel * multiplier;
  float sum = 0;
  for (int32_t r = 0; r < g.windowH; ++r) {
    const int32_t p = g.outputRow(at.row, r);
    if (p < 0) continue;
    for (int32_t s = 0; s < g.windowW; ++s) {
      const int32_t q = g.outputColumn(at.column, s);
      if (q < 0) continue;
      const T* from = dy + g.outputAt(at.image, p, q);
      const T* weights = w + (r * g.windowW + s) * static_cast<int64_t>(g.outputChannels);
      for (int32_t k = 0; k < multiplier; ++k)
        sum += toFloat(from[k]) * toFloat(weights[k]);
    }
  }
  dx[i] = fromFloat<T>(sum);
}

/// The rows of `p` are output pixels, its columns output channels. Part blockIdx.y writes its sums
/// for window element blockIdx.z into partial[parts, R, S, channels].
template <class T>
__device__ void depthwiseWeightSums(const T* STRATA_RESTRICT x, const T* STRATA_RESTRICT dy,
                                    float* partial, const Window& g, int32_t multiplier,
                                    const ColumnParts& p) {
  const ColumnPlace place(p);
  const auto element = static_cast<int32_t>(blockIdx.z);
  const int32_t r = element / g.windowW, s = element % g.windowW;
  const T* from = x + place.column / multiplier;
  float sum = 0;
#pragma unroll 4
  for (int64_t pixel = place.row; pixel < place.end; pixel += place.step) {
    const ImagePlace at = ImagePlace::of(pixel, g.outputH, g.outputW, 1);
    const int32_t h = g.row(at.row, r), column = g.column(at.column, s);
    if (g.isInside(h, column))
      sum += toFloat(from[g.inputAt(at.image, h, column)]) *
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
                                          strata::cuda::Window window, int32_t multiplier,      \
                                          int32_t kind, float alpha) {                          \
    strata::cuda::depthwise(x, w, bias, y, window, multiplier, kind, alpha);                    \
  }                                                                                             \
  STRATA_KERNEL(depthwise_conv2d_##suffix)                                                      \
  STRATA_GLOBAL depthwise_conv2d_backward_data_##suffix(                                        \
      const T* dy, const T* w, T* dx, strata::cuda::Window window, int32_t multiplier) {        \
    strata::cuda::depthwiseBackwardData(dy, w, dx, window, multiplier);                         \
  }                                                                                             \
  STRATA_KERNEL(depthwise_conv2d_backward_data_##suffix)                                        \
  STRATA_GLOBAL depthwise_weight_sums_##suffix(const T* x, const T* dy, float* partial,         \
                                               strata::cuda::Window window, int32_t multiplier, \
                                               strata::cuda::ColumnParts parts) {               \
    strata::cuda::depthwiseWeightSums(x, dy, partial, window, multiplier, parts);               \
  }                                                                                             \
  STRATA_COOPERATIVE_KERNEL(depthwise_weight_sums_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

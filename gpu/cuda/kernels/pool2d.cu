// SPDX-License-Identifier: Apache-2.0
// Max and average pooling with their gradients, one thread per element.
#include "gpu/cuda/kernels/activation.cuh"
#include "gpu/cuda/kernels/window.h"

namespace strata::cuda {

template <class T>
__device__ void maxPool(const T* STRATA_RESTRICT x, T* y, uint8_t* index, Window g, int32_t kind,
                        float alpha) {
  const int64_t i = globalThread();
  if (i >= g.outputElements()) return;
  const ImagePlace at = g.outputPlace(i);
  float best = 0;
  int32_t element = -1;
  for (int32_t r = 0; r < g.windowH; ++r)
    for (int32_t s = 0; s < g.windowW; ++s) {
      const int32_t h = g.row(at.row, r), w = g.column(at.column, s);
      if (!g.isInside(h, w)) continue;
      const float value = toFloat(x[g.inputElement(at.image, h, w, at.channel)]);
      // NaN counts as larger than any number
      if (element < 0 || value > best || (value != value && best == best)) {
        best = value;
        element = r * g.windowW + s;
      }
    }
  y[i] = fromFloat<T>(activationValue(kind, best, alpha));
  index[i] = static_cast<uint8_t>(element < 0 ? 0 : element);
}

/// Each thread sums the gradients of all windows that chose its element of the input.
template <class T>
__device__ void maxPoolBackward(const T* STRATA_RESTRICT dy, const uint8_t* STRATA_RESTRICT index,
                                T* dx, Window g) {
  const int64_t i = globalThread();
  if (i >= g.inputElements()) return;
  const ImagePlace at = g.inputPlace(i);
  float sum = 0;
  for (int32_t r = 0; r < g.windowH; ++r) {
    const int32_t p = g.outputRow(at.row, r);
    if (p < 0) continue;
    for (int32_t s = 0; s < g.windowW; ++s) {
      const int32_t q = g.outputColumn(at.column, s);
      if (q < 0) continue;
      const int64_t from = g.outputElement(at.image, p, q, at.channel);
      if (index[from] == r * g.windowW + s) sum += toFloat(dy[from]);
    }
  }
  dx[i] = fromFloat<T>(sum);
}

/// Returns how many of `window` elements from `begin` on lie in [0, size).
__device__ inline int32_t elementsInside(int32_t begin, int32_t window, int32_t size) {
  const int32_t first = begin < 0 ? 0 : begin, end = begin + window < size ? begin + window : size;
  return end > first ? end - first : 0;
}

template <class T>
__device__ void averagePool(const T* STRATA_RESTRICT x, T* y, Window g) {
  const int64_t i = globalThread();
  if (i >= g.outputElements()) return;
  const ImagePlace at = g.outputPlace(i);
  float sum = 0;
  for (int32_t r = 0; r < g.windowH; ++r)
    for (int32_t s = 0; s < g.windowW; ++s) {
      const int32_t h = g.row(at.row, r), w = g.column(at.column, s);
      if (g.isInside(h, w)) sum += toFloat(x[g.inputElement(at.image, h, w, at.channel)]);
    }
  const int32_t inside = elementsInside(g.row(at.row, 0), g.windowH, g.inputH) *
                         elementsInside(g.column(at.column, 0), g.windowW, g.inputW);
  y[i] = fromFloat<T>(sum / static_cast<float>(inside > 0 ? inside : 1));
}

/// Each thread sums the shares of its element of the input in all windows that contain it.
template <class T>
__device__ void averagePoolBackward(const T* STRATA_RESTRICT dy, T* dx, Window g) {
  const int64_t i = globalThread();
  if (i >= g.inputElements()) return;
  const ImagePlace at = g.inputPlace(i);
  float sum = 0;
  for (int32_t r = 0; r < g.windowH; ++r) {
    const int32_t p = g.outputRow(at.row, r);
    if (p < 0) continue;
    const int32_t rows = elementsInside(g.row(p, 0), g.windowH, g.inputH);
    for (int32_t s = 0; s < g.windowW; ++s) {
      const int32_t q = g.outputColumn(at.column, s);
      if (q < 0) continue;
      const int32_t inside = rows * elementsInside(g.column(q, 0), g.windowW, g.inputW);
      sum += toFloat(dy[g.outputElement(at.image, p, q, at.channel)]) / static_cast<float>(inside);
    }
  }
  dx[i] = fromFloat<T>(sum);
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                  \
  STRATA_GLOBAL max_pool2d_##suffix(const T* x, T* y, uint8_t* index, strata::cuda::Window window, \
                                    int32_t kind, float alpha) {                                   \
    strata::cuda::maxPool(x, y, index, window, kind, alpha);                                       \
  }                                                                                                \
  STRATA_KERNEL(max_pool2d_##suffix)                                                               \
  STRATA_GLOBAL max_pool2d_backward_##suffix(const T* dy, const uint8_t* index, T* dx,             \
                                             strata::cuda::Window window) {                        \
    strata::cuda::maxPoolBackward(dy, index, dx, window);                                          \
  }                                                                                                \
  STRATA_KERNEL(max_pool2d_backward_##suffix)                                                      \
  STRATA_GLOBAL avg_pool2d_##suffix(const T* x, T* y, strata::cuda::Window window) {               \
    strata::cuda::averagePool(x, y, window);                                                       \
  }                                                                                                \
  STRATA_KERNEL(avg_pool2d_##suffix)                                                               \
  STRATA_GLOBAL avg_pool2d_backward_##suffix(const T* dy, T* dx, strata::cuda::Window window) {    \
    strata::cuda::averagePoolBackward(dy, dx, window);                                             \
  }                                                                                                \
  STRATA_KERNEL(avg_pool2d_backward_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

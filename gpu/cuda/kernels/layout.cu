// SPDX-License-Identifier: Apache-2.0
// Copies around library calls: the transpose of a matrix, and images with a border of zeros.
#include "gpu/cuda/kernels/device.cuh"

namespace strata::cuda {

/// to[columns, rows] is the transpose of from[rows, columns].
template <class T>
__device__ void transposeMatrix(const T* STRATA_RESTRICT from, T* to, int64_t rows,
                                int64_t columns) {
  const int64_t i = globalThread();
  if (i < rows * columns) to[i] = from[i % rows * columns + i / rows];
}

/// `i` is an element of the padded images [n, paddedHeight, paddedWidth, channels]. Returns its
/// place in the images without border, or -1 in the border.
__device__ inline int64_t insideOf(int64_t i, int64_t height, int64_t width, int64_t channels,
                                   int64_t paddedHeight, int64_t paddedWidth, int64_t top,
                                   int64_t left) {
  const int64_t c = i % channels, pixel = i / channels, w = pixel % paddedWidth - left,
                h = pixel / paddedWidth % paddedHeight - top,
                n = pixel / paddedWidth / paddedHeight;
  if (h < 0 || h >= height || w < 0 || w >= width) return -1;
  return ((n * height + h) * width + w) * channels + c;
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                 \
  STRATA_GLOBAL transpose_matrix_##suffix(const T* from, T* to, int64_t rows, int64_t columns) {  \
    strata::cuda::transposeMatrix(from, to, rows, columns);                                       \
  }                                                                                               \
  STRATA_KERNEL(transpose_matrix_##suffix)                                                        \
  STRATA_GLOBAL add_border_##suffix(const T* from, T* to, int64_t count, int64_t height,          \
                                    int64_t width, int64_t channels, int64_t paddedHeight,        \
                                    int64_t paddedWidth, int64_t top, int64_t left) {             \
    const int64_t i = strata::cuda::globalThread();                                               \
    if (i >= count) return;                                                                       \
    const int64_t inside =                                                                        \
        strata::cuda::insideOf(i, height, width, channels, paddedHeight, paddedWidth, top, left); \
    to[i] = inside < 0 ? T{} : from[inside];                                                      \
  }                                                                                               \
  STRATA_KERNEL(add_border_##suffix)                                                              \
  STRATA_GLOBAL remove_border_##suffix(const T* from, T* to, int64_t count, int64_t height,       \
                                       int64_t width, int64_t channels, int64_t paddedHeight,     \
                                       int64_t paddedWidth, int64_t top, int64_t left) {          \
    const int64_t i = strata::cuda::globalThread();                                               \
    if (i >= count) return;                                                                       \
    const int64_t inside =                                                                        \
        strata::cuda::insideOf(i, height, width, channels, paddedHeight, paddedWidth, top, left); \
    if (inside >= 0) to[inside] = from[i];                                                        \
  }                                                                                               \
  STRATA_KERNEL(remove_border_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

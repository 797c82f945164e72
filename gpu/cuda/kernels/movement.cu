// SPDX-License-Identifier: Apache-2.0
// Kernels that only move elements, for elements of 1, 2, 4 and 8 bytes.
#include "gpu/cuda/kernels/movement.h"

#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

/// Copies the element at the i-th offset of the walk to y[i].
template <class T>
__device__ void copyWalk(const T* STRATA_RESTRICT x, T* y, int64_t count, const Walk& walk) {
  const int64_t i = globalThread();
  if (i < count) y[i] = x[walk.offset(i, 0)];
}

/// Transposes matrices in tiles of shared memory, so that reads and writes are contiguous. A block
/// of 256 threads moves one tile.
template <class T>
__device__ void transposeTiles(const T* STRATA_RESTRICT x, T* y, const MatrixTransposes& all) {
  STRATA_SHARED(T, tile, kTile * (kTile + 1));
  const int64_t tilesInRow = (all.columns + kTile - 1) / kTile,
                tilesInColumn = (all.rows + kTile - 1) / kTile, block = blockIdx.x,
                at = block % (tilesInRow * tilesInColumn),
                matrix = block / (tilesInRow * tilesInColumn);
  const int64_t row = at / tilesInRow * kTile, column = at % tilesInRow * kTile;
  const int lane = static_cast<int>(threadIdx.x) % kTile,
            first = static_cast<int>(threadIdx.x) / kTile,
            step = static_cast<int>(blockDim.x) / kTile;
  const T* from = x + all.matrices.offset(matrix, 0);
  T* to = y + all.matrices.offset(matrix, 1);
  for (int i = first; i < kTile; i += step)
    if (row + i < all.rows && column + lane < all.columns)
      tile[i * (kTile + 1) + lane] = from[(row + i) * all.rowStride + column + lane];
  __syncthreads();
  for (int i = first; i < kTile; i += step)
    if (column + i < all.columns && row + lane < all.rows)
      to[(column + i) * all.columnStride + row + lane] = tile[lane * (kTile + 1) + i];
}

/// Copies x[rows, part] into the columns of y[rows, row] from `offset` on.
template <class T>
__device__ void copyPart(const T* STRATA_RESTRICT x, T* y, int64_t count, int64_t part, int64_t row,
                         int64_t offset) {
  const int64_t i = globalThread();
  if (i < count) y[i / part * row + offset + i % part] = x[i];
}

template <class T>
__device__ void pad(const T* STRATA_RESTRICT x, T* y, int64_t count, const PadBox& box, T fill) {
  const int64_t i = globalThread();
  if (i >= count) return;
  int64_t rest = i, from = 0;
  bool isInside = true;
  for (int axis = box.rank - 1; axis >= 0; --axis) {
    const int64_t next = rest / box.dims[axis];
    const int64_t index = rest - next * box.dims[axis] - box.before[axis];
    isInside = isInside && index >= 0 && index < box.inside[axis];
    from += index * box.strides[axis];
    rest = next;
  }
  y[i] = isInside ? x[from] : fill;
}

template <class T>
__device__ void oneHot(const void* labels, T* y, int64_t count, int64_t classes, int32_t labelBytes,
                       T one) {
  const int64_t i = globalThread();
  if (i < count) y[i] = integerAt(labels, labelBytes, i / classes) == i % classes ? one : T{0};
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                \
  STRATA_GLOBAL copy_walk_##suffix(const T* x, T* y, int64_t count, strata::cuda::Walk walk) {   \
    strata::cuda::copyWalk(x, y, count, walk);                                                   \
  }                                                                                              \
  STRATA_KERNEL(copy_walk_##suffix)                                                              \
  STRATA_GLOBAL transpose_tiles_##suffix(const T* x, T* y, strata::cuda::MatrixTransposes all) { \
    strata::cuda::transposeTiles(x, y, all);                                                     \
  }                                                                                              \
  STRATA_COOPERATIVE_KERNEL(transpose_tiles_##suffix)                                            \
  STRATA_GLOBAL copy_part_##suffix(const T* x, T* y, int64_t count, int64_t part, int64_t row,   \
                                   int64_t offset) {                                             \
    strata::cuda::copyPart(x, y, count, part, row, offset);                                      \
  }                                                                                              \
  STRATA_KERNEL(copy_part_##suffix)                                                              \
  STRATA_GLOBAL pad_##suffix(const T* x, T* y, int64_t count, strata::cuda::PadBox box,          \
                             uint64_t fill) {                                                    \
    strata::cuda::pad(x, y, count, box, static_cast<T>(fill));                                   \
  }                                                                                              \
  STRATA_KERNEL(pad_##suffix)                                                                    \
  STRATA_GLOBAL one_hot_##suffix(const void* labels, T* y, int64_t count, int64_t classes,       \
                                 int32_t labelBytes, uint64_t one) {                             \
    strata::cuda::oneHot(labels, y, count, classes, labelBytes, static_cast<T>(one));            \
  }                                                                                              \
  STRATA_KERNEL(one_hot_##suffix)
STRATA_FOR_SIZES(STRATA_KERNELS)
#undef STRATA_KERNELS

// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/gemm.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace strata::simulated {
namespace {

template <size_t bytes>
using Vector [[gnu::vector_size(bytes)]] = float;
// The size of a tile of c, and the depth of a block
constexpr int64_t kRows = 6, kColumns = 32, kDepth = 256;
// So many products are summed before they are added to c: shorter sums have smaller errors
constexpr int64_t kSum = 32;

/// Adds a block of products to two vectors of columns of a tile. `a` is [depth][kRows], `b` is
/// [depth][kColumns].
template <class V>
[[gnu::always_inline]] inline void addColumns(int64_t depth, const float* a, const float* b,
                                              float* c, int64_t ldc) {
  constexpr int64_t kWidth = sizeof(V) / sizeof(float);
  for (int64_t begin = 0; begin < depth; begin += kSum) {
    const int64_t end = std::min(depth, begin + kSum);
    V sum[kRows][2] = {};
    for (int64_t p = begin; p < end; ++p) {
      V first, second;
      std::memcpy(&first, b + p * kColumns, sizeof(V));
      std::memcpy(&second, b + p * kColumns + kWidth, sizeof(V));
#pragma GCC unroll 6
      for (int64_t r = 0; r < kRows; ++r) {
        const float factor = a[p * kRows + r];
        sum[r][0] += first * factor;
        sum[r][1] += second * factor;
      }
    }
#pragma GCC unroll 6
    for (int64_t r = 0; r < kRows; ++r) {
      V before[2];
      std::memcpy(before, c + r * ldc, sizeof before);
      before[0] += sum[r][0];
      before[1] += sum[r][1];
      std::memcpy(c + r * ldc, before, sizeof before);
    }
  }
}

template <class V>
[[gnu::always_inline]] inline void addWholeTile(int64_t depth, const float* a, const float* b,
                                                float* c, int64_t ldc) {
  constexpr auto kStep = static_cast<int64_t>(2 * sizeof(V) / sizeof(float));
  for (int64_t column = 0; column < kColumns; column += kStep)
    addColumns<V>(depth, a, b + column, c + column, ldc);
}

using AddTile = void(int64_t depth, const float* a, const float* b, float* c, int64_t ldc);
#if defined(__x86_64__)
[[gnu::target("avx512f")]] void addTileAvx512(int64_t depth, const float* a, const float* b,
                                              float* c, int64_t ldc) {
  addWholeTile<Vector<64>>(depth, a, b, c, ldc);
}
[[gnu::target("avx2,fma")]] void addTileAvx2(int64_t depth, const float* a, const float* b,
                                             float* c, int64_t ldc) {
  addWholeTile<Vector<32>>(depth, a, b, c, ldc);
}
#endif
void addTilePlain(int64_t depth, const float* a, const float* b, float* c, int64_t ldc) {
  addWholeTile<Vector<16>>(depth, a, b, c, ldc);
}

AddTile* chooseAddTile() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return addTileAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return addTileAvx2;
#endif
  return addTilePlain;
}

/// Copies a block of a matrix to [tiles][depth][width], rows in tiles of `width`. Tiles are filled
/// up with 0.
template <int64_t width>
void packTile(MatrixView matrix, int64_t firstRow, int64_t rows, int64_t firstColumn,
              int64_t columns, float* packed) {
  const float* from = matrix.data + firstRow * matrix.rowStride + firstColumn * matrix.columnStride;
  if (rows < width) std::fill_n(packed, columns * width, 0.0f);
  if (matrix.rowStride == 1 && rows == width) {
    for (int64_t p = 0; p < columns; ++p, from += matrix.columnStride)
      std::memcpy(packed + p * width, from, width * sizeof(float));
    return;
  }
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t p = 0; p < columns; ++p)
      packed[p * width + r] = from[r * matrix.rowStride + p * matrix.columnStride];
}

}  // namespace

void multiply(ThreadPool& pool, int64_t rows, int64_t columns, int64_t depth, MatrixView a,
              MatrixView b, float* c, int64_t ldc, bool adds) {
  if (rows <= 0 || columns <= 0) return;
  static AddTile* const addTile = chooseAddTile();
  const int64_t rowTiles = (rows + kRows - 1) / kRows,
                columnTiles = (columns + kColumns - 1) / kColumns, workers = pool.numWorkers();
  const int64_t deepest = std::min(kDepth, std::max<int64_t>(depth, 1));
  const auto packedB = std::make_unique_for_overwrite<float[]>(
      static_cast<size_t>(columnTiles * kColumns * deepest));
  const MatrixView columnsOfB{b.data, b.columnStride, b.rowStride};
  for (int64_t from = 0; from == 0 || from < depth; from += kDepth) {
    const int64_t size = std::min(kDepth, depth - from);
    pool.run([&](int worker) {
      for (int64_t t = columnTiles * worker / workers; t < columnTiles * (worker + 1) / workers;
           ++t)
        packTile<kColumns>(columnsOfB, t * kColumns, std::min(kColumns, columns - t * kColumns),
                           from, size, packedB.get() + t * kColumns * size);
    });
    // Each worker computes some rows of c
    pool.run([&](int worker) {
      float packedA[kRows * kDepth], edge[kRows * kColumns];
      for (int64_t t = rowTiles * worker / workers; t < rowTiles * (worker + 1) / workers; ++t) {
        const int64_t row = t * kRows, height = std::min(kRows, rows - row);
        packTile<kRows>(a, row, height, from, size, packedA);
        if (from == 0 && !adds)
          for (int64_t r = row; r < row + height; ++r)
            std::fill_n(c + r * ldc, columns, 0.0f);
        for (int64_t column = 0; column < columns; column += kColumns) {
          const int64_t width = std::min(kColumns, columns - column);
          const float* tileB = packedB.get() + column * size;
          float* tile = c + row * ldc + column;
          if (height == kRows && width == kColumns) {
            addTile(size, packedA, tileB, tile, ldc);
            continue;
          }
          std::fill_n(edge, kRows * kColumns, 0.0f);
          for (int64_t r = 0; r < height; ++r)
            std::copy_n(tile + r * ldc, width, edge + r * kColumns);
          addTile(size, packedA, tileB, edge, kColumns);
          for (int64_t r = 0; r < height; ++r)
            std::copy_n(edge + r * kColumns, width, tile + r * ldc);
        }
      }
    });
  }
}

}  // namespace strata::simulated

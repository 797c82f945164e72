// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/gemm.h"

#include <algorithm>
#include <vector>

namespace strata::simulated {
namespace {

using Vector = float __attribute__((vector_size(64), aligned(4), may_alias));
constexpr int64_t kVector = 16;
// The size of a tile of c, and the depth of a block
constexpr int64_t kRows = 6, kColumns = 2 * kVector, kDepth = 256;

/// Adds a block of products to a tile. `a` is [depth][kRows], `b` is [depth][kColumns].
__attribute__((target_clones("arch=skylake-avx512", "arch=haswell", "default"))) void addTile(
    int64_t depth, const float* a, const float* b, float* c, int64_t ldc) {
  Vector sum[kRows][2];
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t v = 0; v < 2; ++v)
      sum[r][v] = *reinterpret_cast<const Vector*>(c + r * ldc + v * kVector);
  for (int64_t p = 0; p < depth; ++p) {
    const Vector first = *reinterpret_cast<const Vector*>(b + p * kColumns),
                 second = *reinterpret_cast<const Vector*>(b + p * kColumns + kVector);
    for (int64_t r = 0; r < kRows; ++r) {
      const float factor = a[p * kRows + r];
      sum[r][0] += first * factor;
      sum[r][1] += second * factor;
    }
  }
  for (int64_t r = 0; r < kRows; ++r)
    for (int64_t v = 0; v < 2; ++v)
      *reinterpret_cast<Vector*>(c + r * ldc + v * kVector) = sum[r][v];
}

}  // namespace

void multiply(ThreadPool& pool, int64_t rows, int64_t columns, int64_t depth, MatrixView a,
              MatrixView b, float* c, int64_t ldc, bool adds) {
  if (rows <= 0 || columns <= 0) return;
  const int64_t rowTiles = (rows + kRows - 1) / kRows,
                columnTiles = (columns + kColumns - 1) / kColumns, tiles = rowTiles * columnTiles;
  const int64_t workers = pool.numWorkers();
  // Each worker computes some tiles of c alone
  pool.run([&](int worker) {
    const int64_t first = tiles * worker / workers, end = tiles * (worker + 1) / workers;
    std::vector<float> packedA(static_cast<size_t>(kRows * kDepth)),
        packedB(static_cast<size_t>(kColumns * std::max<int64_t>(depth, 1)));
    float tile[kRows * kColumns];
    int64_t packedColumn = -1;
    for (int64_t t = first; t < end; ++t) {
      const int64_t column = t / rowTiles * kColumns, row = t % rowTiles * kRows;
      const int64_t width = std::min(kColumns, columns - column),
                    height = std::min(kRows, rows - row);
      if (packedColumn != column) {
        packedColumn = column;
        for (int64_t p = 0; p < depth; ++p)
          for (int64_t j = 0; j < kColumns; ++j)
            packedB[static_cast<size_t>(p * kColumns + j)] =
                j < width ? b.data[p * b.rowStride + (column + j) * b.columnStride] : 0.0f;
      }
      for (int64_t r = 0; r < kRows; ++r)
        for (int64_t j = 0; j < kColumns; ++j)
          tile[r * kColumns + j] =
              adds && r < height && j < width ? c[(row + r) * ldc + column + j] : 0.0f;
      for (int64_t from = 0; from < depth; from += kDepth) {
        const int64_t size = std::min(kDepth, depth - from);
        for (int64_t p = 0; p < size; ++p)
          for (int64_t r = 0; r < kRows; ++r)
            packedA[static_cast<size_t>(p * kRows + r)] =
                r < height ? a.data[(row + r) * a.rowStride + (from + p) * a.columnStride] : 0.0f;
        addTile(size, packedA.data(), packedB.data() + from * kColumns, tile, kColumns);
      }
      for (int64_t r = 0; r < height; ++r)
        std::copy_n(tile + r * kColumns, width, c + (row + r) * ldc + column);
    }
  });
}

}  // namespace strata::simulated

// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/gemm.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace strata::simulated {
namespace {

template <size_t bytes>
using Vector [[gnu::vector_size(bytes)]] = float;
// The size of a tile of c, and the depth of a block
constexpr int64_t kRows = 6, kColumns = 32, kDepth = 256;

/// Adds a block of products to two vectors of columns of a tile. `a` is [depth][kRows], `b` is
/// [depth][kColumns], `c` is [kRows][kColumns].
template <class V>
[[gnu::always_inline]] inline void addColumns(int64_t depth, const float* a, const float* b,
                                              float* c) {
  constexpr int64_t kWidth = sizeof(V) / sizeof(float);
  V sum[kRows][2];
#pragma GCC unroll 6
  for (int64_t r = 0; r < kRows; ++r) {
    std::memcpy(&sum[r][0], c + r * kColumns, sizeof(V));
    std::memcpy(&sum[r][1], c + r * kColumns + kWidth, sizeof(V));
  }
  for (int64_t p = 0; p < depth; ++p) {
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
    std::memcpy(c + r * kColumns, &sum[r][0], sizeof(V));
    std::memcpy(c + r * kColumns + kWidth, &sum[r][1], sizeof(V));
  }
}

template <class V>
[[gnu::always_inline]] inline void addWholeTile(int64_t depth, const float* a, const float* b,
                                                float* c) {
  constexpr auto kStep = static_cast<int64_t>(2 * sizeof(V) / sizeof(float));
  for (int64_t column = 0; column < kColumns; column += kStep)
    addColumns<V>(depth, a, b + column, c + column);
}

using AddTile = void(int64_t depth, const float* a, const float* b, float* c);
#if defined(__x86_64__)
[[gnu::target("avx512f")]] void addTileAvx512(int64_t depth, const float* a, const float* b,
                                              float* c) {
  addWholeTile<Vector<64>>(depth, a, b, c);
}
[[gnu::target("avx2,fma")]] void addTileAvx2(int64_t depth, const float* a, const float* b,
                                             float* c) {
  addWholeTile<Vector<32>>(depth, a, b, c);
}
#endif
void addTilePlain(int64_t depth, const float* a, const float* b, float* c) {
  addWholeTile<Vector<16>>(depth, a, b, c);
}

AddTile* chooseAddTile() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return addTileAvx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return addTileAvx2;
#endif
  return addTilePlain;
}

}  // namespace

void multiply(ThreadPool& pool, int64_t rows, int64_t columns, int64_t depth, MatrixView a,
              MatrixView b, float* c, int64_t ldc, bool adds) {
  if (rows <= 0 || columns <= 0) return;
  const int64_t rowTiles = (rows + kRows - 1) / kRows,
                columnTiles = (columns + kColumns - 1) / kColumns, tiles = rowTiles * columnTiles;
  const int64_t workers = pool.numWorkers();
  static AddTile* const addTile = chooseAddTile();
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
        addTile(size, packedA.data(), packedB.data() + from * kColumns, tile);
      }
      for (int64_t r = 0; r < height; ++r)
        std::copy_n(tile + r * kColumns, width, c + (row + r) * ldc + column);
    }
  });
}

}  // namespace strata::simulated

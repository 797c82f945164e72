// SPDX-License-Identifier: Apache-2.0
// How the blocks of a kernel cover a matrix whose columns they reduce. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

constexpr int kColumnThreads = 256;
// Blocks of columns whose parts are counted. A matrix with more has one part.
constexpr int64_t kMaxCountedBlocks = 1024;

/// A matrix [rows, columns] in parts of `partRows` rows. A block has kColumnThreads threads:
/// `lanes` of them stand on neighbouring columns, and the others on other rows. In memory, the
/// matrix is [rows / inner, columns, inner].
struct ColumnParts {
  int64_t rows = 0, columns = 0, partRows = 1, parts = 1;
  int64_t lanes = 32, inner = 1;

  int64_t columnBlocks() const { return (columns + lanes - 1) / lanes; }
  /// Returns the number of an element in memory.
  STRATA_DEVICE int64_t at(int64_t row, int64_t column) const {
    if (inner == 1) return row * columns + column;
    // Divisions of 64 bits take several times as long
    const int64_t outer = ((row | inner) >> 31) == 0
                              ? static_cast<uint32_t>(row) / static_cast<uint32_t>(inner)
                              : row / inner;
    return (outer * columns + column) * inner + row - outer * inner;
  }
};

/// Returns parts that give every multiprocessor blocks. They depend only on the sizes.
inline ColumnParts columnParts(int64_t rows, int64_t columns, int64_t inner = 1) {
  constexpr int64_t kBlocks = kMaxCountedBlocks, kRowsOfThread = 8;
  ColumnParts p;
  p.rows = rows;
  p.columns = columns;
  p.inner = inner;
  // Neighbouring threads read neighbouring elements
  if (inner > 1) p.lanes = 1;
  while (p.lanes > 1 && p.lanes / 2 >= columns)
    p.lanes /= 2;
  const int64_t atOnce = kColumnThreads / p.lanes * kRowsOfThread;
  const int64_t wanted = (rows + atOnce - 1) / atOnce,
                most = kBlocks / (p.columnBlocks() > 0 ? p.columnBlocks() : 1);
  p.parts = wanted < most ? wanted : most;
  if (p.parts < 1) p.parts = 1;
  p.partRows = (rows + p.parts - 1) / p.parts;
  if (p.partRows < 1) p.partRows = 1;
  p.parts = (rows + p.partRows - 1) / p.partRows;
  if (p.parts < 1) p.parts = 1;
  return p;
}

}  // namespace strata::cuda

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
/// `lanes` of them stand on neighbouring columns, and the others on other rows.
struct ColumnParts {
  int64_t rows = 0, columns = 0, partRows = 1, parts = 1;
  int64_t lanes = 32;

  int64_t columnBlocks() const { return (columns + lanes - 1) / lanes; }
};

/// Returns parts that give every multiprocessor blocks. They depend only on the sizes.
inline ColumnParts columnParts(int64_t rows, int64_t columns) {
  constexpr int64_t kBlocks = kMaxCountedBlocks, kRowsOfThread = 8;
  ColumnParts p;
  p.rows = rows;
  p.columns = columns;
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

// SPDX-License-Identifier: Apache-2.0
// A matrix product on the host for the library calls of simulated cards.
// Thread: the workers of the pool.
#pragma once

#include <cstdint>

#include "gpu/base/thread_pool.h"

namespace strata::simulated {

/// A matrix in memory: element (i, j) is at data[i * rowStride + j * columnStride].
struct MatrixView {
  const float* data = nullptr;
  int64_t rowStride = 0, columnStride = 1;
};

/// Computes c[rows, columns] = a[rows, depth] b[depth, columns], or adds to c. `c` is row-major
/// with `ldc` elements from one row to the next. Sums run over `depth` in order.
void multiply(ThreadPool& pool, int64_t rows, int64_t columns, int64_t depth, MatrixView a,
              MatrixView b, float* c, int64_t ldc, bool adds);

}  // namespace strata::simulated

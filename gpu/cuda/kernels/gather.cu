// SPDX-License-Identifier: Apache-2.0
// Gathers rows of a table, and adds rows to a table. To add them, the lookups are sorted by row
// with a stable radix sort, so that the order of every sum is that of the lookups. Lookups outside
// the table are sorted to its end and ignored.
//
// The sort: each of `chunks` threads counts the digits of its keys; digits are numbered by digit,
// then by chunk, so that a prefix sum gives each chunk its places.
#include "gpu/cuda/kernels/gather.h"

#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

template <class Table, class T>
struct Rounded {
  __device__ static T of(Table value) { return fromFloat<T>(toFloat(value)); }
};
template <class T>
struct Rounded<T, T> {
  __device__ static T of(T value) { return value; }
};

/// y[i, c] = table[indices[i], c]. A lookup outside the table gives a row of NaN.
template <class Table, class T>
__device__ void gather(const Table* STRATA_RESTRICT table, const void* indices, T* y, int64_t count,
                       int64_t columns, int64_t rows, int32_t indexBytes) {
  const int64_t i = globalThread();
  if (i >= count) return;
  const int64_t lookup = quotient(i, columns), row = integerAt(indices, indexBytes, lookup);
  y[i] = row >= 0 && row < rows ? Rounded<Table, T>::of(table[row * columns + i - lookup * columns])
                                : fromFloat<T>(NAN);
}

/// Blocks are numbered by tile, then by their columns.
__device__ inline int64_t blocksOfTile(int64_t columns) {
  return (columns + blockDim.x - 1) / blockDim.x;
}
__device__ inline int64_t tileOfBlock(int64_t columns) {
  return blockIdx.x / blocksOfTile(columns);
}
__device__ inline int64_t columnOfThread(int64_t columns) {
  return blockIdx.x % blocksOfTile(columns) * blockDim.x + threadIdx.x;
}

/// Adds the rows of dy, or the squares of their elements, in tiles of kLookupsPerTile sorted
/// lookups, one thread per tile and column. A run is the lookups of one row. The sum of a run
/// inside the tile goes to the table. The sum of a run that begins before the tile goes to
/// `firsts`, that of a run that only begins in the tile to `lasts`.
template <class T>
__device__ void sumTiles(const T* STRATA_RESTRICT dy, const int32_t* keys, const int32_t* lookups,
                         float* table, float* firsts, float* lasts, int64_t count, int64_t columns,
                         int64_t rows, int32_t isOfSquares) {
  const int64_t tile = tileOfBlock(columns), column = columnOfThread(columns);
  if (column >= columns) return;
  const int64_t begin = tile * kLookupsPerTile,
                end = begin + kLookupsPerTile < count ? begin + kLookupsPerTile : count;
  for (int64_t at = begin; at < end;) {
    const int32_t row = keys[at];
    if (row >= rows) return;
    const bool beginsBefore = at == begin && at > 0 && keys[at - 1] == row;
    float sum = 0;
    for (; at < end && keys[at] == row; ++at) {
      const float value = toFloat(dy[static_cast<int64_t>(lookups[at]) * columns + column]);
      sum += isOfSquares != 0 ? value * value : value;
    }
    if (beginsBefore)
      firsts[tile * columns + column] = sum;
    else if (at == end && at < count && keys[at] == row)
      lasts[tile * columns + column] = sum;
    else
      table[row * columns + column] = sum;
  }
}

}  // namespace strata::cuda

/// Writes the first keys and lookups: keys outside the table become `rows`.
STRATA_GLOBAL gather_keys(const void* indices, int32_t* keys, int32_t* lookups, int64_t count,
                          int64_t rows, int32_t indexBytes) {
  const int64_t i = strata::cuda::globalThread();
  if (i >= count) return;
  const int64_t row = strata::cuda::integerAt(indices, indexBytes, i);
  keys[i] = static_cast<int32_t>(row >= 0 && row < rows ? row : rows);
  lookups[i] = static_cast<int32_t>(i);
}
STRATA_KERNEL(gather_keys)

/// Counts the digits of each chunk: counts is [digits, chunks].
STRATA_GLOBAL gather_count(const int32_t* keys, int32_t* counts, int64_t count, int32_t shift,
                           int64_t chunks) {
  using namespace strata::cuda;
  const int64_t chunk = globalThread();
  if (chunk >= chunks) return;
  for (int digit = 0; digit < kDigits; ++digit)
    counts[digit * chunks + chunk] = 0;
  const int64_t begin = chunk * kKeysPerChunk,
                end = begin + kKeysPerChunk < count ? begin + kKeysPerChunk : count;
  for (int64_t i = begin; i < end; ++i)
    ++counts[((keys[i] >> shift) & (kDigits - 1)) * chunks + chunk];
}
STRATA_KERNEL(gather_count)

/// Turns each row of counts[rows, columns] into prefix sums, and writes its total unless `totals`
/// is null. One warp per row.
STRATA_GLOBAL gather_scan(int32_t* counts, int32_t* totals, int64_t rows, int64_t columns) {
  using namespace strata::cuda;
  const int64_t row = globalThread() / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (row >= rows) return;
  int32_t* own = counts + row * columns;
  int32_t before = 0;
  for (int64_t first = 0; first < columns; first += kWarp) {
    const bool isInside = first + lane < columns;
    const int32_t value = isInside ? own[first + lane] : 0;
    int32_t sum = value;
    for (int distance = 1; distance < kWarp; distance *= 2) {
      const int32_t other = __shfl_sync(kAllLanes, sum, lane < distance ? lane : lane - distance);
      if (lane >= distance) sum += other;
    }
    if (isInside) own[first + lane] = before + sum - value;
    before += __shfl_sync(kAllLanes, sum, kWarp - 1);
  }
  if (lane == 0 && totals) totals[row] = before;
}
STRATA_COOPERATIVE_KERNEL(gather_scan)

/// Moves the keys and lookups of each chunk to their places. `counts` and `totals` hold prefix
/// sums.
STRATA_GLOBAL gather_move(const int32_t* keys, const int32_t* lookups, int32_t* newKeys,
                          int32_t* newLookups, int32_t* counts, const int32_t* totals,
                          int64_t count, int32_t shift, int64_t chunks) {
  using namespace strata::cuda;
  const int64_t chunk = globalThread();
  if (chunk >= chunks) return;
  const int64_t begin = chunk * kKeysPerChunk,
                end = begin + kKeysPerChunk < count ? begin + kKeysPerChunk : count;
  for (int64_t i = begin; i < end; ++i) {
    const int32_t digit = (keys[i] >> shift) & (kDigits - 1);
    const int32_t place = totals[digit] + counts[digit * chunks + chunk]++;
    newKeys[place] = keys[i];
    newLookups[place] = lookups[i];
  }
}
STRATA_KERNEL(gather_move)

/// Adds the sums of runs that begin in a tile and end in another one.
STRATA_GLOBAL gather_join_tiles(const int32_t* keys, const float* firsts, const float* lasts,
                                float* table, int64_t count, int64_t columns, int64_t rows) {
  using namespace strata::cuda;
  const int64_t tile = tileOfBlock(columns), column = columnOfThread(columns);
  const int64_t begin = tile * kLookupsPerTile;
  int64_t end = begin + kLookupsPerTile;
  if (column >= columns || end >= count) return;
  const int32_t row = keys[end - 1];
  // The run of this row must begin in this tile and continue in the next one
  if (row >= rows || keys[end] != row || (begin > 0 && keys[begin - 1] == row)) return;
  float sum = lasts[tile * columns + column];
  for (int64_t next = tile + 1; end < count && keys[end] == row; ++next) {
    sum += firsts[next * columns + column];
    end += kLookupsPerTile;
  }
  table[row * columns + column] = sum;
}
STRATA_KERNEL(gather_join_tiles)

#define STRATA_KERNELS(suffix, T)                                                            \
  STRATA_GLOBAL gather_##suffix(const T* table, const void* indices, T* y, int64_t count,    \
                                int64_t columns, int64_t rows, int32_t indexBytes) {         \
    strata::cuda::gather(table, indices, y, count, columns, rows, indexBytes);               \
  }                                                                                          \
  STRATA_KERNEL(gather_##suffix)                                                             \
  STRATA_GLOBAL gather_rounded_##suffix(const float* table, const void* indices, T* y,       \
                                        int64_t count, int64_t columns, int64_t rows,        \
                                        int32_t indexBytes) {                                \
    strata::cuda::gather(table, indices, y, count, columns, rows, indexBytes);               \
  }                                                                                          \
  STRATA_KERNEL(gather_rounded_##suffix)                                                     \
  STRATA_GLOBAL gather_sum_tiles_##suffix(                                                   \
      const T* dy, const int32_t* keys, const int32_t* lookups, float* table, float* firsts, \
      float* lasts, int64_t count, int64_t columns, int64_t rows, int32_t isOfSquares) {     \
    strata::cuda::sumTiles(dy, keys, lookups, table, firsts, lasts, count, columns, rows,    \
                           isOfSquares);                                                     \
  }                                                                                          \
  STRATA_KERNEL(gather_sum_tiles_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

// SPDX-License-Identifier: Apache-2.0
// Batch normalization over the rows of x[rows, channels], and its gradient. ColumnParts says where
// an element is in memory. Statistics are computed from x minus the first row of x, so that a large
// mean costs no precision. Threads compute mean and squared deviations of a few elements at a time
// and join them (Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing
// sample variances", 1979).
#include "gpu/cuda/kernels/columns.cuh"
#include "gpu/cuda/kernels/moving_statistics.h"

namespace strata::cuda {

/// The number of elements, their mean, and the sum of their squared deviations from it.
struct Moments {
  float count = 0, mean = 0, squares = 0;

  __device__ void join(float otherCount, float otherMean, float otherSquares) {
    if (otherCount == 0) return;
    const float total = count + otherCount, share = otherCount / total, distance = otherMean - mean;
    mean += distance * share;
    squares += otherSquares + distance * distance * count * share;
    count = total;
  }
};

/// Joins the moments of the threads on the same column. The first of them gets the result.
__device__ inline void joinOverRows(Moments& moments, const ColumnPlace& place,
                                    const ColumnParts& p) {
  STRATA_SHARED(float, counts, kColumnThreads);
  STRATA_SHARED(float, means, kColumnThreads);
  STRATA_SHARED(float, squares, kColumnThreads);
  const int thread = static_cast<int>(threadIdx.x), lanes = static_cast<int>(p.lanes);
  counts[thread] = moments.count;
  means[thread] = moments.mean;
  squares[thread] = moments.squares;
  for (int distance = place.rowLanes / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (place.rowLane < distance) {
      const int other = thread + distance * lanes;
      moments.join(counts[other], means[other], squares[other]);
      counts[thread] = moments.count;
      means[thread] = moments.mean;
      squares[thread] = moments.squares;
    }
  }
}

/// Part blockIdx.y writes its rows of partial[2, parts, channels]: means and squared deviations.
template <class T>
__device__ void batchMoments(const T* STRATA_RESTRICT x, float* partial, const ColumnParts& p) {
  constexpr int kAtOnce = 8;
  const ColumnPlace place(p);
  const float shift = place.column < p.columns ? toFloat(x[p.at(0, place.column)]) : 0.0f;
  Moments moments;
  for (int64_t row = place.row; row < place.end; row += kAtOnce * place.step) {
    float values[kAtOnce], count = 0, sum = 0, squares = 0;
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const int64_t at = row + i * place.step;
      values[i] = at < place.end ? toFloat(x[p.at(at, place.column)]) - shift : 0.0f;
      sum += values[i];
      count += at < place.end ? 1.0f : 0.0f;
    }
    const float mean = sum / count;
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const float distance = row + i * place.step < place.end ? values[i] - mean : 0.0f;
      squares += distance * distance;
    }
    moments.join(count, mean, squares);
  }
  joinOverRows(moments, place, p);
  if (!place.isFirst(p)) return;
  const int64_t at = static_cast<int64_t>(blockIdx.y) * p.columns + place.column;
  partial[at] = moments.mean;
  partial[p.parts * p.columns + at] = moments.squares;
}

/// Computes the statistics of all rows. The last block of the columns joins the parts. `centre`
/// gets the mean of x minus its first row. Moving statistics are computed if there are any.
template <class T>
__device__ void batchStatistics(const T* x, float* partial, float* mean, float* invStd,
                                float* centre, unsigned int* counters, const ColumnParts& p,
                                float epsilon, const MovingStatistics& moving) {
  batchMoments(x, partial, p);
  // joinOverRows() is called again
  __syncthreads();
  if (!isLastPart(counters, p)) return;
  ColumnPlace place(p);
  place.toParts(p);
  Moments moments;
  for (int64_t part = place.row; part < place.end; part += place.step) {
    const int64_t left = p.rows - part * p.partRows, at = part * p.columns + place.column;
    moments.join(static_cast<float>(left < p.partRows ? left : p.partRows), partial[at],
                 partial[p.parts * p.columns + at]);
  }
  joinOverRows(moments, place, p);
  if (!place.isFirst(p)) return;
  centre[place.column] = moments.mean;
  mean[place.column] = toFloat(x[p.at(0, place.column)]) + moments.mean;
  const float variance = moments.squares / static_cast<float>(p.rows);
  invStd[place.column] = 1.0f / sqrtf(variance + epsilon);
  if (moving.mean.bits == 0) return;
  const float values[] = {mean[place.column], variance};
  const AddressBits from[] = {moving.mean, moving.variance},
                    to[] = {moving.nextMean, moving.nextVariance};
  for (int i = 0; i < 2; ++i)
    pointerOf<float>(to[i])[place.column] =
        pointerOf<const float>(from[i])[place.column] * moving.momentum + values[i] * moving.share;
}

/// y = (x - mean) * invStd * gamma + beta + addend, and relu. `addend` may be null.
template <class T>
__device__ void batchNormalize(const T* x, const float* gamma, const float* beta, const T* addend,
                               const float* invStd, const float* centre, T* y, const ColumnParts& p,
                               int32_t isRelu) {
  const ColumnPlace place(p);
  if (place.column >= p.columns) return;
  const float shift = toFloat(x[p.at(0, place.column)]), middle = centre[place.column],
              scale = invStd[place.column] * gamma[place.column], offset = beta[place.column];
#pragma unroll 4
  for (int64_t row = place.row; row < place.end; row += place.step) {
    const int64_t at = p.at(row, place.column);
    float value = (toFloat(x[at]) - shift - middle) * scale + offset;
    if (addend) value += toFloat(addend[at]);
    y[at] = fromFloat<T>(isRelu && value < 0 ? 0.0f : value);
  }
}

/// Which elements a fused relu lets through.
enum class Gate : int32_t { Open, ByResult, ByBeta };

/// The gradient of y and the normalized x of one channel.
template <class T>
struct ChannelGradient {
  const T* dy;
  const T* x;
  // y, if the gate reads it
  const T* result;
  float mean, invStd, gamma, beta;
  Gate gate;

  __device__ float normalized(int64_t at) const { return (toFloat(x[at]) - mean) * invStd; }
  __device__ float gradient(int64_t at, float normal) const {
    if (gate == Gate::ByResult && !(toFloat(result[at]) > 0)) return 0;
    if (gate == Gate::ByBeta && !(normal * gamma + beta > 0)) return 0;
    return toFloat(dy[at]);
  }
};

template <class T>
__device__ ChannelGradient<T> channelGradient(const T* dy, const T* x, const float* gamma,
                                              const float* mean, const float* invStd,
                                              const void* gateOperand, int32_t gate, int64_t c,
                                              int64_t channels) {
  const auto kind = static_cast<Gate>(gate);
  ChannelGradient<T> result{dy, x, static_cast<const T*>(gateOperand), 0, 0, 0, 0, kind};
  if (c >= channels) return result;
  result.mean = mean[c];
  result.invStd = invStd[c];
  result.gamma = gamma[c];
  if (kind == Gate::ByBeta) result.beta = static_cast<const float*>(gateOperand)[c];
  return result;
}

/// Sums dy times the normalized x, and dy.
template <class T>
__device__ void batchGradientSums(const T* dy, const T* x, const float* gamma, const float* mean,
                                  const float* invStd, const void* gateOperand, float* partial,
                                  unsigned int* counters, float* products, float* sums,
                                  const ColumnParts& p, int32_t gate) {
  const ColumnPlace place(p);
  const ChannelGradient<T> of =
      channelGradient(dy, x, gamma, mean, invStd, gateOperand, gate, place.column, p.columns);
  sumAllColumnPairs(p, partial, counters, products, sums, [&](int64_t row, int64_t column) {
    const int64_t at = p.at(row, column);
    const float normal = of.normalized(at), gradient = of.gradient(at, normal);
    return Pair{gradient * normal, gradient};
  });
}

template <class T>
__device__ void batchNormBackward(const T* dy, const T* x, const float* gamma, const float* mean,
                                  const float* invStd, const void* gateOperand, T* dx,
                                  const float* products, const float* sums, const ColumnParts& p,
                                  int32_t gate) {
  const ColumnPlace place(p);
  if (place.column >= p.columns) return;
  const ChannelGradient<T> of =
      channelGradient(dy, x, gamma, mean, invStd, gateOperand, gate, place.column, p.columns);
  const float count = static_cast<float>(p.rows), sum = sums[place.column] / count,
              product = products[place.column] / count, scale = of.gamma * of.invStd;
#pragma unroll 4
  for (int64_t row = place.row; row < place.end; row += place.step) {
    const int64_t at = p.at(row, place.column);
    const float normal = of.normalized(at);
    dx[at] = fromFloat<T>(scale * (of.gradient(at, normal) - sum - normal * product));
  }
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, T)                                                                 \
  STRATA_GLOBAL batch_statistics_##suffix(const T* x, float* partial, float* mean, float* invStd, \
                                          float* centre, unsigned int* counters,                  \
                                          strata::cuda::ColumnParts parts, float epsilon,         \
                                          strata::cuda::MovingStatistics moving) {                \
    strata::cuda::batchStatistics(x, partial, mean, invStd, centre, counters, parts, epsilon,     \
                                  moving);                                                        \
  }                                                                                               \
  STRATA_COOPERATIVE_KERNEL(batch_statistics_##suffix)                                            \
  STRATA_GLOBAL batch_normalize_##suffix(                                                         \
      const T* x, const float* gamma, const float* beta, const T* addend, const float* invStd,    \
      const float* centre, T* y, strata::cuda::ColumnParts parts, int32_t isRelu) {               \
    strata::cuda::batchNormalize(x, gamma, beta, addend, invStd, centre, y, parts, isRelu);       \
  }                                                                                               \
  STRATA_KERNEL(batch_normalize_##suffix)                                                         \
  STRATA_GLOBAL batch_gradient_sums_##suffix(                                                     \
      const T* dy, const T* x, const float* gamma, const float* mean, const float* invStd,        \
      const void* gateOperand, float* partial, unsigned int* counters, float* products,           \
      float* sums, strata::cuda::ColumnParts parts, int32_t gate) {                               \
    strata::cuda::batchGradientSums(dy, x, gamma, mean, invStd, gateOperand, partial, counters,   \
                                    products, sums, parts, gate);                                 \
  }                                                                                               \
  STRATA_COOPERATIVE_KERNEL(batch_gradient_sums_##suffix)                                         \
  STRATA_GLOBAL batch_norm_backward_##suffix(                                                     \
      const T* dy, const T* x, const float* gamma, const float* mean, const float* invStd,        \
      const void* gateOperand, T* dx, const float* products, const float* sums,                   \
      strata::cuda::ColumnParts parts, int32_t gate) {                                            \
    strata::cuda::batchNormBackward(dy, x, gamma, mean, invStd, gateOperand, dx, products, sums,  \
                                    parts, gate);                                                 \
  }                                                                                               \
  STRATA_KERNEL(batch_norm_backward_##suffix)
STRATA_FOR_FLOATING(STRATA_KERNELS)
#undef STRATA_KERNELS

// SPDX-License-Identifier: Apache-2.0
// The norm of all gradients. The squares of a product a^T b are summed without storing the product:
// as the sum over k and k' of (a_k a_k')(b_k b_k'), or column by column, whichever is faster.
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {
namespace {

constexpr int64_t kLeastElements = 4096, kChunk = 4096;

template <int kLanes>
[[gnu::always_inline]] inline double dotOf(const float* a, const float* b, int64_t count) {
  double sum = 0;
  for (int64_t begin = 0; begin < count; begin += kChunk) {
    const int64_t end = std::min(count, begin + kChunk);
    std::array<float, kLanes> lanes{};
    int64_t at = begin;
    for (; at + kLanes <= end; at += kLanes)
      for (int i = 0; i < kLanes; ++i)
        lanes[static_cast<size_t>(i)] += a[at + i] * b[at + i];
    for (; at < end; ++at)
      lanes[0] += a[at] * b[at];
    double chunk = 0;
    for (const float lane : lanes)
      chunk += static_cast<double>(lane);
    // Squares of large elements overflow in float
    if (!std::isfinite(chunk)) {
      chunk = 0;
      for (at = begin; at < end; ++at)
        chunk += static_cast<double>(a[at]) * static_cast<double>(b[at]);
    }
    sum += chunk;
  }
  return sum;
}

double dotPlain(const float* a, const float* b, int64_t count) { return dotOf<16>(a, b, count); }

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] double dotAvx2(const float* a, const float* b, int64_t count) {
  return dotOf<32>(a, b, count);
}
#else
constexpr auto dotAvx2 = dotPlain;
#endif

using Dot = double (*)(const float* a, const float* b, int64_t count);

struct Pair {
  int64_t depth, rows, columns;
  /// Whether products of rows need fewer operations than columns of the product.
  bool usesRows() const { return depth * (rows + columns) < 2 * rows * columns; }
};

/// Adds the products of row `k` with itself and all later rows.
double sumOfRow(const Pair& pair, const float* a, const float* b, int64_t k, Dot dot) {
  double sum = 0;
  for (int64_t other = k; other < pair.depth; ++other) {
    const double product = dot(a + k * pair.rows, a + other * pair.rows, pair.rows) *
                           dot(b + k * pair.columns, b + other * pair.columns, pair.columns);
    sum += other == k ? product : 2 * product;
  }
  return sum;
}

/// Returns the sum of the squares of row `m` of the product.
double sumOfColumn(const Pair& pair, const float* a, const float* b, int64_t m) {
  constexpr int64_t kColumns = 64;
  double sum = 0;
  for (int64_t begin = 0; begin < pair.columns; begin += kColumns) {
    std::array<float, kColumns> row{};
    const int64_t count = std::min(kColumns, pair.columns - begin);
    for (int64_t k = 0; k < pair.depth; ++k) {
      const float factor = a[k * pair.rows + m];
      const float* from = b + k * pair.columns + begin;
      for (int64_t n = 0; n < count; ++n)
        row[static_cast<size_t>(n)] += factor * from[n];
    }
    for (const float element : row)
      sum += static_cast<double>(element) * static_cast<double>(element);
  }
  return sum;
}

/// Returns a worker's part of the sum of a product's squares.
double sumOfPair(const Pair& pair, const float* a, const float* b, Dot dot, int worker,
                 int workers) {
  double sum = 0;
  const int64_t count = pair.usesRows() ? pair.depth : pair.rows;
  // Early rows have more later rows than others
  for (int64_t i = worker; i < count; i += workers)
    sum += pair.usesRows() ? sumOfRow(pair, a, b, i, dot) : sumOfColumn(pair, a, b, i);
  return sum;
}

}  // namespace

std::unique_ptr<HostKernel> makeGradientNorm(const KernelSetup& setup) {
  for (size_t i = 1; i < setup.inputs.size(); ++i)
    if (!isF32(setup.inputs[i])) return nullptr;
  const std::vector<TensorType> types = setup.inputs;
  const int workers = setup.numWorkers;
  const size_t count = types.size(),
               firstPaired = count - 2 * static_cast<size_t>(setup.integer("pairs"));
  const int64_t interval = setup.integer("interval");
  int64_t elements = 0;
  for (size_t i = 1; i < count; ++i)
    elements += types[i].shape.numElements();
  const Dot dot = setup.loops->width >= 8 ? dotAvx2 : dotPlain;
  const bool isSolo = isAlone(kLeastElements, elements);
  const size_t stride = alignedFloats(2) / 2;
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    auto* sums = reinterpret_cast<double*>(arguments.workspace);
    const bool isDue = count > 1 && *inputOf<int64_t>(arguments, 0) % interval == 1 % interval;
    if (stage == 0 && isDue && !(isSolo && worker != 0)) {
      double sum = 0;
      for (size_t i = 1; i < firstPaired; ++i) {
        const WorkRange range = shareOrAll(isSolo, types[i].shape.numElements(), worker, workers);
        const float* values = inputOf<float>(arguments, i) + range.begin;
        sum += dot(values, values, range.end - range.begin);
      }
      for (size_t i = firstPaired; i < count; i += 2) {
        const Pair pair{types[i].shape[0], types[i].shape[1], types[i + 1].shape[1]};
        sum += sumOfPair(pair, inputOf<float>(arguments, i), inputOf<float>(arguments, i + 1), dot,
                         worker, isSolo ? 1 : workers);
      }
      sums[static_cast<size_t>(worker) * stride] = sum;
    }
    if (worker != 0 || stage != (isSolo ? 0 : 1)) return;
    double sum = isDue ? 0 : std::numeric_limits<double>::quiet_NaN();
    for (int each = 0; isDue && each < (isSolo ? 1 : workers); ++each)
      sum += sums[static_cast<size_t>(each) * stride];
    *outputOf<float>(arguments) = static_cast<float>(std::sqrt(sum));
  };
  return makeKernel(setup, "sum of squares", body, isSolo ? 1 : 2,
                    static_cast<size_t>(isSolo ? 1 : workers) * stride * sizeof(double), isSolo);
}

}  // namespace strata::cpu

// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "gpu/base/thread_pool.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

/// Returns the largest magnitude, or infinity if an element is not finite.
template <class T>
double largestOf(const T* values, int64_t begin, int64_t end) {
  double largest = 0;
  for (int64_t i = begin; i < end; ++i) {
    const double magnitude = std::fabs(static_cast<double>(values[i]));
    if (!std::isfinite(magnitude)) return std::numeric_limits<double>::infinity();
    largest = std::fmax(largest, magnitude);
  }
  return largest;
}

double largestOf(const TensorType& type, const std::byte* data, int64_t begin, int64_t end) {
  return type.dtype == DType::F64 ? largestOf(reinterpret_cast<const double*>(data), begin, end)
                                  : largestOf(reinterpret_cast<const float*>(data), begin, end);
}

}  // namespace

template <class T>
bool isProductFinite(const T* a, const T* b, int64_t depth, int64_t rows, int64_t columns) {
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < columns; ++n) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += std::fabs(static_cast<double>(a[k * rows + m]) *
                         static_cast<double>(b[k * columns + n]));
      if (!(sum <= static_cast<double>(std::numeric_limits<T>::max()))) return false;
    }
  return true;
}

bool isPairFinite(const TensorType& a, const TensorType& b, const std::byte* dataOfA,
                  const std::byte* dataOfB, double largestOfA, double largestOfB) {
  const bool isDouble = a.dtype == DType::F64;
  const double limit = isDouble ? std::numeric_limits<double>::max()
                                : static_cast<double>(std::numeric_limits<float>::max());
  const auto depth = static_cast<double>(a.shape[0]);
  if (!std::isfinite(largestOfA) || !std::isfinite(largestOfB)) return false;
  // A factor leaves room for the rounding of the product's own sums
  if (1.001 * depth * largestOfA * largestOfB <= limit) return true;
  if (isDouble)
    return isProductFinite(reinterpret_cast<const double*>(dataOfA),
                           reinterpret_cast<const double*>(dataOfB), a.shape[0], a.shape[1],
                           b.shape[1]);
  return isProductFinite(reinterpret_cast<const float*>(dataOfA),
                         reinterpret_cast<const float*>(dataOfB), a.shape[0], a.shape[1],
                         b.shape[1]);
}

std::unique_ptr<HostKernel> makeAllFinite(const KernelSetup& setup) {
  const std::vector<TensorType> types = setup.inputs;
  const auto workers = setup.numWorkers;
  const bool isChained = setup.flag("chained");
  const size_t count = types.size(),
               firstPaired = count - 2 * static_cast<size_t>(setup.integer("pairs"));
  // Stage 0 writes the largest magnitude of each worker's share of each operand
  return makeKernel(
      [=](const KernelArguments& arguments, int stage, int worker) {
        auto* largest = reinterpret_cast<double*>(arguments.workspace);
        if (stage == 0) {
          for (size_t i = 0; i < count; ++i) {
            const WorkRange range = shareOf(types[i].shape.numElements(), worker, workers);
            largest[static_cast<size_t>(worker) * count + i] =
                largestOf(types[i], arguments.inputs[i], range.begin, range.end);
          }
          return;
        }
        if (worker != 0) return;
        for (size_t i = 0; i < count; ++i)
          for (int other = 1; other < workers; ++other)
            largest[i] = std::fmax(largest[i], largest[static_cast<size_t>(other) * count + i]);
        bool isFinite = !isChained || *inputOf<float>(arguments, 0) != 0;
        for (size_t i = 0; i < count; ++i)
          isFinite = isFinite && std::isfinite(largest[i]);
        for (size_t i = firstPaired; isFinite && i < count; i += 2)
          isFinite = isPairFinite(types[i], types[i + 1], arguments.inputs[i],
                                  arguments.inputs[i + 1], largest[i], largest[i + 1]);
        *outputOf<float>(arguments) = isFinite ? 1.0f : 0.0f;
      },
      2, static_cast<size_t>(workers) * count * sizeof(double));
}

}  // namespace strata::reference

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

template <class T>
double sumOfSquares(const T* values, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  return sum;
}

template <class T>
bool areFinite(const T* values, int64_t count) {
  return std::all_of(values, values + count, [](T value) { return std::isfinite(value); });
}

template <class T>
double sumOfSquares(const T* a, const T* b, int64_t depth, int64_t rows, int64_t columns) {
  double sum = 0;
  for (int64_t m = 0; m < rows; ++m)
    for (int64_t n = 0; n < columns; ++n) {
      double element = 0;
      for (int64_t k = 0; k < depth; ++k)
        element += static_cast<double>(a[k * rows + m]) * static_cast<double>(b[k * columns + n]);
      sum += element * element;
    }
  return sum;
}

template <class T>
double sumOfSquares(const std::vector<TensorType>& types, size_t firstPaired,
                    const KernelArguments& arguments) {
  double sum = 0;
  for (size_t i = 1; i < firstPaired; ++i)
    sum += sumOfSquares(inputOf<T>(arguments, i), types[i].shape.numElements());
  for (size_t i = firstPaired; i < types.size(); i += 2)
    sum += sumOfSquares(inputOf<T>(arguments, i), inputOf<T>(arguments, i + 1), types[i].shape[0],
                        types[i].shape[1], types[i + 1].shape[1]);
  return sum;
}

}  // namespace

std::unique_ptr<HostKernel> makeAllFiniteAndNorm(const KernelSetup& setup) {
  const std::vector<TensorType> types = setup.inputs;
  const auto measured = static_cast<size_t>(setup.integer("measured"));
  return makeKernel([=](const KernelArguments& arguments, int, int worker) {
    if (worker != 0) return;
    bool isFinite = true;
    double sum = 0;
    for (size_t i = 0; i < types.size(); ++i) {
      const int64_t count = types[i].shape.numElements();
      const bool isDouble = types[i].dtype == DType::F64;
      isFinite = isFinite && (isDouble ? areFinite(inputOf<double>(arguments, i), count)
                                       : areFinite(inputOf<float>(arguments, i), count));
      if (i < measured)
        sum += isDouble ? sumOfSquares(inputOf<double>(arguments, i), count)
                        : sumOfSquares(inputOf<float>(arguments, i), count);
    }
    *outputOf<float>(arguments, 0) = isFinite ? 1.0f : 0.0f;
    *outputOf<float>(arguments, 1) = static_cast<float>(std::sqrt(sum));
  });
}

std::unique_ptr<HostKernel> makeGradientNorm(const KernelSetup& setup) {
  const std::vector<TensorType> types = setup.inputs;
  const size_t firstPaired = types.size() - 2 * static_cast<size_t>(setup.integer("pairs"));
  const int64_t interval = setup.integer("interval");
  return makeKernel([=](const KernelArguments& arguments, int, int worker) {
    if (worker != 0) return;
    double sum = std::numeric_limits<double>::quiet_NaN();
    if (types.size() > 1 && *inputOf<int64_t>(arguments, 0) % interval == 1 % interval)
      sum = types[1].dtype == DType::F64 ? sumOfSquares<double>(types, firstPaired, arguments)
                                         : sumOfSquares<float>(types, firstPaired, arguments);
    *outputOf<float>(arguments) = static_cast<float>(std::sqrt(sum));
  });
}

}  // namespace strata::reference

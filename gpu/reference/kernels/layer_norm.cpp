// SPDX-License-Identifier: Apache-2.0
// Layer normalization over the last axes, and its gradient. The variance is biased and computed in
// two passes in double.
#include <cmath>

#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

/// The input as a matrix [rows, size]. Each row is normalized on its own.
struct NormalizedRows {
  int64_t rows = 1, size = 1;
  NormalizedRows(const KernelSetup& setup, const Shape& x) {
    const int64_t outer = x.rank() - setup.integer("dimensions");
    for (int i = 0; i < x.rank(); ++i)
      (i < outer ? rows : size) *= x[i];
  }
};

}  // namespace

std::unique_ptr<HostKernel> makeLayerNorm(const KernelSetup& setup) {
  const NormalizedRows of(setup, setup.inputShape());
  const double epsilon = setup.real("epsilon");
  const bool hasScale = setup.flag("scale"), hasCenter = setup.flag("center");
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T* const gamma = hasScale ? inputOf<T>(arguments, 1) : nullptr;
          const T* const beta = hasCenter ? inputOf<T>(arguments, hasScale ? 2 : 1) : nullptr;
          const double count = static_cast<double>(of.size);
          const WorkRange range = shareOf(of.rows, worker, workers);
          for (int64_t row = range.begin; row < range.end; ++row) {
            const T* const x = inputOf<T>(arguments, 0) + row * of.size;
            T* const y = outputOf<T>(arguments, 0) + row * of.size;
            double sum = 0, squares = 0;
            for (int64_t i = 0; i < of.size; ++i)
              sum += static_cast<double>(x[i]);
            const double mean = sum / count;
            for (int64_t i = 0; i < of.size; ++i) {
              const double centred = static_cast<double>(x[i]) - mean;
              squares += centred * centred;
            }
            const double invStd = 1 / std::sqrt(squares / count + epsilon);
            for (int64_t i = 0; i < of.size; ++i) {
              double value = (static_cast<double>(x[i]) - mean) * invStd;
              if (gamma) value *= static_cast<double>(gamma[i]);
              if (beta) value += static_cast<double>(beta[i]);
              y[i] = static_cast<T>(value);
            }
            outputOf<T>(arguments, 1)[row] = static_cast<T>(mean);
            outputOf<T>(arguments, 2)[row] = static_cast<T>(invStd);
          }
        });
  });
}

std::unique_ptr<HostKernel> makeLayerNormBackward(const KernelSetup& setup) {
  const NormalizedRows of(setup, setup.inputShape(1));
  const bool hasScale = setup.flag("scale"), adds = setup.attributes.getOr("adds", false);
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    const auto body = [=, workers = setup.numWorkers](const KernelArguments& arguments, int stage,
                                                      int worker) {
      const T* const gamma = hasScale ? inputOf<T>(arguments, 4) : nullptr;
      const T* const addend = adds ? inputOf<T>(arguments, hasScale ? 5 : 4) : nullptr;
      const auto normalized = [&](int64_t row, int64_t i) {
        return (static_cast<double>(inputOf<T>(arguments, 1)[row * of.size + i]) -
                static_cast<double>(inputOf<T>(arguments, 2)[row])) *
               static_cast<double>(inputOf<T>(arguments, 3)[row]);
      };
      const auto gradient = [&](int64_t row, int64_t i) {
        return static_cast<double>(inputOf<T>(arguments, 0)[row * of.size + i]);
      };
      if (stage == 0) {
        const WorkRange range = shareOf(of.size, worker, workers);
        for (int64_t i = range.begin; i < range.end; ++i) {
          double sum = 0, product = 0;
          for (int64_t row = 0; row < of.rows; ++row) {
            sum += gradient(row, i);
            product += gradient(row, i) * normalized(row, i);
          }
          outputOf<T>(arguments, 1)[i] = static_cast<T>(product);
          outputOf<T>(arguments, 2)[i] = static_cast<T>(sum);
        }
        return;
      }
      // The sums above read all of dy, which dx may overwrite
      const double count = static_cast<double>(of.size);
      const WorkRange range = shareOf(of.rows, worker, workers);
      for (int64_t row = range.begin; row < range.end; ++row) {
        const auto scaled = [&](int64_t i) {
          return gradient(row, i) * (gamma ? static_cast<double>(gamma[i]) : 1.0);
        };
        double sum = 0, product = 0;
        for (int64_t i = 0; i < of.size; ++i) {
          sum += scaled(i);
          product += scaled(i) * normalized(row, i);
        }
        const double invStd = static_cast<double>(inputOf<T>(arguments, 3)[row]);
        for (int64_t i = 0; i < of.size; ++i) {
          double dx = invStd * (scaled(i) - sum / count - normalized(row, i) * product / count);
          if (addend) dx += static_cast<double>(addend[row * of.size + i]);
          outputOf<T>(arguments)[row * of.size + i] = static_cast<T>(dx);
        }
      }
    };
    return makeKernel(body, 2);
  });
}

}  // namespace strata::reference

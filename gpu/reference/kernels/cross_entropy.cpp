// SPDX-License-Identifier: Apache-2.0
// Softmax cross-entropy (sparse and dense targets) with its gradient, and sigmoid cross-entropy,
// numerically stable and in double. A label outside 0..classes-1 that is not ignore_class gives a
// NaN loss. The run then stops with an error instead of reading outside the row.
#include <cmath>
#include <limits>

#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

std::unique_ptr<HostKernel> makeSoftmaxCrossEntropy(const KernelSetup& setup) {
  const int64_t classes = setup.inputShape(0).dim(-1), rows = setup.outputShape(0).numElements();
  const int64_t ignored = setup.integer("ignore_class");
  const DType targetType = setup.inputType(1);
  const bool isSparse = !isFloating(targetType);
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([=, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                      int worker) {
      const WorkRange range = shareOf(rows, worker, workers);
      for (int64_t row = range.begin; row < range.end; ++row) {
        const T* x = inputOf<T>(arguments, 0) + row * classes;
        T* probabilities = outputOf<T>(arguments, 1) + row * classes;
        double largest = -std::numeric_limits<double>::infinity(), sum = 0, loss = 0;
        for (int64_t i = 0; i < classes; ++i)
          largest = std::fmax(largest, static_cast<double>(x[i]));
        for (int64_t i = 0; i < classes; ++i)
          sum += std::exp(static_cast<double>(x[i]) - largest);
        const double logSum = std::log(sum) + largest;
        if (isSparse) {
          const int64_t label = readInteger(
              arguments.inputs[1] + static_cast<size_t>(row) * dtypeBytes(targetType), targetType);
          if (ignored >= 0 && label == ignored)
            loss = 0;
          else if (label < 0 || label >= classes)
            loss = std::numeric_limits<double>::quiet_NaN();
          else
            loss = logSum - static_cast<double>(x[label]);
        }
        else {
          const T* target = inputOf<T>(arguments, 1) + row * classes;
          for (int64_t i = 0; i < classes; ++i)
            loss += static_cast<double>(target[i]) * (logSum - static_cast<double>(x[i]));
        }
        // The probabilities may overwrite the logits of this row, which the loss has already read.
        for (int64_t i = 0; i < classes; ++i)
          probabilities[i] = static_cast<T>(std::exp(static_cast<double>(x[i]) - largest) / sum);
        outputOf<T>(arguments, 0)[row] = static_cast<T>(loss);
      }
    });
  });
}

std::unique_ptr<HostKernel> makeSoftmaxCrossEntropyBackward(const KernelSetup& setup) {
  const int64_t classes = setup.inputShape(1).dim(-1), rows = setup.inputShape(0).numElements();
  const int64_t ignored = setup.attributes.getOr<int64_t>("ignore_class", -1);
  const DType targetType = setup.inputType(2);
  const bool isSparse = !isFloating(targetType);
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([=, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                      int worker) {
      const WorkRange range = shareOf(rows, worker, workers);
      for (int64_t row = range.begin; row < range.end; ++row) {
        const double gradient = static_cast<double>(inputOf<T>(arguments, 0)[row]);
        const T* probabilities = inputOf<T>(arguments, 1) + row * classes;
        T* dx = outputOf<T>(arguments) + row * classes;
        if (isSparse) {
          const int64_t label = readInteger(
              arguments.inputs[2] + static_cast<size_t>(row) * dtypeBytes(targetType), targetType);
          const bool isIgnored = ignored >= 0 && label == ignored;
          for (int64_t i = 0; i < classes; ++i)
            dx[i] = isIgnored ? T{0}
                              : static_cast<T>((static_cast<double>(probabilities[i]) -
                                                (i == label ? 1.0 : 0.0)) *
                                               gradient);
        }
        else {
          const T* target = inputOf<T>(arguments, 2) + row * classes;
          // `mass` is 1 if the target is a distribution. It makes the gradient exact for other
          // targets
          double mass = 0;
          for (int64_t i = 0; i < classes; ++i)
            mass += static_cast<double>(target[i]);
          for (int64_t i = 0; i < classes; ++i)
            dx[i] = static_cast<T>(
                (static_cast<double>(probabilities[i]) * mass - static_cast<double>(target[i])) *
                gradient);
        }
      }
    });
  });
}

std::unique_ptr<HostKernel> makeSigmoidCrossEntropy(const KernelSetup& setup) {
  const int64_t count = setup.outputShape().numElements();
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([count, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                          int worker) {
      const WorkRange range = shareOf(count, worker, workers);
      for (int64_t i = range.begin; i < range.end; ++i) {
        const double x = static_cast<double>(inputOf<T>(arguments, 0)[i]),
                     target = static_cast<double>(inputOf<T>(arguments, 1)[i]);
        outputOf<T>(arguments)[i] =
            static_cast<T>((x <= 0 ? 0.0 : x) - x * target + std::log1p(std::exp(-std::fabs(x))));
      }
    });
  });
}

}  // namespace strata::reference

// SPDX-License-Identifier: Apache-2.0
// Batch normalization in training over all axes except the last, and its gradient. The variance is
// biased and computed in two passes in double.
#include <cmath>

#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

std::unique_ptr<HostKernel> makeBatchNorm(const KernelSetup& setup) {
  const Shape& shape = setup.inputShape();
  const int64_t channels = shape.dim(-1), rows = channels == 0 ? 0 : shape.numElements() / channels;
  const double epsilon = setup.real("epsilon");
  const bool hasAddend = setup.inputs.size() % 2 == 0, isRelu = setup.text("activation") == "relu";
  const double momentum = setup.attributes.getOr<double>("momentum", 0),
               share = setup.attributes.getOr<double>("share", 0);
  // The first operand of the moving statistics; 0 if there are none
  const size_t moving = setup.outputs.size() > 3 ? setup.inputs.size() - 2 : 0;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([=, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                      int worker) {
      const T* x = inputOf<T>(arguments, 0);
      const T* gamma = inputOf<T>(arguments, 1);
      const T* beta = inputOf<T>(arguments, 2);
      T* y = outputOf<T>(arguments, 0);
      const WorkRange range = shareOf(channels, worker, workers);
      for (int64_t c = range.begin; c < range.end; ++c) {
        double sum = 0, squares = 0;
        for (int64_t row = 0; row < rows; ++row)
          sum += static_cast<double>(x[row * channels + c]);
        const double mean = rows == 0 ? 0 : sum / static_cast<double>(rows);
        for (int64_t row = 0; row < rows; ++row) {
          const double centred = static_cast<double>(x[row * channels + c]) - mean;
          squares += centred * centred;
        }
        const double variance = rows == 0 ? 0 : squares / static_cast<double>(rows);
        const double invStd = 1 / std::sqrt(variance + epsilon);
        for (int64_t row = 0; row < rows; ++row) {
          const int64_t at = row * channels + c;
          double value =
              (static_cast<double>(x[at]) - mean) * invStd * static_cast<double>(gamma[c]) +
              static_cast<double>(beta[c]);
          if (hasAddend) value += static_cast<double>(inputOf<T>(arguments, 3)[at]);
          y[at] = static_cast<T>(isRelu && value < 0 ? 0 : value);
        }
        outputOf<T>(arguments, 1)[c] = static_cast<T>(mean);
        outputOf<T>(arguments, 2)[c] = static_cast<T>(invStd);
        if (moving == 0) continue;
        const double statistics[] = {mean, variance};
        for (size_t i = 0; i < 2; ++i)
          outputOf<T>(arguments, 3 + i)[c] =
              static_cast<T>(static_cast<double>(inputOf<T>(arguments, moving + i)[c]) * momentum +
                             statistics[i] * share);
      }
    });
  });
}

std::unique_ptr<HostKernel> makeBatchNormBackward(const KernelSetup& setup) {
  const Shape& shape = setup.inputShape(1);
  const int64_t channels = shape.dim(-1), rows = channels == 0 ? 0 : shape.numElements() / channels;
  const bool isRelu = setup.inputs.size() > 5, hasBeta = isRelu && setup.inputShape(5).rank() == 1;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([=, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                      int worker) {
      const T* x = inputOf<T>(arguments, 1);
      T* dx = outputOf<T>(arguments, 0);
      const WorkRange range = shareOf(channels, worker, workers);
      for (int64_t c = range.begin; c < range.end; ++c) {
        const double gamma = static_cast<double>(inputOf<T>(arguments, 2)[c]),
                     mean = static_cast<double>(inputOf<T>(arguments, 3)[c]),
                     invStd = static_cast<double>(inputOf<T>(arguments, 4)[c]);
        // Returns whether relu lets this element through
        const auto isOpen = [&](int64_t at) {
          if (!hasBeta) return !isRelu || inputOf<T>(arguments, 5)[at] > 0;
          return (static_cast<double>(x[at]) - mean) * invStd * gamma +
                     static_cast<double>(inputOf<T>(arguments, 5)[c]) >
                 0;
        };
        const auto gradientAt = [&](int64_t at) {
          return isOpen(at) ? static_cast<double>(inputOf<T>(arguments, 0)[at]) : 0.0;
        };
        // The sums of dy and of dy times the normalized x
        double sum = 0, product = 0;
        for (int64_t row = 0; row < rows; ++row) {
          const double gradient = gradientAt(row * channels + c);
          sum += gradient;
          product += gradient * (static_cast<double>(x[row * channels + c]) - mean) * invStd;
        }
        const double count = static_cast<double>(std::max<int64_t>(rows, 1));
        for (int64_t row = 0; row < rows; ++row) {
          const double normalized = (static_cast<double>(x[row * channels + c]) - mean) * invStd;
          dx[row * channels + c] = static_cast<T>(
              gamma * invStd *
              (gradientAt(row * channels + c) - sum / count - normalized * product / count));
        }
        outputOf<T>(arguments, 1)[c] = static_cast<T>(product);
        outputOf<T>(arguments, 2)[c] = static_cast<T>(sum);
      }
    });
  });
}

}  // namespace strata::reference

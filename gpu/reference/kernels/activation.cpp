// SPDX-License-Identifier: Apache-2.0
// Activations and their derivatives, softmax and log-softmax. The formulas of
// gpu/ops/activation_kinds.h are computed in double and rounded once.
#include <cmath>
#include <limits>

#include "gpu/ops/activation_kinds.h"
#include "gpu/reference/kernels/activation.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

ActivationFormula activationFormula(const KernelSetup& setup, std::string_view kind) {
  ActivationFormula formula{};
  const bool isKnown = visitActivation(kind, [&](auto named) {
    using Kind = decltype(named);
    formula.value = [](double x, double alpha) {
      return Kind::forward(x, alpha);
    };
    formula.slope = [](double saved, double alpha) {
      return Kind::derivative(saved, alpha);
    };
  });
  if (!isKnown)
    throw Error(
        ErrorCode::UnsupportedOp, setup.layer,
        "activation \"" + std::string(kind) + "\" has no reference kernel. Choose another one.");
  return formula;
}

std::unique_ptr<HostKernel> makeActivation(const KernelSetup& setup) {
  const int64_t count = setup.outputShape().numElements();
  const double alpha = setup.real("alpha");
  const auto value = activationFormula(setup, setup.text("kind")).value;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T* x = inputOf<T>(arguments, 0);
          T* y = outputOf<T>(arguments);
          const WorkRange range = shareOf(count, worker, workers);
          for (int64_t i = range.begin; i < range.end; ++i)
            y[i] = static_cast<T>(value(static_cast<double>(x[i]), alpha));
        });
  });
}

std::unique_ptr<HostKernel> makeActivationBackward(const KernelSetup& setup) {
  const int64_t count = setup.outputShape().numElements();
  const double alpha = setup.real("alpha");
  const auto slope = activationFormula(setup, setup.text("kind")).slope;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T* dy = inputOf<T>(arguments, 0);
          const T* saved = inputOf<T>(arguments, 1);
          T* dx = outputOf<T>(arguments);
          const WorkRange range = shareOf(count, worker, workers);
          for (int64_t i = range.begin; i < range.end; ++i)
            dx[i] = static_cast<T>(static_cast<double>(dy[i]) *
                                   slope(static_cast<double>(saved[i]), alpha));
        });
  });
}

std::unique_ptr<HostKernel> makeSoftmax(const KernelSetup& setup) {
  const bool isLog = setup.op == "log_softmax";
  const AxisSplit split = splitAtAxis(setup.inputShape(), static_cast<int>(setup.integer("axis")));
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([=, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                      int worker) {
      const WorkRange range = shareOf(split.outer * split.inner, worker, workers);
      for (int64_t row = range.begin; row < range.end; ++row) {
        const int64_t start = row / split.inner * split.length * split.inner + row % split.inner;
        const T* x = inputOf<T>(arguments, 0) + start;
        T* y = outputOf<T>(arguments) + start;
        double largest = -std::numeric_limits<double>::infinity(), sum = 0;
        for (int64_t i = 0; i < split.length; ++i)
          largest = std::fmax(largest, static_cast<double>(x[i * split.inner]));
        for (int64_t i = 0; i < split.length; ++i)
          sum += std::exp(static_cast<double>(x[i * split.inner]) - largest);
        const double logSum = std::log(sum);
        for (int64_t i = 0; i < split.length; ++i) {
          const double shifted = static_cast<double>(x[i * split.inner]) - largest;
          y[i * split.inner] = static_cast<T>(isLog ? shifted - logSum : std::exp(shifted) / sum);
        }
      }
    });
  });
}

}  // namespace strata::reference

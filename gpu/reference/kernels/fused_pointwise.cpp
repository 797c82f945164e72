// SPDX-License-Identifier: Apache-2.0
// Fused pointwise programs, one element at a time. Each step computes the same as the kernel of its
// op.
#include "gpu/ops/fused_pointwise.h"

#include "gpu/reference/kernels/activation.h"
#include "gpu/reference/kernels/formulas.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

namespace {

template <class T>
struct Step {
  T (*run)(T a, T b, const Step& step) = nullptr;
  // Indices of the operands
  size_t first = 0, second = 0;
  T scale = 0, offset = 0;
  ActivationFormula formula{};
  double alpha = 0;
};

template <class T>
Step<T> stepOf(const KernelSetup& setup, const PointwiseStep& step) {
  using Run = T (*)(T, T, const Step<T>&);
  Step<T> result;
  result.first = static_cast<size_t>(step.operands.front());
  result.second = static_cast<size_t>(step.operands.back());
  if (step.op == "affine") {
    result.scale = static_cast<T>(step.first);
    result.offset = static_cast<T>(step.second);
    result.run = [](T a, T, const Step<T>& self) {
      return static_cast<T>(a * self.scale + self.offset);
    };
  }
  else if (!step.kind.empty()) {
    result.formula = activationFormula(setup, step.kind);
    result.alpha = step.first;
    if (step.op == "activation")
      result.run = [](T a, T, const Step<T>& self) {
        return static_cast<T>(self.formula.value(static_cast<double>(a), self.alpha));
      };
    else
      result.run = [](T a, T b, const Step<T>& self) {
        return static_cast<T>(static_cast<double>(a) *
                              self.formula.slope(static_cast<double>(b), self.alpha));
      };
  }
  else if (step.operands.size() == 1) {
    result.run = visitUnary(step.op, [](auto formula, auto takesIntegers) -> Run {
      using F = decltype(formula);
      if constexpr (takesIntegers)
        return [](T a, T, const Step<T>&) {
          return static_cast<T>(F{}(a));
        };
      else
        return [](T a, T, const Step<T>&) {
          return static_cast<T>(F{}(static_cast<double>(a)));
        };
    });
  }
  else {
    result.run = visitBinary(step.op, [](auto formula) -> Run {
      using F = decltype(formula);
      return [](T a, T b, const Step<T>&) {
        return static_cast<T>(F{}(a, b));
      };
    });
  }
  require(result.run != nullptr, "each step of a pointwise program has a formula");
  return result;
}

}  // namespace

std::unique_ptr<HostKernel> makeFusedPointwise(const KernelSetup& setup) {
  const size_t numInputs = setup.inputs.size();
  const std::vector<PointwiseStep> program =
      parsePointwise(setup.text("program"), static_cast<int>(numInputs));
  const Shape out = setup.outputShape();
  StridedWalk<kMaxPointwiseInputs> walk{out, {}, {}};
  for (size_t i = 0; i < numInputs; ++i)
    walk.strides[i] = broadcastStrides(setup.inputShape(i), out);
  return forFloating(setup, setup.outputType(), [&](auto type) {
    using T = decltype(type);
    std::vector<Step<T>> steps;
    for (const PointwiseStep& step : program)
      steps.push_back(stepOf<T>(setup, step));
    return makeKernel([=, count = out.numElements(), workers = setup.numWorkers](
                          const KernelArguments& arguments, int, int worker) {
      T* y = outputOf<T>(arguments);
      std::array<const T*, kMaxPointwiseInputs> inputs{};
      for (size_t k = 0; k < numInputs; ++k)
        inputs[k] = inputOf<T>(arguments, k);
      std::array<T, kMaxPointwiseInputs + kMaxPointwiseSteps> values{};
      const WorkRange range = shareOf(count, worker, workers);
      walk.run(range.begin, range.end, [&](int64_t i, const auto& offset) {
        for (size_t k = 0; k < numInputs; ++k)
          values[k] = inputs[k][offset[k]];
        size_t place = numInputs;
        for (const Step<T>& step : steps)
          values[place++] = step.run(values[step.first], values[step.second], step);
        y[i] = values[place - 1];
      });
    });
  });
}

}  // namespace strata::reference

// SPDX-License-Identifier: Apache-2.0
// Elementwise ops with one operand: the unary ops, cast and affine.
#include <limits>

#include "gpu/reference/kernels/formulas.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

namespace {

/// Makes a kernel for out[i] = f(in[i]), which computes in double and rounds once.
template <class F>
std::unique_ptr<HostKernel> makeMap(const KernelSetup& setup, F f) {
  const int64_t count = setup.outputShape().numElements();
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [count, f, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T* x = inputOf<T>(arguments, 0);
          T* y = outputOf<T>(arguments);
          const WorkRange range = shareOf(count, worker, workers);
          for (int64_t i = range.begin; i < range.end; ++i)
            y[i] = static_cast<T>(f(static_cast<double>(x[i])));
        });
  });
}

/// Makes a kernel for out[i] = f(in[i]), which computes in the operand's type. The type may be an
/// integer type.
template <class F>
std::unique_ptr<HostKernel> makeMapOfAny(const KernelSetup& setup, F f) {
  const int64_t count = setup.outputShape().numElements();
  return forAny(setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [count, f, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T* x = inputOf<T>(arguments, 0);
          T* y = outputOf<T>(arguments);
          const WorkRange range = shareOf(count, worker, workers);
          for (int64_t i = range.begin; i < range.end; ++i)
            y[i] = static_cast<T>(f(x[i]));
        });
  });
}

/// Converts between element types. Conversion from floating-point to integer types truncates toward
/// zero and clamps to the type's range. NaN gives 0.
template <class To, class From>
To convert(From x) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    using Limits = std::numeric_limits<To>;
    if (!(x == x)) return 0;
    const double value = static_cast<double>(x);
    if (value <= static_cast<double>(Limits::min())) return Limits::min();
    if (value >= static_cast<double>(Limits::max())) return Limits::max();
  }
  return static_cast<To>(x);
}

}  // namespace

std::unique_ptr<HostKernel> makeUnary(const KernelSetup& setup) {
  std::unique_ptr<HostKernel> kernel = visitUnary(setup.op, [&](auto formula, auto takesIntegers) {
    if constexpr (takesIntegers)
      return makeMapOfAny(setup, formula);
    else
      return makeMap(setup, formula);
  });
  if (kernel) return kernel;
  throw Error(ErrorCode::Internal, setup.layer,
              "unary op " + setup.op + " is registered without a formula.");
}

std::unique_ptr<HostKernel> makeCast(const KernelSetup& setup) {
  const int64_t count = setup.outputShape().numElements();
  return forAny(setup.inputType(), [&](auto from) {
    return forAny(setup.outputType(), [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      return makeKernel(
          [count, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
            const From* x = inputOf<From>(arguments, 0);
            To* y = outputOf<To>(arguments);
            const WorkRange range = shareOf(count, worker, workers);
            for (int64_t i = range.begin; i < range.end; ++i)
              y[i] = convert<To>(x[i]);
          });
    });
  });
}

std::unique_ptr<HostKernel> makeAffine(const KernelSetup& setup) {
  const int64_t count = setup.outputShape().numElements();
  const double scale = setup.real("scale"), offset = setup.real("offset");
  return forAny(setup.inputType(), [&](auto from) {
    return forFloating(setup, setup.outputType(), [&](auto to) {
      using From = decltype(from);
      using To = decltype(to);
      return makeKernel(
          [count, scale = static_cast<To>(scale), offset = static_cast<To>(offset),
           workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
            const From* x = inputOf<From>(arguments, 0);
            To* y = outputOf<To>(arguments);
            const WorkRange range = shareOf(count, worker, workers);
            for (int64_t i = range.begin; i < range.end; ++i)
              y[i] = static_cast<To>(x[i]) * scale + offset;
          });
    });
  });
}

}  // namespace strata::reference

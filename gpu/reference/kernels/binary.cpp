// SPDX-License-Identifier: Apache-2.0
// Elementwise ops with two or three operands and broadcasting: the binary ops and select.
#include "gpu/reference/kernels/formulas.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

namespace {

template <class F>
std::unique_ptr<HostKernel> makeZip(const KernelSetup& setup, F f) {
  const Shape out = setup.outputShape();
  const StridedWalk<2> walk{
      out,
      {broadcastStrides(setup.inputShape(0), out), broadcastStrides(setup.inputShape(1), out)},
      {}};
  const bool isDense = setup.inputShape(0) == out && setup.inputShape(1) == out;
  return forAny(setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([walk, isDense, f, count = out.numElements(), workers = setup.numWorkers](
                          const KernelArguments& arguments, int, int worker) {
      const T* a = inputOf<T>(arguments, 0);
      const T* b = inputOf<T>(arguments, 1);
      T* y = outputOf<T>(arguments);
      const WorkRange range = shareOf(count, worker, workers);
      if (isDense) {
        for (int64_t i = range.begin; i < range.end; ++i)
          y[i] = static_cast<T>(f(a[i], b[i]));
        return;
      }
      walk.run(range.begin, range.end, [&](int64_t i, const auto& offset) {
        y[i] = static_cast<T>(f(a[offset[0]], b[offset[1]]));
      });
    });
  });
}

}  // namespace

std::unique_ptr<HostKernel> makeBinary(const KernelSetup& setup) {
  std::unique_ptr<HostKernel> kernel =
      visitBinary(setup.op, [&](auto formula) { return makeZip(setup, formula); });
  if (kernel) return kernel;
  throw Error(ErrorCode::Internal, setup.layer,
              "binary op " + setup.op + " is registered without a formula.");
}

std::unique_ptr<HostKernel> makeSelect(const KernelSetup& setup) {
  const Shape out = setup.outputShape();
  const StridedWalk<3> walk{
      out,
      {broadcastStrides(setup.inputShape(0), out), broadcastStrides(setup.inputShape(1), out),
       broadcastStrides(setup.inputShape(2), out)},
      {}};
  return forAny(setup.inputType(0), [&](auto condition) {
    return forSize(setup.outputType(), [&](auto type) {
      using C = decltype(condition);
      using T = decltype(type);
      return makeKernel([walk, count = out.numElements(), workers = setup.numWorkers](
                            const KernelArguments& arguments, int, int worker) {
        const C* c = inputOf<C>(arguments, 0);
        const T* a = inputOf<T>(arguments, 1);
        const T* b = inputOf<T>(arguments, 2);
        T* y = outputOf<T>(arguments);
        const WorkRange range = shareOf(count, worker, workers);
        walk.run(range.begin, range.end, [&](int64_t i, const auto& offset) {
          y[i] = c[offset[0]] != C{0} ? a[offset[1]] : b[offset[2]];
        });
      });
    });
  });
}

}  // namespace strata::reference

// SPDX-License-Identifier: Apache-2.0
// reduce_sum, reduce_max and argmax. Sums accumulate in double.
#include <limits>

#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

namespace {

/// Describes how to iterate over the kept and over the reduced dimensions of the operand.
struct ReductionPlan {
  StridedWalk<1> kept, reduced;
  int64_t outputs = 1, perOutput = 1;
};

ReductionPlan planReduction(const KernelSetup& setup) {
  const Shape& shape = setup.inputShape();
  const auto own = shape.strides();
  std::array<bool, kMaxRank> isReduced{};
  for (int64_t axis : setup.list("axes"))
    isReduced[static_cast<size_t>(shape.normalizeAxis(static_cast<int>(axis)))] = true;
  ReductionPlan plan;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    StridedWalk<1>& walk = isReduced[static_cast<size_t>(axis)] ? plan.reduced : plan.kept;
    walk.strides[0][static_cast<size_t>(walk.dims.rank())] = own[static_cast<size_t>(axis)];
    walk.dims.append(shape[axis]);
  }
  plan.outputs = plan.kept.dims.numElements();
  plan.perOutput = plan.reduced.dims.numElements();
  return plan;
}

template <class T, class Combine>
std::unique_ptr<HostKernel> makeReduction(const KernelSetup& setup, double start, Combine combine) {
  const ReductionPlan plan = planReduction(setup);
  const int workers = setup.numWorkers;
  const auto reduceShare = [plan, start, combine](const T* x, int64_t begin, int64_t end) {
    double result = start;
    plan.reduced.run(begin, end, [&](int64_t, const auto& offset) {
      result = combine(result, static_cast<double>(x[offset[0]]));
    });
    return result;
  };
  // If there are few outputs with many elements each, every worker reduces a part of the elements
  // of every output. Worker 0 then combines the parts in order.
  if (plan.outputs < workers && plan.perOutput > 4096)
    return makeKernel(
        [=](const KernelArguments& arguments, int stage, int worker) {
          const T* x = inputOf<T>(arguments, 0);
          double* parts = reinterpret_cast<double*>(arguments.workspace);
          if (stage == 0) {
            const WorkRange range = shareOf(plan.perOutput, worker, workers);
            plan.kept.run(0, plan.outputs, [&](int64_t i, const auto& offset) {
              parts[i * workers + worker] = reduceShare(x + offset[0], range.begin, range.end);
            });
          }
          else if (worker == 0) {
            for (int64_t i = 0; i < plan.outputs; ++i) {
              double result = start;
              for (int part = 0; part < workers; ++part)
                result = combine(result, parts[i * workers + part]);
              outputOf<T>(arguments)[i] = static_cast<T>(result);
            }
          }
        },
        2, static_cast<size_t>(plan.outputs * workers) * sizeof(double));
  return makeKernel([=](const KernelArguments& arguments, int, int worker) {
    const T* x = inputOf<T>(arguments, 0);
    T* y = outputOf<T>(arguments);
    const WorkRange range = shareOf(plan.outputs, worker, workers);
    plan.kept.run(range.begin, range.end, [&](int64_t i, const auto& offset) {
      y[i] = static_cast<T>(reduceShare(x + offset[0], 0, plan.perOutput));
    });
  });
}

template <class T>
constexpr double kLowest = std::is_floating_point_v<T>
                               ? -std::numeric_limits<double>::infinity()
                               : static_cast<double>(std::numeric_limits<T>::lowest());

}  // namespace

std::unique_ptr<HostKernel> makeReduce(const KernelSetup& setup) {
  const bool isSum = setup.op == "reduce_sum";
  return forAny(setup.inputType(), [&](auto type) {
    using T = decltype(type);
    if (isSum) return makeReduction<T>(setup, 0.0, [](double a, double b) { return a + b; });
    return makeReduction<T>(setup, kLowest<T>,
                            [](double a, double b) { return b > a || b != b ? b : a; });
  });
}

std::unique_ptr<HostKernel> makeArgmax(const KernelSetup& setup) {
  const AxisSplit split = splitAtAxis(setup.inputShape(), static_cast<int>(setup.integer("axis")));
  return forAny(setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [split, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          int32_t* y = outputOf<int32_t>(arguments);
          const WorkRange range = shareOf(split.outer * split.inner, worker, workers);
          for (int64_t row = range.begin; row < range.end; ++row) {
            const T* x = inputOf<T>(arguments, 0) + row / split.inner * split.length * split.inner +
                         row % split.inner;
            int64_t best = 0;
            for (int64_t i = 1; i < split.length; ++i)
              if (x[i * split.inner] > x[best * split.inner]) best = i;
            y[row] = static_cast<int32_t>(best);
          }
        });
  });
}

}  // namespace strata::reference

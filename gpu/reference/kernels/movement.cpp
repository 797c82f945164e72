// SPDX-License-Identifier: Apache-2.0
// Ops that only move elements: reshape, transpose, broadcast, concatenate, slice, pad, one-hot.
#include <numeric>

#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

namespace {

/// Makes a kernel that copies the element at the i-th offset of `walk` to out[i].
std::unique_ptr<HostKernel> makeGather(const KernelSetup& setup, const StridedWalk<1>& walk) {
  return forSize(setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([walk, count = walk.dims.numElements(), workers = setup.numWorkers](
                          const KernelArguments& arguments, int, int worker) {
      const T* x = inputOf<T>(arguments, 0);
      T* y = outputOf<T>(arguments);
      const WorkRange range = shareOf(count, worker, workers);
      walk.run(range.begin, range.end, [&](int64_t i, const auto& offset) { y[i] = x[offset[0]]; });
    });
  });
}

}  // namespace

/// Makes the kernel of reshape. Programs do not run it, because a view shares its operand's bytes.
/// If the op is evaluated alone, the kernel copies the bytes.
std::unique_ptr<HostKernel> makeReshape(const KernelSetup& setup) {
  return makeKernel(
      [bytes = setup.outputs[0].bytes()](const KernelArguments& arguments, int, int worker) {
        if (worker == 0 && bytes > 0 && arguments.outputs[0] != arguments.inputs[0])
          std::memcpy(arguments.outputs[0], arguments.inputs[0], bytes);
      });
}

std::unique_ptr<HostKernel> makeTranspose(const KernelSetup& setup) {
  StridedWalk<1> walk{setup.outputShape(), {}, {}};
  const auto own = setup.inputShape().strides();
  const auto& permutation = setup.list("permutation");
  for (size_t axis = 0; axis < permutation.size(); ++axis)
    walk.strides[0][axis] = own[static_cast<size_t>(permutation[axis])];
  return makeGather(setup, walk);
}

std::unique_ptr<HostKernel> makeBroadcastTo(const KernelSetup& setup) {
  return makeGather(
      setup,
      {setup.outputShape(), {broadcastStrides(setup.inputShape(), setup.outputShape())}, {}});
}

std::unique_ptr<HostKernel> makeSlice(const KernelSetup& setup) {
  StridedWalk<1> walk{setup.outputShape(), {setup.inputShape().strides()}, {}};
  const auto& begin = setup.list("begin");
  for (size_t axis = 0; axis < begin.size(); ++axis)
    walk.base[0] += begin[axis] * walk.strides[0][axis];
  return makeGather(setup, walk);
}

std::unique_ptr<HostKernel> makeConcatenate(const KernelSetup& setup) {
  const AxisSplit split = splitAtAxis(setup.outputShape(), static_cast<int>(setup.integer("axis")));
  const size_t rowBytes =
      static_cast<size_t>(split.length * split.inner) * dtypeBytes(setup.outputType());
  std::vector<size_t> partBytes;
  const int axis = setup.outputShape().normalizeAxis(static_cast<int>(setup.integer("axis")));
  for (const TensorType& part : setup.inputs)
    partBytes.push_back(static_cast<size_t>(part.shape[axis] * split.inner) *
                        dtypeBytes(part.dtype));
  return makeKernel(
      [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
        const WorkRange range = shareOf(split.outer, worker, workers);
        for (int64_t row = range.begin; row < range.end; ++row) {
          std::byte* target = arguments.outputs[0] + static_cast<size_t>(row) * rowBytes;
          for (size_t part = 0; part < partBytes.size(); ++part) {
            if (partBytes[part] == 0) continue;
            std::memcpy(target, arguments.inputs[part] + static_cast<size_t>(row) * partBytes[part],
                        partBytes[part]);
            target += partBytes[part];
          }
        }
      });
}

std::unique_ptr<HostKernel> makePad(const KernelSetup& setup) {
  StridedWalk<1> walk{setup.inputShape(), {setup.outputShape().strides()}, {}};
  const auto& before = setup.list("before");
  for (size_t axis = 0; axis < before.size(); ++axis)
    walk.base[0] += before[axis] * walk.strides[0][axis];
  return forAny(setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [walk, fill = static_cast<T>(setup.real("value")),
         inside = setup.inputShape().numElements(), count = setup.outputShape().numElements(),
         workers = setup.numWorkers](const KernelArguments& arguments, int stage, int worker) {
          const T* x = inputOf<T>(arguments, 0);
          T* y = outputOf<T>(arguments);
          const WorkRange range = shareOf(stage == 0 ? count : inside, worker, workers);
          if (stage == 0)
            std::fill(y + range.begin, y + range.end, fill);
          else
            walk.run(range.begin, range.end,
                     [&](int64_t i, const auto& offset) { y[offset[0]] = x[i]; });
        },
        2);
  });
}

std::unique_ptr<HostKernel> makeOneHot(const KernelSetup& setup) {
  const int64_t classes = setup.integer("classes"), rows = setup.inputShape().numElements();
  return forIndex(setup, setup.inputType(), [&](auto index) {
    return forAny(setup.outputType(), [&](auto type) {
      using I = decltype(index);
      using T = decltype(type);
      return makeKernel(
          [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
            const I* labels = inputOf<I>(arguments, 0);
            T* y = outputOf<T>(arguments);
            const WorkRange range = shareOf(rows, worker, workers);
            for (int64_t row = range.begin; row < range.end; ++row)
              for (int64_t c = 0; c < classes; ++c)
                y[row * classes + c] = static_cast<int64_t>(labels[row]) == c ? T{1} : T{0};
          });
    });
  });
}

}  // namespace strata::reference

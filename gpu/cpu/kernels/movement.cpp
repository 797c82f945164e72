// SPDX-License-Identifier: Apache-2.0
// The kernels of transpose, broadcast_to, slice and dropout. The first three copy the longest
// contiguous runs of elements and loop over the other dimensions.
#include <cstring>

#include "gpu/cpu/cpu_kernel.h"
#include "gpu/ops/dropout_mask.h"

namespace strata::cpu {

namespace {

/// Describes how the output, in row-major order, is gathered from the input by strides. Contiguous
/// trailing dimensions are merged into runs of `run` elements.
struct Gather {
  reference::StridedWalk<1> walk;
  // A run is copied (step 1), or one element is repeated (step 0)
  int64_t run = 1;
  int64_t step = 1;
  int64_t count = 0;
};

Gather gatherOf(const Shape& out, const std::array<int64_t, kMaxRank>& strides, int64_t base) {
  Gather gather;
  int axis = out.rank() - 1;
  while (axis >= 0 && out[axis] == 1)
    --axis;
  if (axis >= 0 && strides[static_cast<size_t>(axis)] == 0) gather.step = 0;
  for (; axis >= 0; --axis) {
    if (out[axis] != 1 && strides[static_cast<size_t>(axis)] != gather.step * gather.run) break;
    gather.run *= out[axis];
  }
  for (int i = 0; i <= axis; ++i) {
    gather.walk.strides[0][static_cast<size_t>(i)] = strides[static_cast<size_t>(i)];
    gather.walk.dims.append(out[i]);
  }
  gather.walk.base[0] = base;
  gather.count = gather.walk.dims.numElements();
  return gather;
}

std::unique_ptr<HostKernel> makeGather(const KernelSetup& setup, const Gather& g) {
  if (setup.inputType() != DType::F32 || g.run == 0) return nullptr;
  const int64_t total = g.count * g.run;
  if (g.count == 1)
    return makeKernel(
        setup, g.step == 1 ? "copy" : "fill",
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const WorkRange range = shareAbove(4096, total, worker, workers, 16);
          if (range.begin >= range.end) return;
          const float* x = inputOf<float>(arguments, 0) + g.walk.base[0];
          float* y = outputOf<float>(arguments) + range.begin;
          if (g.step == 1)
            std::memcpy(y, x + range.begin,
                        static_cast<size_t>(range.end - range.begin) * sizeof(float));
          else
            std::fill(y, y + (range.end - range.begin), *x);
        },
        1, 0, isAlone(4096, total));
  return makeKernel(
      setup, g.run > 1 ? "copy rows" : "gather",
      [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
        const WorkRange range = shareOrAll(isAlone(4096, total), g.count, worker, workers);
        const float* x = inputOf<float>(arguments, 0);
        float* y = outputOf<float>(arguments);
        if (g.run == 1)
          return g.walk.run(range.begin, range.end,
                            [&](int64_t i, const auto& offset) { y[i] = x[offset[0]]; });
        g.walk.run(range.begin, range.end, [&](int64_t i, const auto& offset) {
          if (g.step == 1)
            std::memcpy(y + i * g.run, x + offset[0], static_cast<size_t>(g.run) * sizeof(float));
          else
            std::fill(y + i * g.run, y + (i + 1) * g.run, x[offset[0]]);
        });
      },
      1, 0, isAlone(4096, total));
}

}  // namespace

std::unique_ptr<HostKernel> makeTranspose(const KernelSetup& setup) {
  const auto own = setup.inputShape().strides();
  std::array<int64_t, kMaxRank> strides{};
  const auto& permutation = setup.list("permutation");
  for (size_t axis = 0; axis < permutation.size(); ++axis)
    strides[axis] = own[static_cast<size_t>(permutation[axis])];
  return makeGather(setup, gatherOf(setup.outputShape(), strides, 0));
}

std::unique_ptr<HostKernel> makeBroadcastTo(const KernelSetup& setup) {
  return makeGather(
      setup, gatherOf(setup.outputShape(),
                      reference::broadcastStrides(setup.inputShape(), setup.outputShape()), 0));
}

std::unique_ptr<HostKernel> makeSlice(const KernelSetup& setup) {
  const auto strides = setup.inputShape().strides();
  const auto& begin = setup.list("begin");
  int64_t base = 0;
  for (size_t axis = 0; axis < begin.size(); ++axis)
    base += begin[axis] * strides[axis];
  return makeGather(setup, gatherOf(setup.outputShape(), strides, base));
}

std::unique_ptr<HostKernel> makeDropout(const KernelSetup& setup) {
  if (setup.inputType() != DType::F32) return nullptr;
  const Shape& shape = setup.inputShape();
  const int64_t count = shape.numElements(),
                perSample = shape.rank() == 0 || shape[0] == 0 ? 1 : count / shape[0];
  const double rate = setup.real("rate");
  const AttributeValue* stream = setup.attributes.find("stream");
  const uint64_t number = std::holds_alternative<std::string>(*stream)
                              ? streamOf(std::get<std::string>(*stream))
                              : static_cast<uint64_t>(std::get<int64_t>(*stream));
  const std::array<DType, 3> types{setup.inputType(1), setup.inputType(2), setup.inputType(3)};
  const OwnRuns own(setup, shape, 1024, 64);
  return makeKernel(
      setup, "vector",
      [=, l = setup.loops](const KernelArguments& arguments, int, int worker) {
        const auto seed = static_cast<uint64_t>(readInteger(arguments.inputs[1], types[0]));
        const uint64_t atStep = dropoutStream(number, readInteger(arguments.inputs[2], types[1]));
        const int64_t first = readInteger(arguments.inputs[3], types[2]) * perSample;
        own.each(worker, [&](int64_t begin, int64_t end) {
          l->dropout(seed, atStep, first + begin, static_cast<float>(rate),
                     static_cast<float>(1 / (1 - rate)), inputOf<float>(arguments, 0) + begin,
                     outputOf<float>(arguments) + begin, end - begin);
        });
      },
      1, 0, own.isAlone());
}

}  // namespace strata::cpu

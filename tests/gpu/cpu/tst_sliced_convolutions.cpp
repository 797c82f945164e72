// SPDX-License-Identifier: Apache-2.0
// Tests convolutions that process slices of channels or tiles. They must give the same bits with
// less workspace, and need exactly the workspace that the kernel predicts.
#include <doctest/doctest.h>

#include <cstring>

#include "gpu/cpu/cpu_kernel.h"
#include "tests/gpu/cpu/kernel_check.h"

using namespace strata;

namespace {

using Ints = std::vector<int64_t>;

struct Direction {
  const char* op;
  Shape first, second;
  Attributes attributes;
};

/// Returns the forward convolution and both gradients of a 3x3 convolution that keeps the size. The
/// last slice and its last vector are only partly filled.
std::vector<Direction> directions(int64_t n, int64_t height, int64_t width, int64_t in,
                                  int64_t out) {
  const Shape x{n, height, width, in}, w{3, 3, in, out}, y{n, height, width, out};
  const Attributes window{{"padding_before", Ints{1, 1}}, {"padding_after", Ints{1, 1}}};
  Attributes forward = window, data = window, weights = window;
  forward.set("activation", std::string("tanh"));
  data.set("input_shape", Ints{n, height, width, out});
  weights.set("weight_shape", Ints{3, 3, in, out});
  return {{"conv2d", x, w, forward},
          // Here `x` is the shape of the gradient of the result, so `in` counts the output
          // channels.
          {"conv2d_backward_data", x, Shape{3, 3, out, in}, data},
          {"conv2d_backward_weights", x, y, weights}};
}

cpu::KernelSetup setupOf(const Direction& direction, int64_t slices, int workers,
                         const Loops* set) {
  const OpDef& op = opNamed(direction.op);
  cpu::KernelSetup setup;
  setup.op = direction.op;
  setup.layer = "layer";
  setup.inputs = {{DType::F32, direction.first}, {DType::F32, direction.second}};
  if (setup.op == "conv2d") setup.inputs.push_back({DType::F32, Shape{direction.second.dim(-1)}});
  setup.attributes = direction.attributes;
  setup.slices = slices;
  for (const AttributeSpec& spec : op.attributes)
    if (!setup.attributes.has(spec.name)) setup.attributes.set(spec.name, spec.defaultValue);
  setup.outputs = op.infer(ShapeContext{op, setup.inputs, setup.attributes});
  setup.numWorkers = workers;
  setup.loops = set;
  return setup;
}

Tensor ran(const cpu::KernelSetup& setup, const HostKernel& kernel) {
  Tensor result(setup.outputs[0]);
  std::memset(result.data(), 0xee, result.type().bytes());
  std::vector<Tensor> inputs;
  KernelArguments arguments;
  for (size_t i = 0; i < setup.inputs.size(); ++i)
    inputs.push_back(test::randomTensor(setup.inputs[i].shape, i + 1));
  for (const Tensor& input : inputs)
    arguments.inputs.push_back(input.data());
  arguments.outputs = {result.data()};
  AlignedBytes workspace(kernel.workspaceBytes() + 64);
  std::memset(workspace.data(), 0xee, workspace.size());
  arguments.workspace = workspace.data();
  ThreadPool pool(setup.numWorkers);
  for (int stage = 0; stage < kernel.numStages(); ++stage)
    pool.run([&](int worker) { kernel.run(arguments, stage, worker); });
  for (size_t i = 0; i < 64; ++i)
    CHECK(workspace.data()[kernel.workspaceBytes() + i] == std::byte{0xee});
  return result;
}

}  // namespace

TEST_SUITE("sliced convolutions") {
  TEST_CASE("processing fewer channels or tiles at once needs less workspace and changes no bit") {
    std::vector<Direction> all = directions(3, 13, 9, 40, 152);
    for (Direction& deep : directions(9, 7, 6, 200, 312))
      all.push_back(std::move(deep));
    int numDeep = 0;
    for (const Loops* set : usableLoops())
      for (const Direction& direction : all)
        for (const int workers : {1, 2, 3}) {
          const cpu::KernelSetup whole = setupOf(direction, 1, workers, set);
          const auto kernel = cpu::createKernel(whole);
          INFO(direction.op << " on " << set->name << ", " << workers
                            << " workers: " << kernel->implementation());
          const std::vector<SmallerWorkspace> smaller = kernel->smallerWorkspaces();
          if (!kernel->implementation().starts_with("winograd ")) {
            CHECK(smaller.empty());
            continue;
          }
          const bool isDeep = kernel->implementation().starts_with("winograd by channels");
          numDeep += isDeep;
          REQUIRE(smaller.size() >= (isDeep ? 1 : 2));
          const Tensor expected = ran(whole, *kernel);
          size_t before = kernel->workspaceBytes();
          for (const SmallerWorkspace& way : smaller) {
            const cpu::KernelSetup setup = setupOf(direction, way.slices, workers, set);
            const auto sliced = cpu::createKernel(setup);
            INFO(sliced->implementation());
            CHECK(sliced->workspaceBytes() == way.bytes);
            CHECK(way.bytes < before);
            CHECK(way.slowdown > 1);
            before = way.bytes;
            CHECK(ran(setup, *sliced).isBitEqual(expected));
          }
        }
    if (usableLoops().back()->width >= 8) CHECK(numDeep > 0);
  }
}
